"""Passages in a real browser: one is shown in its context."""

from __future__ import annotations

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
