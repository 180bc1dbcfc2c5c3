"""Thirty questions in a real browser: by keys, over a reload, to a search with the plan."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("playwright")

from playwright.sync_api import Browser, Page, expect

from tests.web.browser import Visit, serving, visit
from tests.web.conftest import COLLECTION

PAIR = "#answer input[name=left], #answer input[name=right]"


@pytest.fixture(scope="module")
def copies() -> set[frozenset[str]]:
    """The pairs that the owner of the example calls copies."""
    rows = (COLLECTION.parent / "truth.csv").read_text(encoding="utf-8").splitlines()[1:]
    return {frozenset(row.split(",")[:2]) for row in rows}


def begin(seen: Visit) -> Page:
    """From the first page to the first question."""
    page = seen.page
    page.locator("main a[href='/more']").click()
    page.locator("form[action='/search/new'] button").last.click()
    page.wait_for_selector("#reading")
    page.locator("button[value=ask]").click()
    page.wait_for_url("**/ask")
    seen.check()
    page.locator("main form .button").click()
    page.wait_for_selector("#answer")
    return page


def asked(page: Page) -> tuple[str, str]:
    fields = page.locator(PAIR)
    return fields.nth(0).input_value(), fields.nth(1).input_value()


def press(page: Page, key: str) -> None:
    """Answer by a key, and wait for the page after it."""
    with page.expect_navigation():
        page.keyboard.press(key)
    page.wait_for_selector("#answer, #use")


@pytest.mark.long
def test_thirty_questions(browser: Browser, documents: Path, copies: set[frozenset[str]]) -> None:
    home = documents.parent / "home"
    with serving(str(documents), home=home) as (address, _):
        seen = visit(browser, address, 1280, "en-GB", "light")
        page = begin(seen)
        seen.check()
        first = asked(page)
        press(page, "y")
        press(page, "z")
        assert asked(page) == first, "undo asks the same question again"
        pairs: list[tuple[str, str]] = []
        while page.locator("#answer").count():
            pairs.append(asked(page))
            press(page, "y" if frozenset(pairs[-1]) in copies else "n")
            if len(pairs) == 12:
                page.reload()
                seen.check()
            assert len(pairs) < 45
        assert len({frozenset(pair) for pair in pairs}) == 30
        seen.check()
        with page.expect_download() as download:
            page.locator("a[href*='plan.answers.jsonl']").click()
        kept = [json.loads(line) for line in download.value.path().read_text().splitlines()]
        assert [(row["left"], row["right"]) for row in kept] == pairs
        page.locator("#use").click()
        page.wait_for_url("**/clean")
        assert seen.wrong == []


def test_in_russian_on_a_small_screen(browser: Browser, documents: Path) -> None:
    with serving(str(documents / "russian"), home=documents.parent / "home") as (address, _):
        seen = visit(browser, address, 390, "ru-RU", "dark")
        page = begin(seen)
        seen.check()
        page.locator("button[value=yes]").click()
        expect(page.locator("#number")).to_have_text("Вопрос 2 из 30")
        page.locator("button[value=no]").click()
        expect(page.locator("#number")).to_have_text("Вопрос 3 из 30")
        page.locator("#enough").click()
        expect(page.locator("#use")).to_be_visible()
        seen.check()
        page.locator("#more").click()
        page.wait_for_selector("#answer")
        expect(page.locator("#number")).to_have_text("Вопрос 3 из 30")
        assert seen.wrong == []
