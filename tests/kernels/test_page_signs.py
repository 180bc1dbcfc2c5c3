"""Which texts may be pages: all that are, by the patterns that decide, and few others."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from text_strategies import pack, relaxed

from twinset.text import pages
from twinset.text.pages import is_marked_up, is_page

TAGS = ("<p>", "</p>", "<b>", "</b>", "<br/>", "</span >", '<a href="x">', "</A>", "<\u017fpan>")
OTHERS = ("<my:own>", "</int>", "< p>", "<3", "<stdio.h>", "<p\\>", "`<p>", "a < b > c", "<", ">")
BEGINNINGS = ("<!DOCTYPE html>", "<html lang=en>", "<head>", "<body>", "<?xml?>", "<!-- a -->")
CODE = ("<script>", "</script>", "<STYLE>", "</style>", "<\u017fcript>", "if (a < b) f();")
SPACES = (" ", "\n", "\t", "\ufeff", "\xa0", "\u3000", "\x0c", "\x1c", "\u2028")
WORDS = ("word", "a line of text\n", "слово ", "漢字", "\U0001f600", "Name: value\n", "{}\n")
pieces = st.sampled_from(TAGS + OTHERS + BEGINNINGS + CODE + SPACES + WORDS)
texts = st.builds(
    lambda before, many, times, after: "".join(before + many * times + after),
    st.lists(pieces, max_size=12),
    st.lists(pieces, max_size=8),
    st.sampled_from([0, 1, 3, 50, 3000]),
    st.lists(pieces, max_size=12),
)


def may_be_pages(texts: list[str]) -> list[bool]:
    raw = [text.encode() for text in texts]
    return pages.may_be_pages(*pack(raw, b"<p>", b"/p></p>")).tolist()


@relaxed
@given(st.lists(texts, max_size=4))
@example(["word " + "<p>a</p>" * 3])  # the first tag stands too late: no page, and maybe none
@example(["w" + "<p>abc</p>" * 40])
@example(["слово" * 4000 + "<b>a</b>" * 20_000])
@example(["<script>" + "x" * 40_000 + "</script><p>a</p>"])
@example(['<body onload="a\\b"> and a paragraph <p>'])
@example(["<" + "<script </script>p>" * 2])
@example(["w<script>" + "x" * 12_000 + "</script>" + "<b>a</b>" * 8])
def test_no_page_is_missed(texts: list[str]) -> None:
    for text, may_be in zip(texts, may_be_pages(texts), strict=True):
        assert may_be or not (is_page(text) or is_marked_up(text))


PLAIN = [
    "",
    "<networking> Rules that say which way {packets} take: 3 < 4 and 5 > 4.",
    "<data, data processing> The <result> of a <process>, see <also>, <data> or </data>",
    " <op> denotes a check with options, <" + "and so on " * 50,
    "a < b and c > d " * 20,
    "#include <stdio.h>\n#include <stdlib.h>\n" * 20,
    "To close an element write </p>, and </b> where it is bold. " + "And so on. " * 50,
    "In the text before the first tag there is much. " * 9 + "<p>one</p>" * 4,
    "List<int> a = </int>"
    + "vector<string> of </string>, words and more of them, and so on to the end of all " * 100,
]


@pytest.mark.parametrize("text", PLAIN)
def test_texts_about_tags_are_none(text: str) -> None:
    assert may_be_pages([text]) == [False]
