"""The whole way of a person in a real browser: the empty first page, a folder, the trash, undo."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("playwright")

from playwright.sync_api import Browser

from tests.folders.maker import digest, make_folder
from tests.web.browser import serving, visit

MOST_CLICKS = 6
LOOKS = [
    pytest.param(1280, "en-GB", "light"),
    *(
        pytest.param(*look, marks=pytest.mark.long)
        for look in ((1280, "ru-RU", "dark"), (390, "en-GB", "dark"), (390, "ru-RU", "light"))
    ),
]


@pytest.mark.parametrize(("width", "language", "scheme"), LOOKS)
def test_from_the_empty_start_to_the_trash_and_back(
    browser: Browser,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    width: int,
    language: str,
    scheme: str,
) -> None:
    user, clicks = tmp_path / "anna", 0
    folder = user / "Documents"
    make_folder(folder, 5, 0.08)
    monkeypatch.setenv("HOME", str(user))
    monkeypatch.setenv("XDG_DATA_HOME", str(user / ".local" / "share"))
    before, count = digest(folder), _count(folder)
    with serving(home=user / ".local" / "state" / "twinset") as (address, _):
        seen = visit(browser, address, width, language, scheme)
        page = seen.page
        page.locator(f'#tree [data-path="{folder}"] > .line').click()  # the folder is chosen
        for button, end in (
            ("#start button.big", "#continue"),
            ("#continue", "#do"),
            ("#do", "#undo"),
        ):
            page.locator(button).click()
            clicks += 1
            page.locator(end).wait_for(timeout=60_000)
            seen.check(quick=True)
        assert _count(folder) < count - 5
        page.locator("#undo").click()
        clicks += 1
        page.locator("#undo").wait_for(state="detached")
        page.locator("#move a.button").first.wait_for()
        assert digest(folder) == before
        assert clicks <= MOST_CLICKS
        assert seen.wrong == []


def _count(folder: Path) -> int:
    return sum(path.is_file() for path in folder.rglob("*"))
