"""From the empty first page to a result in a real browser: by clicks and by keys alone."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("playwright")

from playwright.sync_api import Browser, expect

from tests.web.browser import Visit, serving, visit
from tests.web.conftest import COLLECTION

LOOKS = [
    pytest.param(1280, "en-GB", "light"),
    pytest.param(390, "ru-RU", "dark", marks=pytest.mark.long),
    pytest.param(1280, "ru-RU", "light", marks=pytest.mark.long),
    pytest.param(390, "en-GB", "dark", marks=pytest.mark.long),
]


@pytest.fixture
def user(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A home folder as people have it, under a short name for the pictures."""
    with tempfile.TemporaryDirectory(prefix="home-") as folder:
        yield furnished(Path(folder) / "anna", monkeypatch)


def furnished(user: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("Documents/Invoices", "Documents/Letters", "Downloads", "Pictures", ".cache"):
        (user / name).mkdir(parents=True)
    for file in sorted((COLLECTION / "russian").iterdir())[:6]:
        shutil.copy(file, user / "Documents" / "Letters")
    for number in range(3):
        (user / "Documents" / "Invoices" / f"{number}.txt").write_text(f"Invoice {number} of May")
    monkeypatch.setenv("HOME", str(user))
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    return user


@contextlib.contextmanager
def opened(browser: Browser, user: Path, width: int, language: str, scheme: str) -> Iterator[Visit]:
    """The page as ``twinset ui`` without any argument opens it."""
    with serving(home=user / ".local" / "state" / "twinset") as (address, _):
        yield visit(browser, address, width, language, scheme)


def line(path: Path) -> str:
    """Where the line of a folder is in the tree."""
    return f'#tree [data-path="{path}"] > .line'


@pytest.mark.parametrize(("width", "language", "scheme"), LOOKS)
def test_from_nothing_to_a_result_in_three_clicks(
    browser: Browser, user: Path, width: int, language: str, scheme: str
) -> None:
    with opened(browser, user, width, language, scheme) as seen:
        page = seen.page
        seen.check()
        expect(page.locator("#folder")).to_have_value("")
        expect(page.locator("#tree")).not_to_contain_text(".cache")
        page.locator(line(user / "Documents")).click()
        expect(page.locator("#folder")).to_have_value(str(user / "Documents"))
        expect(page.locator("#about-folder")).to_contain_text("9 ")
        page.locator(line(user / "Documents" / "Letters")).click()
        expect(page.locator("#folder")).to_have_value(str(user / "Documents" / "Letters"))
        expect(page.locator('#tree [aria-selected="true"]')).to_have_count(1)
        seen.check()
        page.locator("#start button.big").click()
        page.wait_for_url("**/report/**")
        seen.check(quick=True)
        page.goto(seen.address)  # as on another day: the folder is chosen, and the tree open there
        expect(page.locator(line(user / "Documents" / "Letters"))).to_be_visible()
        expect(page.locator("#folder")).to_have_value(str(user / "Documents" / "Letters"))
        assert seen.wrong == []


def test_the_keyboard_alone_is_enough(browser: Browser, user: Path) -> None:
    with opened(browser, user, 1280, "en-GB", "light") as seen:
        page, press = seen.page, seen.page.keyboard.press
        for _ in range(20):
            press("Tab")
            if page.evaluate("document.activeElement.getAttribute('role')") == "treeitem":
                break
        press("d")  # the first folder of this letter
        press("ArrowRight")  # opens it
        expect(page.locator(line(user / "Documents" / "Letters"))).to_be_visible()
        press("ArrowRight")
        press("ArrowDown")
        press("Enter")
        expect(page.locator("#folder")).to_have_value(str(user / "Documents" / "Letters"))
        press("ArrowLeft")
        press("ArrowLeft")  # closes it
        expect(page.locator(line(user / "Documents" / "Letters"))).to_be_hidden()
        press("Home")
        focused = "document.activeElement.dataset.path"
        assert page.evaluate(focused) == str(user)
        page.locator("#folder").focus()
        press("Enter")
        page.wait_for_url("**/report/**")
        assert seen.wrong == []


@pytest.mark.long
def test_a_search_is_watched_cancelled_and_begun_again(browser: Browser, user: Path) -> None:
    big = user / "Documents" / "Big"
    big.mkdir()
    words = " ".join(f"word{number}" for number in range(9000))
    for number in range(6000):
        (big / f"report {number}.txt").write_text(f"{number} {words[number : number + 60000]}")
    with opened(browser, user, 390, "en-GB", "light") as seen:
        page = seen.page
        page.locator("#folder").fill(str(big))
        page.locator("#start button.big").click()
        page.wait_for_url("**/job/*")
        expect(page.locator(".job .file")).to_contain_text("report ")
        seen.check(quick=True)
        page.locator(".job button.danger").click()
        expect(page.locator(".job h2")).to_have_text("Cancelled")
        seen.check()
        page.locator(".job form.row button").first.click()
        page.wait_for_url("**/job/*")
        page.locator(".job button.danger").click()
        expect(page.locator(".job h2")).to_have_text("Cancelled")
        assert seen.wrong == []
