"""The steps of a search in a real browser, in two languages and sizes; the laboratory."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("playwright")

from playwright.sync_api import Browser, Page, expect

from tests.web.browser import Visit, serving, visit
from tests.web.conftest import COLLECTION


def drag(page: Page, start: float, end: float) -> None:
    """Drag in a chart from one share of its width to another."""
    chart = page.locator("[data-drag] svg").first
    chart.scroll_into_view_if_needed()
    box = chart.bounding_box()
    assert box is not None
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] * start, y)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * end, y, steps=6)
    page.mouse.up()


@pytest.mark.parametrize(
    ("width", "language", "scheme"), [(1280, "en-GB", "light"), (390, "ru-RU", "dark")]
)
def test_the_five_steps(
    browser: Browser,
    documents: Path,
    width: int,
    language: str,
    scheme: str,
) -> None:
    folder = documents if language == "en-GB" else documents / "russian"
    with serving(str(folder), home=documents.parent / "home") as (address, _):
        seen = visit(browser, address, width, language, scheme)
        assert seen.page.locator("html").get_attribute("lang") == language[:2]
        seen.check()
        seen.page.locator("main a[href='/more']").click()
        seen.check()
        seen.page.locator("#preset").select_option("training")  # it shows a curve
        seen.page.locator("form[action='/search/new'] button").last.click()
        choose_documents(seen)
        choose_an_image(seen)
        run(seen)
        compare(seen, folder)
        come_back(browser, address, seen, (width, language, scheme))
        assert seen.wrong == []


def choose_documents(seen: Visit) -> None:
    page = seen.page
    page.wait_for_selector(".previews li .sample")
    seen.check()
    page.reload()
    page.wait_for_selector(".previews li .sample")
    page.locator("#reading .ways button[value=next]").click()


def choose_an_image(seen: Visit) -> None:
    page = seen.page
    page.wait_for_selector("#meaning svg")
    seen.check()
    said = page.locator(".told").inner_text()
    drag(page, 0.8, 0.66)
    expect(page.locator(".told")).not_to_have_text(said)
    chosen = float(page.locator("#threshold").input_value())
    assert 0.6 < chosen < 0.7
    page.wait_for_timeout(150)  # longer than the page waits for the end of a movement
    wait_for_answers(page)
    page.reload()
    assert float(page.locator("#threshold").input_value()) == chosen, "a reload loses nothing"
    page.locator("#threshold").focus()
    page.keyboard.press("ArrowLeft")
    page.locator("button[value=next]").click()


def wait_for_answers(page: Page) -> None:
    page.wait_for_function("() => !document.querySelector('.htmx-request')")


def run(seen: Visit) -> None:
    page = seen.page
    page.wait_for_url("**/clusters")
    seen.check()
    page.locator("#clusters-closed").check()
    expect(page.locator("#clusters-closed-share")).to_be_visible()
    page.locator("#clusters-anchored").check()
    wait_for_answers(page)  # the form is drawn anew, and a click on the old button would be lost
    page.locator("button[value=start]").click()
    page.wait_for_url("**/results")
    seen.check()


def compare(seen: Visit, folder: Path) -> None:
    page = seen.page
    within = "russian/" if folder.name == "russian" else ""  # ids are paths below the folder
    known = (COLLECTION.parent / "truth.csv").read_text(encoding="utf-8")
    root = folder.parent if not within else folder.parent.parent
    truth = root / "home" / "truth.csv"  # a folder that the page may open
    truth.write_text(known.replace(within, "") if within else known, encoding="utf-8")
    page.locator(".ways a").last.click()
    page.wait_for_url("**/compare")
    page.locator("#truth").fill(str(truth))
    page.locator("#only_known").check()
    page.locator(
        "button.button:has-text('ompare'), button.button:has-text('Сравнить')"
    ).first.click()
    page.wait_for_selector(".made .tally dd")
    seen.check()
    with page.expect_download() as download:
        page.locator("a[href*='only_in_reference.csv']").first.click()
    assert download.value.path().read_text(encoding="utf-8").startswith('"left","right"')


def come_back(browser: Browser, address: str, seen: Visit, how: tuple[int, str, str]) -> None:
    """Another window, as on another day: the search is there, and goes on where it was."""
    seen.page.close()
    again = visit(browser, address, *how)
    again.check(quick=True)
    again.page.locator("main a[href='/more']").click()
    again.page.locator("#searches-title ~ ul a").first.click()
    again.page.wait_for_url("**/results")
    again.page.locator("a[href^='/report/']").last.click()
    again.page.wait_for_selector("#figures svg")
    assert again.wrong == []


def test_a_run_outlives_the_page_and_the_server(browser: Browser, tmp_path: Path) -> None:
    """Start a long run, close everything, and find it again with another server."""
    home, file = tmp_path / "home", tmp_path / "news.jsonl"
    words = [f"word{number}" for number in range(5000)]
    with file.open("w", encoding="utf-8") as out:
        for number in range(20_000):
            text = " ".join(words[(number * 7 + step * 13) % 5000] for step in range(150))
            out.write(json.dumps({"id": str(number), "text": text}) + "\n")
    with serving(str(file), home=home) as (address, _):
        seen = visit(browser, address, 1280, "en-GB", "light")
        page = seen.page
        page.locator("form#start button.big").click()
        page.wait_for_selector(".job .stages .row")
        page.reload()
        page.wait_for_selector(".job")
        page.close()
    with serving(str(file), home=home) as (address, _):
        seen = visit(browser, address, 1280, "en-GB", "light")
        seen.page.locator("main a[href='/more']").click()
        seen.page.locator("#searches-title ~ ul a").first.click()
        done = seen.page.locator(".job a.button, .tally").first
        done.wait_for(timeout=60_000)
        if seen.page.url.endswith("/clusters"):  # it ended before there was a progress to watch
            done.click()
        expect(seen.page.locator("main")).to_contain_text("20,000 documents were read")
        assert seen.wrong == []


def test_the_laboratory(browser: Browser, documents: Path) -> None:
    """Compare two methods, and take the plan of the better one."""
    home = documents.parent / "home"
    with serving(str(documents / "russian"), home=home) as (address, _):
        seen = visit(browser, address, 1280, "en-GB", "dark")
        page = seen.page
        page.goto(f"{seen.address}/laboratory")
        seen.check()
        page.goto(f"{seen.address}/laboratory/compare")
        seen.check()
        page.locator("form[action='/laboratory/compare'] button.button").click()
        page.wait_for_selector("form[action$='/search'] button", timeout=60_000)
        seen.check()
        page.locator("form[action$='/search'] button").click()
        page.wait_for_url("**/image")
        assert seen.wrong == []
