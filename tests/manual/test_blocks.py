"""Every block of the manual runs, or says above it what it needs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.manual.blocks import PAGES, blocks, name_of
from tests.manual.reader import Reader

pytestmark = pytest.mark.usefixtures("runs_here")
LANGUAGES = {"sh", "console", "pycon", "python", "toml", "json", "text"}
MOST_FROM_THE_INTERNET = 5
TRIED_ELSEWHERE = {
    "recipes.md": "tests/test_recipes.py",
    "postgresql.md": "tests/index/postgres/test_page.py",
    "spark.md": "tests/spark/test_page.py",
    "command-line.md": "tests/manual/test_help.py",
}
"""Pages whose blocks need what one test makes for them."""


def followed(page: Path) -> bool:
    return page.name not in TRIED_ELSEWHERE and bool(blocks(page))


@pytest.mark.parametrize("page", [*filter(followed, PAGES)], ids=name_of)
def test_a_page_can_be_followed(page: Path, clone: Path) -> None:
    reader = Reader()
    try:
        for block in blocks(page):
            if not block.needs:
                reader.follow(block)
    finally:
        reader.leave()


def test_every_block_says_what_it_is() -> None:
    unknown = [str(b) for page in PAGES for b in blocks(page) if b.language not in LANGUAGES]
    assert unknown == []


def test_few_blocks_need_the_internet() -> None:
    needs = [block.needs for page in PAGES for block in blocks(page)]
    assert 0 < needs.count("the internet") <= MOST_FROM_THE_INTERNET
