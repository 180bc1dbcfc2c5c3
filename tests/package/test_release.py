"""What a release says of itself is the same everywhere, and its workflows can be read."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.package.conftest import ROOT
from twinset import __version__
from twinset.plan import tomllib

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


def test_the_page_of_the_package_leads_to_the_repository(tmp_path: Path) -> None:
    for name in ("README.md", "pyproject.toml", "scripts/set_address.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    script = tmp_path / "scripts" / "set_address.py"
    subprocess.run([sys.executable, str(script), "owner/name", "c0ffee"], check=True)
    before, after = (
        re.findall(r"\]\(([^)]*)\)", (folder / "README.md").read_text("utf-8"))
        for folder in (ROOT, tmp_path)
    )
    homes = (
        "https://github.com/owner/name/blob/c0ffee/",
        "https://raw.githubusercontent.com/owner/name/c0ffee/",
    )
    for old, new in zip(before, after, strict=True):
        is_picture = old.endswith((".svg", ".png"))
        assert new == (homes[is_picture] + old if "://" not in old else old)
        assert "://" in old or (ROOT / old.partition("#")[0]).exists()
    project = tomllib.loads((tmp_path / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["urls"]["Source"] == "https://github.com/owner/name"


def test_all_that_is_published_is_built_with_the_address() -> None:
    release = yaml.safe_load((GITHUB / "workflows" / "release.yml").read_text(encoding="utf-8"))
    for name in ("wheels", "sdist"):
        steps = [str(step) for step in release["jobs"][name]["steps"]]
        (address,) = (at for at, step in enumerate(steps) if "set_address.py" in step)
        (build,) = (
            at for at, step in enumerate(steps) if "cibuildwheel" in step or "--sdist" in step
        )
        assert address < build
