"""Passages in a real browser: a level is chosen, and a passage is shown in its context."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("playwright")

from playwright.sync_api import Browser, expect

import twinset
from tests.web.browser import serving, visit
from tests.web.conftest import COLLECTION


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """A report of what notes share with their second versions, and the notes."""
    with tempfile.TemporaryDirectory(prefix="my-") as place:
        notes = COLLECTION / "russian"
        for side in "12":
            (Path(place) / side).mkdir()
            for path in sorted(notes.glob(f"*-{side}.txt")):
                (Path(place) / side / path.name).write_bytes(path.read_bytes())
        findings = twinset.reuse(Path(place) / "1", Path(place) / "2", least=10)
        findings.save(Path(place) / "report")
        yield Path(place)


def test_a_passage_is_chosen_and_shown(browser: Browser, folder: Path) -> None:
    report, home = str(folder / "report"), folder / "home"
    with serving(report, "--root", str(folder), home=home) as (address, _):
        seen = visit(browser, address, 1280, "en-GB", "light")
        page = seen.page
        page.wait_for_url("**/passages")
        seen.check()
        page.locator("#passages a").first.click()
        expect(page.locator("#context mark")).to_have_count(2)
        expect(page.locator("#shares tbody tr").first).to_contain_text("%")
        seen.check()


def test_a_level_is_chosen_and_its_repeats_are_shown(browser: Browser, folder: Path) -> None:
    notes = folder / "both"
    for side in "12":
        shutil.copytree(folder / side, notes, dirs_exist_ok=True)
    with serving(str(notes), home=folder / "home-of-level") as (address, _):
        seen = visit(browser, address, 390, "en-GB", "light")
        page = seen.page
        page.locator("main a[href='/more']").click()
        page.locator("#preset").select_option("training")  # the usual options
        page.locator("form[action='/search/new'] button").last.click()
        page.locator("#reading .ways button[value=next]").click()
        page.locator("#level").select_option("sentence")
        expect(page.locator("#threshold")).to_have_count(0)  # sentences are compared by equality
        expect(page.locator("#level-sentence-inside")).to_be_visible()
        seen.check(quick=True)
        page.locator("button[value=next]").click()
        page.wait_for_url("**/clusters")
        page.locator("button[value=start]").click()
        page.wait_for_url("**/passages")
        repeats = twinset.find(notes, level="sentence").manifest["totals"]["repeated_units"]
        expect(page.locator("h1")).to_contain_text(f"{repeats} repeated sentence")
        seen.check(quick=True)
        assert seen.wrong == []
