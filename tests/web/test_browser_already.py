"""An index in a real browser: a text is pasted, a row chosen, a file dropped."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("playwright")

from playwright.sync_api import Browser, expect

from tests.web.browser import serving, visit
from tests.web.conftest import COLLECTION
from twinset.index import Index

LONG = "\n".join(f"line {number} of a long text in many lines" for number in range(900))


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """An index of the licences under a short name, for the pictures."""
    with tempfile.TemporaryDirectory(prefix="my-") as place:
        folder = Path(place) / "licences"
        with Index.create(folder, threshold=0.7) as index:
            index.add(COLLECTION / "licenses.jsonl")
            index.add({"long": LONG})
        yield folder


def text_of(folder: Path, id: str) -> str:
    with Index.open(folder) as index:
        text = index.text(id)
    assert text is not None
    return text


LOOKS = [
    pytest.param(1280, "en-GB", "light"),
    pytest.param(390, "ru-RU", "dark", marks=pytest.mark.long),
]


@pytest.mark.parametrize(("width", "language", "scheme"), LOOKS)
def test_a_text_is_pasted_a_text_is_pasted_and_a_row_and_a_file_are_chosen(
    browser: Browser, folder: Path, width: int, language: str, scheme: str
) -> None:
    text = text_of(folder, "L:afl-2.0").replace("the", "a", 3)
    with serving(str(folder), home=folder.parent / "home") as (address, _):
        seen = visit(browser, address, width, language, scheme)
        page = seen.page
        page.wait_for_url("**/index/**")
        seen.check()
        page.locator("#text").fill(text)
        page.locator("#text").press("Tab")  # to the file
        page.keyboard.press("Tab")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        expect(page.locator("tr[aria-current]")).to_contain_text("L:afl-2.0")
        expect(page.locator("#panes ins").first).to_be_visible()
        seen.check()
        for number in (1, 2):
            page.locator("[data-step='1']").click()
            expect(page.locator("#difference")).to_have_text(str(number))
            expect(page.locator("#panes .now").first).to_be_in_viewport()
        page.keyboard.press("Comma")
        expect(page.locator("#difference")).to_have_text("1")
        page.locator("tbody button").nth(1).click()
        expect(page.locator("tr[aria-current] button")).to_have_attribute("value", "1")
        expect(page.locator("#pair")).to_be_in_viewport()
        page.locator("#panes summary").first.click()
        expect(page.locator("#panes details .pane-row").first).to_be_visible()
        seen.check(quick=True)
        draft = {"name": "draft.txt", "mimeType": "text/plain", "buffer": text.encode()}
        page.locator("#file").set_input_files(draft)
        page.locator("#ask button").click()
        expect(page.locator("#answer-title")).to_contain_text("draft.txt")
        expect(page.locator("tr[aria-current]")).to_contain_text("L:afl-2.0")
        expect(page.locator("#text")).to_have_value("")
        page.locator("#text").fill(re.sub(r"line (\d*[05]) of", r"row \1 of", LONG))
        page.locator("#ask button").click()
        expect(page.locator("tr[aria-current]")).to_contain_text("long")
        shown = page.locator("#panes [data-difference]").last.get_attribute("data-difference")
        for _ in range(int(shown) + 2):  # one more than this part of the texts has
            page.keyboard.press("Period")
        page.wait_for_function(
            f"document.querySelector('[data-difference]').dataset.difference > {shown}"
        )
        page.keyboard.press("Period")
        expect(page.locator("#difference")).to_have_text(str(int(shown) + 2))
        assert seen.wrong == []
