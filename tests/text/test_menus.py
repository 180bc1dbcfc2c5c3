"""Menus of pages: which lines are told, and pages with few words of their own below them."""

from __future__ import annotations

import pytest

import twinset
from twinset.text.clean import clean_page
from twinset.text.page_lines import LEAST_LINKS, with_links_marked, with_menus_told
from twinset.text.repeated import LEAST_ARTICLES, LineCounter

NAMES = [f"{first}{second}" for first in "bdfgk" for second in ("ale", "elt", "ist", "orn", "usk")]
LONG_MENU = [f"{first} {second}" for first in NAMES for second in NAMES[:6]]
NOTICES = [f"The {word} of this house {'may change at any time, and ' * 8}so on." for word in NAMES]


def links(names: list[str], between: str = "<br>") -> str:
    return between.join(f'<a href="/{name}">{name}</a>' for name in names)


def page(own: str, menu: str, *notices: str) -> str:
    below = "".join(f"<div>{notice}</div>" for notice in notices)
    return f"<!DOCTYPE html><html><body><div>{menu}</div><div>{own}</div>{below}</body></html>"


def menu_of(html: str) -> list[str]:
    """The lines of the page that are told to be of a menu."""
    return [line.strip() for line in clean_page(html).text.split("\n") if line.endswith("\t")]


@pytest.mark.parametrize("between", ["<br>", "</div><div>", "\n<p>", "<br>\n<hr>\n"])
def test_links_on_lines_of_their_own_are_a_menu(between: str) -> None:
    assert menu_of(page("A text.", links(NAMES, between))) == NAMES
    assert menu_of(page("A text.", links(NAMES[: LEAST_LINKS - 1], between))) == []


def test_links_on_one_line_are_a_menu() -> None:
    assert menu_of(page("A text.", links(NAMES, " | "))) == [" | ".join(NAMES)]


def test_a_link_may_go_over_several_lines() -> None:
    menu = "".join(f'<a href="/{name}"><div>{name}</div><div>more</div></a>' for name in NAMES)
    assert menu_of(page("A text.", menu)) == [line for name in NAMES for line in (name, "more")]


def test_links_among_words_are_no_menu() -> None:
    assert menu_of(page("A text.", links(NAMES, " and "))) == []
    assert menu_of(page("A text.", "<p>See " + links(NAMES, "<p>See "))) == []


def test_the_whole_text_tells_no_menus() -> None:
    assert "\t" not in clean_page(page("A text.", links(NAMES)), whole=True).text


def test_marks_leave_nothing_behind() -> None:
    text = (
        "\ufdd0 an \ufdd1 odd <A>text</A> with <abbr>marks</abbr> \ufdd1\nand <a>an open link\nends"
    )
    plain = with_menus_told(with_links_marked(text))
    assert plain == " an  odd <A>text</A> with <abbr>marks</abbr> \nand <a>an open link\nends"


@pytest.mark.parametrize("between", ["<br>", " | "])
@pytest.mark.parametrize("notices", [0, 1, 4])
def test_pages_of_a_few_words_below_a_long_menu_stay(between: str, notices: int) -> None:
    menu = links(LONG_MENU, between)
    pages = {name: page(f"Only {name} here", menu, *NOTICES[:notices]) for name in NAMES}
    pages["twin"] = page(
        f"Only {NAMES[3]} here", menu.replace('"/', '"/?session=4'), *NOTICES[:notices]
    )
    for preset in ("training", "text"):
        assert list(twinset.dedup(pages, preset=preset).removed) == ["twin"], preset


def test_a_text_below_the_menus_of_many_sites_is_one_text() -> None:
    """Every site has pages enough for its menu to be known; each prints the same text once."""
    text = "".join(f"<p>{notice}</p>" for notice in NOTICES[:6])
    counter, reprints = LineCounter(), []
    for site in NAMES[:12]:
        menu = links(["Home", *(f"{site} {name}" for name in LONG_MENU)])
        reprints.append(clean_page(page(f"{text}<p>Read by {site}", menu)).text)
        others = [page(f"Only {name} of {site} here", menu) for name in NAMES[:LEAST_ARTICLES]]
        for other in (reprints[-1], *(clean_page(other).text for other in others)):
            counter.add(other)
    lines = counter.repeated()
    for site, reprint in zip(NAMES, reprints, strict=False):
        left = [line for line in lines.trimmed(reprint).text.split("\n") if line]
        assert left == [*NOTICES[:6], f"Read by {site}"]


@pytest.mark.parametrize("others", [0, 40])
def test_pages_that_differ_by_words_of_many_pages_stay(others: int) -> None:
    """Every town with every trade: no word of such a page is its own, only that both are there."""
    menu = links(LONG_MENU)
    pages = {
        f"{town}/{trade}": page(
            f"<p>In {town}</p><p>{trade} works and repairs</p>", menu, *NOTICES[:2]
        )
        for town in NAMES[:12]
        for trade in NAMES[12:24]
    }
    for number in range(others):
        own = f"{NAMES[number % 25]} with {NAMES[number * 7 % 24]}"
        pages[f"{number}"] = page(f"<p>{own}</p><p>In {NAMES[number % 12]}</p>", menu, *NOTICES[:2])
    assert list(twinset.dedup(pages).removed) == []


def test_versions_of_a_page_are_no_site() -> None:
    """The text is on pages in all languages, and so are the links to the page before and behind."""
    text = "".join(f"<p>{notice}</p>" for notice in NOTICES[:2])
    counter, versions = LineCounter(), []
    for language in NAMES[:14]:
        menu = links([f"{language} contents", *("Before: a chapter", "Behind: a chapter") * 3])
        versions.append(clean_page(page(f"<h1>{language} heading</h1>{text}", menu)).text)
        counter.add(versions[-1])
    assert all(NOTICES[0] in counter.repeated().trimmed(version).text for version in versions)
