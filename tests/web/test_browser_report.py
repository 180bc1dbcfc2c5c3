"""A report in a real browser: dragging, tables, keys, side by side, decisions, the lattice."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytest.importorskip("playwright")

from playwright.sync_api import Browser, expect

import twinset
from tests.web.browser import Visit, serving, visit
from tests.web.conftest import COLLECTION
from tests.web.test_browser import drag
from twinset.review import Journal


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a report of ordinary clusters and one of closed sets."""
    folder = tmp_path_factory.mktemp("reports")
    twinset.find(COLLECTION, 0.6, exact=True).save(folder / "found")
    twinset.find(COLLECTION, 0.6, clusters="closed", k=40).save(folder / "closed")
    return folder


LOOKS = [(1280, "en-GB", "light"), (390, "ru-RU", "dark")]


@pytest.mark.parametrize(("width", "language", "scheme"), LOOKS)
def test_a_report_by_mouse_and_keys(
    browser: Browser,
    reports: Path,
    tmp_path: Path,
    width: int,
    language: str,
    scheme: str,
) -> None:
    report = reports / "found"
    (report / "decisions.jsonl").unlink(missing_ok=True)
    with serving(str(report), "--root", str(COLLECTION), home=tmp_path / "home") as (address, _):
        seen = visit(browser, address, width, language, scheme)
        page = seen.page
        seen.check()
        _drag_the_threshold(seen)
        page.goto(page.url.partition("?")[0])
        page.locator(".tabs a[href*='/clusters']").click()
        _search_the_table(seen)
        _open_a_cluster(seen)
        _compare(seen)
        _decide(seen, Journal(report))
        page.locator(".tabs a[href*='/export']").click()
        seen.check()
        with page.expect_download() as download:
            page.locator("a[href$='page.html']").click()
        sent = Path(download.value.path()).read_text(encoding="utf-8")
        assert "<h1>" in sent
        assert "<script" not in sent
        assert not re.search(r"""(?:src|href)=["']?https?:""", sent)


def _drag_the_threshold(seen: Visit) -> None:
    page = seen.page
    before = page.locator("#count-clusters").inner_text()
    with page.expect_response("**/report/*?t=*"):
        drag(page, 0.3, 0.9)
    expect(page.locator("#count-clusters")).not_to_have_text(before)
    assert page.locator(".bar.out").count() > 0
    value = float(page.locator("#threshold").input_value())
    with page.expect_response("**/report/*?t=*"):
        page.locator("#threshold").press("ArrowLeft")
    assert float(page.locator("#threshold").input_value()) < value
    seen.check()


def _search_the_table(seen: Visit) -> None:
    page = seen.page
    every = page.locator("tr a[data-row]").count()
    seen.check()
    page.keyboard.press("/")
    page.keyboard.type("apache")
    expect(page.locator("tr a[data-row]")).not_to_have_count(every)
    assert "q=apache" in page.url
    page.reload()
    assert page.locator("#q").input_value() == "apache"
    page.locator("#q").fill("")
    expect(page.locator("tr a[data-row]")).to_have_count(every)
    expect(page.locator(".excerpt").first).not_to_be_empty()
    page.locator("#q").blur()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")


def _open_a_cluster(seen: Visit) -> None:
    page = seen.page
    page.keyboard.press("Enter")
    page.wait_for_url("**/cluster/*")
    page.locator(".passages").wait_for()
    seen.check()


def _compare(seen: Visit) -> None:
    page = seen.page
    page.locator(".members a[data-row]").last.click()
    page.wait_for_url("**/pair?*")
    page.locator("#panes").wait_for()
    total = int(page.locator("#panes").get_attribute("data-total") or 0)
    if total:
        page.keyboard.press(".")
        expect(page.locator("#panes .now").first).to_be_in_viewport()
        page.keyboard.press(",")
        assert page.locator("#difference").inner_text() == "1"
    seen.check()
    page.keyboard.press("o")
    page.wait_for_url("**original=1*")
    page.keyboard.press("o")
    page.wait_for_url("**/pair?*")


def _decide(seen: Visit, journal: Journal) -> None:
    page = seen.page
    page.locator(".tabs a[href*='/decide']").click()
    page.wait_for_url("**/cluster/*")
    seen.check()
    for count, key in enumerate(("d", "n", "u"), 1):
        with page.expect_navigation():
            page.keyboard.press(key)
        assert len(journal.read()) == count
    with page.expect_navigation():
        page.keyboard.press("z")
    assert [d.verdict for d in journal.read().standing] == ["duplicate", "not"]
    page.reload()
    seen.check()


@pytest.mark.parametrize(
    ("width", "language", "scheme"), [LOOKS[0], pytest.param(*LOOKS[1], marks=pytest.mark.long)]
)
def test_the_lattice(
    browser: Browser,
    reports: Path,
    tmp_path: Path,
    width: int,
    language: str,
    scheme: str,
) -> None:
    report = reports / "closed"
    with serving(str(report), "--root", str(COLLECTION), home=tmp_path / "home") as (address, _):
        seen = visit(browser, address, width, language, scheme)
        seen.page.locator(".tabs a[href*='/clusters']").click()
        seen.page.locator("tr a[data-row]").first.click()
        seen.page.locator("svg.lattice").wait_for()
        seen.check()


@pytest.mark.parametrize(("width", "language", "scheme"), LOOKS)
def test_a_page_to_keep_fits_its_window(
    browser: Browser, tmp_path: Path, width: int, language: str, scheme: str
) -> None:
    sweep = {
        "sweep": {"shingle": [2, 3], "image": ["bottom:size=100"], "clusters": ["closed:k=40"]}
    }
    twinset.experiment(
        COLLECTION / "russian",
        sweep,
        truth=COLLECTION.parent / "truth.csv",
        folder=tmp_path / "out",
    )
    address = (tmp_path / "out" / "experiment.html").as_uri()
    seen = visit(browser, address, width, language, scheme)
    seen.check()
    cell = seen.page.locator("tbody td").first
    before = cell.bounding_box()
    rolled = cell.evaluate("cell => (cell.closest('.scroll').scrollLeft = 300)")
    assert rolled == 300
    assert cell.bounding_box() == before, "the first column stays"
