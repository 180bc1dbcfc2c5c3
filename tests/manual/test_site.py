"""The manual is built without a warning, is whole, and asks nothing of the network."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import twinset
from tests.manual.blocks import ROOT
from tests.manual.test_pages import load

LOADED = re.compile(r'<(?:script|link|img|iframe)\b[^>]*?\b(?:src|href)="([^"]+)"')


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir"]
    done = subprocess.run(
        [*command, str(folder)],
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return folder


def test_the_manual_is_whole_and_asks_nothing_of_the_network(site: Path) -> None:
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > 50
    for page in pages:
        for target in LOADED.findall(page.read_text(encoding="utf-8")):
            if target.startswith("data:"):
                continue
            assert "//" not in target, (page, target)
            path = target.partition("#")[0].partition("?")[0]
            assert (page.parent / path).exists() or page.name == "404.html", (page, target)
    script = (site / "search" / "search_index.js").read_text(encoding="utf-8")
    index = json.loads(script.removeprefix("var __index = "))
    places = {entry["location"].partition("#")[0] for entry in index["docs"]}
    assert {"tutorials/first-steps.html", "reference/api.html"} <= places
    (worker,) = site.glob("assets/javascripts/workers/search.*.js")
    assert r"replace(/(^|\s)-+/g" in worker.read_text(encoding="utf-8"), "finds no --threshold"
    notebook = (site / "tutorials" / "notebook.ipynb.html").read_text(encoding="utf-8")
    assert notebook.count("<template shadowrootmode") == notebook.count('class="twinset') > 0


def test_the_page_of_the_api_has_every_public_name() -> None:
    page = (ROOT / "docs" / "reference" / "api.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r"^::: twinset\.(\w+)$", page, re.MULTILINE)) == sorted(
        twinset.__all__
    )


def test_the_page_of_the_methods_is_fresh() -> None:
    maker = load(ROOT / "docs" / "make_methods.py")
    assert maker.PAGE.read_text(encoding="utf-8") == maker.page(), "run docs/make_methods.py"


def test_the_picture_of_the_terminal_is_fresh() -> None:
    maker = load(ROOT / "docs" / "make_terminal.py")
    assert maker.PICTURE.read_text(encoding="utf-8") == maker.picture(), "run docs/make_terminal.py"
