"""Gives the README and the project the address of their repository, for the page of the package.

There, addresses that are relative to the repository lead nowhere. The workflow of a release knows
the repository and the commit, and runs this before it builds:

    python scripts/set_address.py OWNER/NAME COMMIT
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RELATIVE = r"(?![a-z]+:|#)"
IMAGE = re.compile(rf"(!\[[^\]]*\]\(){RELATIVE}")
LINK = re.compile(rf"(\]\(){RELATIVE}")


def with_address(text: str, repository: str, commit: str) -> str:
    """Markdown whose pictures and links lead to the repository at a commit."""
    text = IMAGE.sub(rf"\1https://raw.githubusercontent.com/{repository}/{commit}/", text)
    return LINK.sub(rf"\1https://github.com/{repository}/blob/{commit}/", text)


def urls(repository: str) -> str:
    """A table for the end of pyproject.toml."""
    home = f"https://github.com/{repository}"
    changes = f"{home}/blob/HEAD/CHANGELOG.md"
    return f'\n[project.urls]\nSource = "{home}"\nIssues = "{home}/issues"\nChanges = "{changes}"\n'


if __name__ == "__main__":
    readme, project = ROOT / "README.md", ROOT / "pyproject.toml"
    readme.write_text(with_address(readme.read_text("utf-8"), *sys.argv[1:]), encoding="utf-8")
    project.write_text(project.read_text("utf-8") + urls(sys.argv[1]), encoding="utf-8")
