"""What a release says of itself is the same everywhere, and its workflows can be read."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.package.conftest import ROOT
from twinset import __version__

GITHUB = ROOT / ".github"
READ_BY_GITHUB = sorted(GITHUB.rglob("*.yml"))


def test_every_file_names_the_version_that_is_built() -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert f'\nversion = "{__version__}"\n' in project
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == __version__
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    headings = re.findall(r"^## (\S+?),? ", changes, re.MULTILINE)
    assert headings[0] == __version__


@pytest.mark.parametrize("path", READ_BY_GITHUB, ids=lambda p: p.name)
def test_what_github_reads_has_its_form(path: Path) -> None:
    content: dict[Any, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    if path.parent.name == "ISSUE_TEMPLATE":
        assert content.keys() >= {"name", "description", "body"}
        return
    assert content.keys() >= {"name", True, "permissions", "jobs"}  # YAML reads on as true
    for job in content["jobs"].values():
        assert job["steps"]
        assert all({"run", "uses"} & step.keys() for step in job["steps"])


def test_only_publishing_may_ask_for_a_token() -> None:
    release = yaml.safe_load((GITHUB / "workflows" / "release.yml").read_text(encoding="utf-8"))
    assert release["permissions"] == {"contents": "read"}
    with_more = {name for name, job in release["jobs"].items() if "permissions" in job}
    assert with_more == {"publish"}
    assert release["jobs"]["publish"]["if"] == "startsWith(github.ref, 'refs/tags/v')"
