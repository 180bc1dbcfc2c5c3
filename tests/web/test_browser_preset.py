"""The preset that the page begins with, in a real browser: to a report with its pairs."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("playwright")

from playwright.sync_api import Browser, expect

import twinset
from tests.web.browser import serving, visit


def test_the_preset_text_from_the_first_page_to_its_report(
    browser: Browser, documents: Path
) -> None:
    folder = documents / "russian"
    pairs = twinset.find(folder, preset="text").pairs.num_rows
    assert pairs != twinset.find(folder).pairs.num_rows
    with serving(str(folder), home=documents.parent / "home") as (address, _):
        seen = visit(browser, address, 1280, "en-GB", "light")
        page = seen.page
        page.locator("main a[href='/more']").click()
        expect(page.locator("#preset")).to_have_value("text")
        page.locator("form[action='/search/new'] button").last.click()
        page.locator("#reading .ways button[value=next]").click()
        expect(page.locator("#threshold")).to_have_value("0.54")
        seen.check(quick=True)
        page.locator("button[value=next]").click()
        page.wait_for_url("**/clusters")
        page.locator("button[value=start]").click()
        page.wait_for_url("**/results")
        page.locator("a[href^='/report/']").last.click()
        page.wait_for_selector("#figures svg")
        expect(page.locator("#count-pairs")).to_have_text(str(pairs))
        seen.check(quick=True)
        assert seen.wrong == []
