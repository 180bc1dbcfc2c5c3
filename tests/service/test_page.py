"""The page of the service in a real browser: what it shows, and what its form asks."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("playwright")

from playwright.sync_api import expect

from tests.service.conftest import FOX, Start
from tests.web.browser import browsing, visit
from twinset.index import Index
from twinset.service.access import add_key


@pytest.mark.parametrize("has_keys", [False, True])
def test_the_form_asks_the_index(start: Start, folder: Path, has_keys: bool) -> None:
    with Index.open(folder) as index:
        index.add({"fox": FOX})
        key = add_key(index.work.store, "anna", "read") if has_keys else ""
    look = (390, "ru-RU", "dark") if has_keys else (1280, "en-GB", "light")
    address = start().address
    with browsing() as browser:
        seen = visit(browser, f"{address}/", *look)
        seen.page.locator("#text").fill(FOX)
        assert seen.page.locator("#key").count() == has_keys
        if has_keys:
            seen.page.locator("#key").fill(key)
        seen.page.locator("#try button").click()
        expect(seen.page.locator("#answer")).to_contain_text('"id": "fox"')
        seen.check()
