"""The errors a user can meet. Each message states the fault, the value and the remedy."""

from __future__ import annotations

import os

# The optional packages: what each extra brings, with the least version that will do. pyproject.toml
# says the same for installers; a test holds the two together. A remedy names these packages
# themselves, never an extra of ours: no package of our name need be what we wrote.
EXTRAS: dict[str, tuple[str, ...]] = {
    "mine": ("pyfim>=6.28",),
    "ui": (
        "fastapi>=0.133",
        "starlette>=1.3.1",
        "uvicorn>=0.29",
        "h11>=0.16",
        "python-multipart>=0.0.31",
    ),
    "pdf": ("pypdfium2>=5.4",),
    "office": ("xlrd>=2.0.1",),
    "learn": ("scikit-learn>=1.5",),
    "stem": ("PyStemmer>=2.2",),
    "lemma": ("pymorphy3>=2.0", "pymorphy3-dicts-ru>=2.4", "simplemma>=1.1"),
    "trash": ("send2trash>=1.8.3",),
    "remote": ("fsspec>=2024.2", "aiohttp>=3.9"),
    "s3": ("s3fs>=2024.2",),
    "hf": ("huggingface_hub>=0.23",),
}


def remedy(extra: str) -> str:
    """The command that installs what an extra brings."""
    return " ".join(["pip install", *(f"'{package}'" for package in EXTRAS[extra])])


class TwinsetError(Exception):
    """Any fault that is not a bug in twinset; the command line prints it without a traceback."""


class PlanError(TwinsetError):
    """Options that do not fit; ``faults`` lists all of them, not only the first."""

    def __init__(self, faults: list[str]) -> None:
        self.faults = faults
        super().__init__("; ".join(faults))


class ReadError(TwinsetError):
    """An input that cannot be read, with the file and, where known, the line."""

    def __init__(self, source: str, line: int | None, fault: str) -> None:
        self.source, self.line, self.fault = source, line, fault
        place = source if line is None else f"{source}:{line}"
        super().__init__(f"{place}: {fault}")


class MissingFileError(ReadError):
    """A file or folder that was named and is not there: a mistake in the call, not in the data."""

    def __init__(
        self, path: str | os.PathLike[str], kind: str = "file", remedy: str = "check the path"
    ) -> None:
        super().__init__(os.fspath(path), None, f"there is no such {kind}; {remedy}")


class ReportError(TwinsetError):
    """A report folder that cannot be written or read."""


class MissingReportError(ReportError):
    """A report folder that was named and is not there."""


class MissingExtraError(TwinsetError):
    """An optional package that is not installed, with the command that installs it."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(f"{package} is not installed: {remedy(extra)}")


class ModelError(TwinsetError):
    """A model file that cannot be used."""


class UnusedOption(UserWarning):
    """An option that says nothing to the chosen method; the run goes on without it."""


class Stopped(BaseException):
    """Work that was ended on request, by a signal or a `StopFlag`.

    Like ``KeyboardInterrupt`` it is no ``Exception``: what takes faults for results must not go on.
    """
