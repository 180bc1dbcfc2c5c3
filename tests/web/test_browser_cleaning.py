"""What can go, in a real browser: from the finished search to the trash and back."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("playwright")

from playwright.sync_api import Browser, expect

from tests.web.browser import Visit, serving, visit
from tests.web.cleaning_sample import GOING, folder_with_copies

LOOKS = [(1280, "en-GB", "light"), (390, "ru-RU", "dark")]
MORE_LOOKS = [(1280, "ru-RU", "dark"), (390, "en-GB", "light")]


@pytest.fixture
def report(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A report on a folder with copies, under a short name; the trash is one of its own."""
    with tempfile.TemporaryDirectory(prefix="my-") as folder:
        monkeypatch.setenv("XDG_DATA_HOME", f"{folder}/data")
        yield folder_with_copies(Path(folder))


def going(report: Path) -> list[Path]:
    return [report.parent / "folder" / path for path in sorted(GOING)]


def open_list(browser: Browser, address: str, look: tuple[int, str, str]) -> Visit:
    """The list, whatever page the report opens with."""
    seen = visit(browser, address, *look)
    seen.page.goto(seen.page.url.partition("?")[0].removesuffix("/clean") + "/clean")
    return seen


@pytest.mark.parametrize(
    "look", [*LOOKS, *(pytest.param(look, marks=pytest.mark.long) for look in MORE_LOOKS)]
)
def test_from_the_list_to_the_trash_and_back(
    browser: Browser, report: Path, tmp_path: Path, look: tuple[int, str, str]
) -> None:
    with serving(str(report), "--root", str(report.parent), home=tmp_path / "home") as (address, _):
        seen = open_list(browser, address, look)
        page = seen.page
        seen.check()
        total = page.locator("#total .total")
        before = total.inner_text()
        box = page.locator("#groups input[type=checkbox]:checked").first.get_attribute("id")
        for _ in range(2):
            page.locator(f"#{box}").click()
            expect(total).not_to_have_text(before)
            before = total.inner_text()
        page.locator("#continue").click()
        page.wait_for_url("**/remove")
        seen.check()
        assert all(path.exists() for path in going(report))
        page.locator("#do").click()
        page.locator("#undo").wait_for()
        seen.check()
        assert not any(path.exists() for path in going(report))
        page.locator("#undo").click()
        expect(page.locator("#undo")).to_have_count(0)
        page.locator("#move a.button").first.wait_for()
        assert all(path.exists() for path in going(report))
        page.locator("#move a.button").last.click()
        page.wait_for_url("**/history")
        seen.check()


def test_a_page_that_nobody_answers_says_so(browser: Browser, report: Path, tmp_path: Path) -> None:
    with serving(str(report), "--root", str(report.parent), home=tmp_path / "home") as (
        address,
        server,
    ):
        page = open_list(browser, address, LOOKS[0]).page
        box = page.locator("#groups input[type=checkbox]:checked").first
        box.click()
        expect(page.locator("#messages")).to_be_empty()
        server.terminate()
        server.wait(timeout=60)
        page.locator("#groups input[type=checkbox]:checked").first.click()
        expect(page.locator("#messages")).to_contain_text("twinset does not answer")


def test_by_keys_alone(browser: Browser, report: Path, tmp_path: Path) -> None:
    with serving(str(report), "--root", str(report.parent), home=tmp_path / "home") as (address, _):
        seen = open_list(browser, address, LOOKS[0])
        page = seen.page
        total = page.locator("#total .total")
        before = total.inner_text()
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip"
        for key in ("j", "ArrowDown"):
            page.keyboard.press(key)
        focused = page.evaluate("document.activeElement.id")
        assert focused.startswith("file-")
        page.keyboard.press("Space")
        expect(total).not_to_have_text(before)
        assert page.evaluate("document.activeElement.id") == focused, "the focus stays"
        page.keyboard.press("z")  # the list was not loaded again since
        expect(total).to_have_text(before)
        page.locator(f"#{focused}").focus()
        page.keyboard.press("Space")
        expect(total).not_to_have_text(before)
        page.keyboard.press("Space")
        expect(total).to_have_text(before)
        page.keyboard.press("k")
        assert page.evaluate("document.activeElement.id") != focused
        page.keyboard.press("/")
        page.keyboard.type("lease")
        expect(page.locator("#groups .group")).to_have_count(1)
        assert "q=lease" in page.url
        page.locator("#q").blur()
        page.keyboard.press("j")
        page.keyboard.press("j")
        page.keyboard.press("c")
        page.wait_for_url("**/pair?*")
        assert seen.wrong == []
