"""The optional packages: what each extra brings, with the least version that will do.

``pyproject.toml`` says the same for installers; a test holds the two together. A remedy names these
packages themselves, never an extra of ours: no package of our name need be what we wrote.
"""

from __future__ import annotations

EXTRAS: dict[str, tuple[str, ...]] = {
    "mine": ("pyfim>=6.28",),
    "ui": (
        "fastapi>=0.133",
        "starlette>=1.3.1",
        "uvicorn>=0.29",
        "h11>=0.16",
        "jinja2>=3.1.6",
        "python-multipart>=0.0.31",
    ),
    "pdf": ("pypdf>=6.16.1",),
    "learn": ("scikit-learn>=1.5",),
}


def remedy(extra: str) -> str:
    """The command that installs what an extra brings."""
    return " ".join(["pip install", *(f"'{package}'" for package in EXTRAS[extra])])
