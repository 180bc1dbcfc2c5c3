"""Parts of notebooks in a real browser: they follow its theme, and nothing leaks out of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("playwright")

from playwright.sync_api import Browser, Page

import twinset
from tests.report.test_notebook import HOSTILE
from tests.web.browser import browsing
from twinset.lab.evaluate import evaluate

ROOT = Path(__file__).resolve().parents[2]
# As Jupyter does it: elements by name below a class, sizes and colours of its own.
HOST = """
body { margin: 12px; font: 13px serif; background: white; color: black; }
body[data-jp-theme-light="false"], body.vscode-dark { background: #111; color: white; }
.host p { margin: 17px; } .host dt { float: left; width: 20%; font-weight: bold; }
.host code { background: #eee; } .host blockquote { margin: 1em 2em; border-left: 5px solid red; }
.host ol:not(.inline) { padding-left: 2em; } .host td { text-align: right; }
"""
OUTSIDE = "<p>A <code>word</code> <del>gone</del></p><table><tr><td>1</td></tr></table>"
LIGHT, DARK = 160, 80


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with browsing() as opened:
        yield opened


@pytest.fixture(scope="module")
def parts() -> dict[str, str]:
    findings = twinset.dedup(str(ROOT / "examples" / "collection"))
    hostile = twinset.dedup(HOSTILE, threshold=0.3)
    return {
        "card": findings._repr_html_(),
        "pair": findings.show(
            "html/bridge-courier.html", "html/bridge-courier-update.html"
        )._repr_html_(),
        "plot": findings.plot.s_curve()._repr_html_(),
        "hostile": hostile._repr_html_() + hostile.show(0, 1)._repr_html_(),
        "evaluation": evaluate([("a", "b", 0.9)], [("a", "b")])._repr_html_(),
    }


def opened(browser: Browser, html: str, theme: str, width: int, scheme: Any = "light") -> Page:
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
    page = context.new_page()
    wrong: list[str] = []
    page.on("console", lambda message: wrong.append(message.text))
    page.on("dialog", lambda dialog: wrong.append(dialog.message))
    page.set_content(
        f"<!doctype html><html lang=en><title>t</title><style>{HOST}</style><body {theme}>"
        f"<main class=host><div id=outside>{OUTSIDE}</div>{html}</main>"
    )
    assert wrong == []
    return page


def brightness(page: Page, selector: str, name: str) -> float:
    colour = page.eval_on_selector(selector, f"e => getComputedStyle(e).{name}")
    red, green, blue = (float(part) for part in colour[colour.index("(") + 1 : -1].split(",")[:3])
    return 0.3 * red + 0.59 * green + 0.11 * blue


THEMES = {
    'data-jp-theme-light="false"': "light",  # the notebook decides, not the system
    'class="vscode-dark"': "light",
    "data-none": "dark",
}


@pytest.mark.parametrize("theme", THEMES)
def test_dark_notebooks_have_dark_parts(
    browser: Browser, parts: dict[str, str], theme: str
) -> None:
    page = opened(browser, "".join(parts.values()), theme, 700, THEMES[theme])
    for part in page.query_selector_all(".twinset"):
        part.evaluate("(e) => { e.id = 'this' }")
        assert brightness(page, "#this", "backgroundColor") < DARK
        assert brightness(page, "#this", "color") > LIGHT
        part.evaluate("(e) => { e.id = '' }")
    assert brightness(page, ".curve", "stroke") > DARK
    page.context.close()


def test_light_notebooks_have_light_parts(browser: Browser, parts: dict[str, str]) -> None:
    theme = 'data-jp-theme-light="true"'
    page = opened(browser, parts["card"] + parts["evaluation"], theme, 700, "dark")
    for selector in (".notebook", ".paper"):
        assert brightness(page, selector, "backgroundColor") > LIGHT
        assert brightness(page, selector, "color") < DARK
    assert page.eval_on_selector("dt", "e => getComputedStyle(e).float") == "none"
    page.context.close()


def test_nothing_leaks_out_and_nothing_is_too_wide(browser: Browser, parts: dict[str, str]) -> None:
    looks = """() => JSON.stringify([...document.querySelectorAll('body, #outside *')].map(e =>
        Array.from(getComputedStyle(e)).filter(n => !/height|origin|block-size/.test(n))
        .map(n => [n, getComputedStyle(e).getPropertyValue(n)])))"""
    alone = opened(browser, "", "data-none", 700)
    page = opened(browser, "".join(parts.values()), "data-none", 700)
    assert page.evaluate(looks) == alone.evaluate(looks)
    for width in (700, 360):
        page.set_viewport_size({"width": width, "height": 800})
        wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert page.evaluate(wide) <= 0
    for part in page.query_selector_all("details.fold, .members"):
        assert part.is_visible() or part.evaluate("e => !e.closest('details').open")
    alone.context.close()
    page.context.close()


@pytest.mark.parametrize(
    "theme",
    [
        pytest.param('data-jp-theme-light="true"', marks=pytest.mark.long),
        'data-jp-theme-light="false"',
    ],
)
def test_parts_can_be_read_by_everybody(
    browser: Browser, parts: dict[str, str], theme: str
) -> None:
    from axe_playwright_python.sync_playwright import Axe

    page = opened(browser, "".join(parts.values()), theme, 700)
    page.eval_on_selector_all(".twinset details", "all => all.forEach(e => e.open = true)")
    violations = Axe().run(page, context=".twinset").response["violations"]
    faults = [(v["id"], v["nodes"][0]["html"][:200]) for v in violations if v["impact"] != "minor"]
    assert faults == []
    page.context.close()
