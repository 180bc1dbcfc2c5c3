"""Lines that sites repeat, against the definition in plain Python."""

from __future__ import annotations

import re
from collections import Counter, defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.kernels.examples import examples

from twinset.text.page_lines import keyed_lines
from twinset.text.repeated import (
    LEAST_ARTICLES,
    LEAST_OWN,
    LEAST_SHARE,
    RANKS,
    ROUNDS,
    LineCounter,
    RepeatedLines,
    RepeatedTally,
)

MENU = ["Home", "News of the day", "Page 3 of 7"]


def article(number: int) -> list[str]:
    """Lines that no other number has, longer than those of the menu."""
    names = "abcdefghijklmnopqrstuvwxyz"
    word = names[number // 26 % 26] + names[number % 26]
    return [f"article {word} says {word} {'again and ' * 9}more", f"and {word} ends here for good"]


def page(*lines: str) -> str:
    return "\n".join(lines)


def repeated_by_definition(pages: list[str]) -> set[str]:
    """The folded lines that are dropped: sets and loops, as the docstring of the module says."""
    lengths = [
        [(_fold(line), len(line.strip())) for line in text.split("\n") if line.strip()]
        for text in pages
    ]
    order, sizes_of = [], []
    for measured in lengths:
        first: dict[str, int] = {}
        for line, length in measured:
            first.setdefault(line, length)
        sizes_of.append(first)
        order.append(sorted(first, key=lambda line: (-first[line], _keys(line))))
    having = defaultdict(list)
    for number, lines in enumerate(order):
        for line in lines:
            having[line].append(number)
    of_site = _passed_over(order) | _around_own_text(order, lengths, having)
    many: set[str] = set()
    for _ in range(ROUNDS):
        own = []
        for lines, sizes in zip(order, sizes_of, strict=True):
            others = [line for line in lines if line not in of_site] or lines[:1]
            own.append([line for line in others if 2 * sizes[line] >= sizes[others[0]]])
        many = set()
        for line, numbers in having.items():
            agreeing = 0
            for rank in range(RANKS):
                there = Counter(own[n][min(rank, len(own[n]) - 1)] for n in numbers)
                agreeing += sum(count * count for count in there.values())
            if (
                len(numbers) >= LEAST_ARTICLES
                and RANKS * len(numbers) ** 2 >= LEAST_ARTICLES * agreeing
            ):
                many.add(line)
        if many <= of_site:
            break
        of_site |= many
    held = [sum(size for line, size in lines if line in many) for lines in lengths]
    whole = [sum(size for _, size in lines) for lines in lengths]
    least, of = LEAST_SHARE
    return {
        line
        for line in many
        if of * sum(held[n] for n in having[line]) >= least * sum(whole[n] for n in having[line])
    }


def _passed_over(order: list[list[str]]) -> set[str]:
    at, passed = [0] * len(order), set()
    for _ in range(ROUNDS):
        following = defaultdict(set)
        for place, lines in zip(at, order, strict=True):
            if place < len(lines):
                following[lines[place]].add(lines[place + 1] if place + 1 < len(lines) else "")
        for number, lines in enumerate(order):
            if at[number] < len(lines) and len(following[lines[at[number]]]) >= LEAST_ARTICLES:
                passed.add(lines[at[number]])
                at[number] += 1
    return passed


def _around_own_text(
    order: list[list[str]], lengths: list[list[tuple[str, int]]], having: dict[str, list[int]]
) -> set[str]:
    rare = {line for line, numbers in having.items() if len(numbers) < LEAST_ARTICLES}
    own = [sum(size for line, size in lines if line in rare) for lines in lengths]
    whole = [sum(size for _, size in lines) for lines in lengths]
    longest = [next((line for line in lines if line in rare), lines[0]) for lines in order]
    around = set()
    for line in having.keys() - rare:
        pages = [n for n in having[line] if LEAST_OWN[1] * own[n] >= LEAST_OWN[0] * whole[n]]
        agreeing = sum(count**2 for count in Counter(longest[n] for n in pages).values())
        most = 2 * len(pages) >= len(having[line])
        if pages and most and len(pages) ** 2 >= LEAST_ARTICLES * agreeing:
            around.add(line)
    return around


def _fold(line: str) -> str:
    return " ".join(re.sub(r"\d+", "0", line.lower()).split())


def _keys(line: str) -> int:
    return next(iter(keyed_lines(line)))[0]


def lines_of(pages: list[str], most: int = 1 << 20) -> RepeatedLines:
    counter = LineCounter(most)
    for text in pages:
        counter.add(text)
    return counter.repeated()


def test_a_menu_goes_and_the_articles_stay() -> None:
    pages = [page(*MENU, *article(number)) for number in range(LEAST_ARTICLES)]
    trimmed = [lines_of(pages).trimmed(text) for text in pages]
    assert [text.text for text in trimmed] == [page("3 7", *article(n)) for n in range(10)]
    assert lines_of(pages[1:]).articles == {}  # one article less is not enough


def test_a_text_that_was_reprinted_with_edits_is_no_menu() -> None:
    long = [
        f"paragraph {word} of a text printed often {'on and on ' * n}"
        for n, word in enumerate("abcdefgh")
    ]
    cut = [[*long[: 4 + number % 5], f"site {chr(97 + number)} has it"] for number in range(26)]
    assert lines_of([page(*lines) for lines in cut]).articles == {}


def test_notices_may_be_longer_than_the_lines_of_articles() -> None:
    notices = [f"notice {word} {'of the house ' * 30}" for word in ("one", "two", "three")]
    pages = [page(*notices, *article(n), *article(n + 60)) for n in range(20)]
    assert lines_of(pages).trimmed(pages[4]).text == page(*article(4), *article(64))


def test_one_article_in_many_copies_counts_once() -> None:
    pages = [page(*MENU, *article(number)) for number in range(9)] * 5
    assert lines_of(pages).articles == {}


def test_numbers_in_repeated_lines_stay() -> None:
    pages = [page(f"Invoice {n} of {n + 7} pages in all", *article(n)) for n in range(12)]
    assert lines_of(pages).trimmed(pages[3]).text == page("3 10", *article(3))


def test_a_page_of_a_menu_alone_keeps_it() -> None:
    pages = [page(*MENU, *article(number)) for number in range(12)]
    alone = page(*MENU)
    trimmed = lines_of([*pages, alone]).trimmed(alone)
    assert (trimmed.text, trimmed.dropped, trimmed.is_left) == (alone, [], True)


def test_pages_without_words_repeat_nothing() -> None:
    assert lines_of(["", "\n \n"] * LEAST_ARTICLES).articles == {}


def test_a_heading_of_long_pages_stays() -> None:
    pages = [
        page("See also", *article(n), *(f"{line} too" for line in article(n) * 5))
        for n in range(12)
    ]
    assert lines_of(pages).articles == {}


@examples(60)
@given(
    st.lists(
        st.lists(
            st.sampled_from(["a", "bb", "c 1", "c 2", "dddd", "e e e e e", "", "f" * 30]),
            max_size=6,
        ),
        min_size=10,
        max_size=40,
    ),
    st.integers(1, 40),
)
def test_the_lines_are_those_of_the_definition(menus: list[list[str]], articles: int) -> None:
    pages = [page(*lines, *article(n % articles)[n % 2 :]) for n, lines in enumerate(menus)]
    expected = {_keys(line) for line in repeated_by_definition(pages)}
    assert lines_of(pages).articles.keys() == expected


def test_the_order_of_pages_does_not_matter_even_in_a_sample() -> None:
    pages = [page(*MENU, *article(number)) for number in range(400)]
    both = lines_of(pages, 500), lines_of(pages[::-1], 500)
    assert both[0] == both[1]
    assert len(both[0].articles) == 3
    assert max(both[0].articles.values()) < 400


def test_the_table_shows_the_lines_and_gives_them_back() -> None:
    pages = [page(*MENU, *article(number)) for number in range(20)]
    lines, tally = lines_of(pages), RepeatedTally()
    for text in pages:
        tally.add(lines.trimmed(text))
    table = tally.table(lines)
    assert table.select(["line", "pages", "articles"]).to_pylist() == [
        {"line": line, "pages": 20, "articles": 20} for line in MENU
    ]
    assert RepeatedLines.of_table(table) == lines
    assert RepeatedLines.of_table(None).trimmed(pages[0]).text is pages[0]


@pytest.mark.parametrize("odd", ["\ud800 menu", "İ", "a\u2028b", "\r"])
def test_odd_characters_do_no_harm(odd: str) -> None:
    pages = [page(odd, *article(number)) for number in range(12)]
    assert article(0)[0] in lines_of(pages).trimmed(pages[0]).text
