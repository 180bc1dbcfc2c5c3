"""The papers' laboratory in a real browser: mine a table, run an experiment, use its best plan."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

pytest.importorskip("playwright")

from playwright.sync_api import Browser, expect

from tests.web.browser import serving, visit
from tests.web.conftest import COLLECTION
from tests.web.test_experiments import SWEEP


def test_from_a_table_to_the_best_plan(browser: Browser, tmp_path: Path) -> None:
    folder = tmp_path / "documents"
    shutil.copytree(COLLECTION / "russian", folder)
    work = tmp_path / "work"
    work.mkdir()
    (work / "table.dat").write_text("1 2 3\n1 2 3\n1 2\n2 3\n4\n")
    (work / "sweep.toml").write_text(SWEEP)
    with serving(str(folder), "--root", str(work), home=tmp_path / "home") as (address, _):
        seen = visit(browser, address, 1280, "en-GB", "light")
        page = seen.page
        page.goto(f"{seen.address}/laboratory/mine")
        page.locator("#files").set_input_files(work / "table.dat")
        expect(page.locator("#table")).to_have_value(re.compile(r"/uploads/table\.dat$"))
        page.locator("#support").fill("2")
        seen.check()
        page.locator("form[action='/laboratory/mine'] button.button").click()
        expect(page.locator("tbody tr")).to_have_count(1, timeout=60_000)
        expect(page.locator("tbody")).to_contain_text("1 2 3")
        seen.check(quick=True)
        page.goto(f"{seen.address}/laboratory/experiment")
        page.locator("#experiment-own").check()
        page.locator("#file").fill(str(work / "sweep.toml"))
        seen.check()
        page.locator("form[action='/laboratory/experiment'] button.button").click()
        page.wait_for_selector("form[action$='/search'] button", timeout=60_000)
        expect(page.locator("tbody tr")).to_have_count(2)
        seen.check(quick=True)
        page.locator("form[action$='/search'] button").click()
        expect(page.locator("#method")).to_have_value("exact")
        assert seen.wrong == []
