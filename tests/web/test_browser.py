"""The whole page in a real browser: from a folder to decisions, in two languages and sizes."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.web.browser import SIZES, Camera, Visit, browsing, serving
from tests.web.conftest import COLLECTION

pytest.importorskip("playwright")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with browsing() as opened:
        yield opened


@pytest.fixture
def camera(request: pytest.FixtureRequest) -> Camera:
    folder = request.config.getoption("--screenshots", default=None)
    return Camera(Path(folder) if folder else None)


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    """A copy of the example under a short name, as a user would have it."""
    shutil.copytree(COLLECTION, tmp_path / "documents")
    return tmp_path / "documents"


def visit(browser: Browser, address: str, width: int, language: str, scheme: str) -> Visit:
    context = browser.new_context(
        viewport={"width": width, "height": SIZES[width]},
        locale=language,
        color_scheme=scheme,  # type: ignore[arg-type]
        accept_downloads=True,
    )
    context.set_default_timeout(20_000)
    return Visit.begin(context, address)


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
def test_from_a_folder_to_decisions(
    browser: Browser,
    camera: Camera,
    documents: Path,
    tmp_path: Path,
    width: int,
    language: str,
    scheme: str,
) -> None:
    folder = documents if language == "en-GB" else documents / "russian"
    with serving(str(folder), home=tmp_path / "home") as (address, _):
        seen = visit(browser, address, width, language, scheme)
        page = seen.page
        assert page.locator("html").get_attribute("lang") == language[:2]
        seen.check()
        page.locator("form[action='/search/new'] button").click()
        choose_documents(seen, camera)
        choose_an_image(seen, camera)
        run(seen, camera)
        compare(seen, camera)
        assert seen.wrong == []


def choose_documents(seen: Visit, camera: Camera) -> None:
    page = seen.page
    page.wait_for_selector(".previews li .sample")
    seen.check()
    camera.shoot(seen, "1-documents")
    page.reload()
    page.wait_for_selector(".previews li .sample")
    page.locator("#reading button.button").last.click()


def choose_an_image(seen: Visit, camera: Camera) -> None:
    page = seen.page
    page.wait_for_selector("#meaning svg")
    page.wait_for_selector("#cost p:not(.muted)")
    seen.check()
    camera.shoot(seen, "2-image")
    said = page.locator(".told").inner_text()
    drag(page, 0.8, 0.72)
    expect(page.locator(".told")).not_to_have_text(said)
    assert 0.65 < float(page.locator("#threshold").input_value()) < 0.75
    page.wait_for_load_state("networkidle")
    page.reload()
    assert 0.65 < float(page.locator("#threshold").input_value()) < 0.75, "a reload loses nothing"
    page.locator("#threshold").focus()
    page.keyboard.press("ArrowLeft")
    page.locator("button[value=next]").click()


def run(seen: Visit, camera: Camera) -> None:
    page = seen.page
    page.wait_for_url("**/clusters")
    seen.check()
    camera.shoot(seen, "3-clusters")
    page.locator("#kind-closed").check()
    expect(page.locator("#t")).to_be_visible()
    page.locator("#kind-anchored").check()
    page.locator("button[value=start]").click()
    page.wait_for_url("**/results")
    seen.check()
    camera.shoot(seen, "4-results")


def compare(seen: Visit, camera: Camera) -> None:
    page = seen.page
    page.locator(".ways a").last.click()
    page.wait_for_url("**/compare")
    seen.check()
