"""Optional packages: one list, and remedies that name packages which exist."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest

from twinset.errors import EXTRAS

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
SOURCES = sorted(
    path
    for path in (ROOT / "src").rglob("*")
    if path.suffix in {".py", ".html", ".js", ".json", ".md"}
)
INSTALLED = re.compile(r"pip install((?: '[^'.\[][^'\[]*')+)")


@pytest.fixture(scope="module")
def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_the_table_is_that_of_the_project_file(project: dict[str, Any]) -> None:
    extras = project["project"]["optional-dependencies"]
    named = {name: packages for name, packages in extras.items() if name != "all"}
    assert {name: list(packages) for name, packages in EXTRAS.items()} == named


def test_all_is_every_extra_that_needs_neither_a_compiler_nor_java(project: dict[str, Any]) -> None:
    (everything,) = project["project"]["optional-dependencies"]["all"]
    package, _, extras = everything.rstrip("]").partition("[")
    assert package == project["project"]["name"]
    assert extras.split(",") == [name for name in EXTRAS if name not in ("mine", "spark")]


@pytest.mark.parametrize("page", [*PAGES, *SOURCES], ids=lambda p: str(p.relative_to(ROOT)))
def test_nobody_is_sent_to_a_package_of_our_name(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert not re.search(r"pip install +'?\"?twinset\b", text)
    assert "twinset[" not in text


def test_pages_ask_for_the_versions_of_the_table() -> None:
    known = {package for packages in EXTRAS.values() for package in packages}
    shown = {
        package
        for page in PAGES
        for packages in INSTALLED.findall(page.read_text(encoding="utf-8"))
        for package in re.findall(r"'([^']+)'", packages)
    }
    assert shown
    assert shown <= known


def test_pages_install_extras_that_there_are(project: dict[str, Any]) -> None:
    texts = [path.read_text(encoding="utf-8") for path in [*PAGES, ROOT / "Containerfile"]]
    shown = [name for text in texts for name in re.findall(r"(?:'\.|whl\))\[([\w,]+)\]", text)]
    assert shown
    assert {name for names in shown for name in names.split(",")} <= {*EXTRAS, "all"}
