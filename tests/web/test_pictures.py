"""The pictures of the page in README and manual are those of the page as it is."""

from __future__ import annotations

import json
import re

import pytest

pytest.importorskip("playwright")

from tests.manual.blocks import PAGES, ROOT
from tests.manual.test_pages import load

maker = load(ROOT / "docs" / "make_screenshots.py")
NOTED = json.loads(maker.SOURCES.read_text("utf-8"))

# What makes a picture old is what a reader sees: the words on it, and the style sheets. So a change
# of other pages, of scripts or of how a template is written asks for no new pictures.
REMEDY = "run make screenshots"


def test_the_pictures_are_those_that_are_shown_in_the_style_of_today() -> None:
    pages = "".join(page.read_text("utf-8") for page in PAGES)
    kept = {path.stem for path in maker.PICTURES.glob("*.png")}
    assert set(re.findall(r"pictures/page/([\w-]+)\.png", pages)) == kept
    assert kept | {"styles"} == set(NOTED), REMEDY
    assert NOTED["styles"] == maker.styles(), REMEDY


def test_no_picture_is_older_than_the_words_on_it() -> None:
    shown = maker.walk(blind=True).shown
    assert {name for name in NOTED if shown.get(name) != NOTED[name]} == set(), REMEDY
