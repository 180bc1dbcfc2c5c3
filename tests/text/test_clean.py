"""Pages to text: main text with fallbacks, wrappers, and what hides text from parsers."""

from __future__ import annotations

import html
import unicodedata

import pytest
from benchmarks.judging.websites import WRAPPERS, made_articles, made_pages
from hypothesis import given
from hypothesis import strategies as st
from tests.kernels.examples import examples

from twinset.text.characters import MOST_MARKS, composed, unescaped
from twinset.text.clean import MAX_DEPTH, clean_page, has_words, html_to_text, strip_tags, too_deep
from twinset.text.pages import is_page

PROSE = "Some words of an article that stand between the menus of its site. " * 8
PAGE = (
    "<html><head><title>Title</title></head><body><nav>Home News</nav><div class=site-menu>Sport"
    "</div><div id=x><h1>Heading</h1><p>{}</p></div><footer>All rights reserved</footer></body>"
)


def test_the_main_text_is_without_navigation() -> None:
    page = clean_page(PAGE.format(PROSE))
    assert page.outcome == "html_main"
    assert page.text.split() == ["Heading", *PROSE.split()]
    whole = clean_page(PAGE.format(PROSE), whole=True)
    assert whole.outcome == "html_whole"
    assert {"Home", "Sport", "reserved"} < set(whole.text.split())


def test_only_the_main_element_is_taken_where_there_is_one() -> None:
    page = f"<body><div>Offers of the day</div><main><p>{PROSE}</p></main><p>Imprint</p></body>"
    assert clean_page(page).text.split() == PROSE.split()
    several = f"<body><div>Offers</div><article>{PROSE}</article><article>{PROSE}</article></body>"
    assert "Offers" in clean_page(several).text


@pytest.mark.parametrize(
    "page",
    [
        f"<body><nav>{PROSE}</nav></body>",
        f"<body><nav>{PROSE}</nav><p>.</p></body>",
        f"<body><main>Loading</main><div class=menu>{PROSE * 9}</div></body>",
        f"<body><div class='page with-sidebar'>{PROSE}</div></body>",
    ],
)
def test_a_tiny_main_text_gives_way_to_the_whole_page(page: str) -> None:
    assert PROSE.split() == [word for word in clean_page(page).text.split() if word in PROSE][:104]


@pytest.mark.parametrize(
    "page",
    [
        f"<html><body><p>one</p><!-- never closed <p>{PROSE}",
        f"<html><head><title>never closed <body><p>{PROSE}</p></body></html>",
        f"<html><body><textarea>{PROSE}</body></html>",
        f"<html><frameset><noframes>{PROSE}</noframes></frameset></html>",
        f"<html><body><form><div>{PROSE}</div></form></body></html>",
        f"<html><body style='display:none'><p>{PROSE}</p></body></html>",
        "<html><body>" + "<div>" * (MAX_DEPTH + 5) + PROSE,
    ],
)
def test_a_page_with_text_is_never_empty(page: str) -> None:
    cleaned = clean_page(page)
    assert cleaned.outcome != "html_empty"
    assert has_words(cleaned.text)


def test_a_page_of_scripts_is_empty() -> None:
    page = "<html><head><title>x</title></head><body><script>" + "var a = 1;" * 900 + "</script>"
    assert clean_page(page) == ("", "html_empty")


@examples(50)
@given(st.sampled_from(WRAPPERS), st.integers(1, 99))
def test_a_wrapper_changes_nothing(wrapper: str, seed: int) -> None:
    from benchmarks.judging.websites import wrapped

    page = next(
        page for page in made_pages(made_articles(4, seed), seed, 3) if page.wrapper == "none"
    ).html
    stored = wrapped(page, wrapper, "site/1")
    assert is_page(stored)
    assert clean_page(stored).text.split() == clean_page(page).text.split()


def test_text_before_a_page_stays_unless_a_tool_wrote_it() -> None:
    page = PAGE.format(PROSE)
    assert clean_page(f"Dear reader,\nplease see below.\n{page}").text.startswith("Dear reader")
    assert clean_page(f"URL: https://example.org\n\n{page}").text.startswith("Heading")


@examples(100)
@given(st.text(max_size=300), st.text(alphabet="<>/!-abdiv p=\"'", max_size=300))
def test_anything_can_be_cleaned(text: str, tags: str) -> None:
    for page in (text + tags, f"<p>{tags}{text}", f"{tags}<html>{text}"):
        cleaned = clean_page(page)
        assert has_words(cleaned.text) is (cleaned.outcome != "html_empty")
        if has_words(html_to_text(page)) and "<html" not in page:
            assert cleaned.outcome != "html_empty"


@pytest.mark.parametrize("opened", ["<script>", "<title>", "<noscript>", "<!--"])
def test_what_is_opened_often_and_never_closed(opened: str) -> None:
    page = f"<!doctype html>words{opened * 200_000}"
    assert "words" in strip_tags(page)
    assert clean_page(page).text.startswith("words")


def test_what_is_closed_is_cut_out_whatever_is_opened_around_it() -> None:
    assert strip_tags("<style>a<SCRIPT>b</script >c") == ""
    assert strip_tags("<title>a<script>b</script >c<title>d</title>e") == "e"
    assert strip_tags("a<!--<script>-->b</script><!-->c--><noscript>d") == "a b d"
    assert strip_tags("a<![CDATA[b<!--c]]>") == "a b<!--c"


def test_a_name_of_a_tag_without_end() -> None:
    assert not too_deep("<a>" * MAX_DEPTH + "<" + "a" * 1_000_000)
    assert too_deep("<a>" * MAX_DEPTH + "<" + "a" * 1_000_000 + ">")


@examples(100)
@given(st.lists(st.sampled_from(["&#", "&#x", "0" * 99, "9" * 99, "65", "1", ";", "é", "&amp"])))
def test_references_are_decoded_as_python_does(parts: list[str]) -> None:
    assert unescaped("".join(parts)) == html.unescape("".join(parts))


def test_a_reference_of_more_digits_than_python_reads() -> None:
    assert unescaped(f"a&#{'1' * 100_000};b&#{'0' * 100_000}65;c") == "a\ufffdbAc"


@examples(100)
@given(st.text(st.sampled_from("aé漢ｶﾞﾟ─ﬁ \u0301\u0316\u0f73\u1161\u1100"), max_size=300))
def test_texts_are_composed_as_python_does(text: str) -> None:
    for piece in (text, text + "─" * MOST_MARKS):
        assert composed(piece, "NFKC") == unicodedata.normalize("NFKC", piece)
        assert composed(piece) == unicodedata.normalize("NFC", piece)


def test_a_letter_with_a_million_marks() -> None:
    text = composed("e\u0301\u0316" + "\u0301\u0316" * 500_000)
    assert text.startswith("é\u0316\u0316")
    assert len(text) == 1_000_002
