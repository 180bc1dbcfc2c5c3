"""HTML keeps its structure: only text between tags changes, paragraphs are blocks."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.lab.generation.texts import page, relaxed
from twinset.lab.generation import Recipe
from twinset.lab.generation.romip import _FRAME, plain_text
from twinset.lab.generation.splitting import open_sheet
from twinset.text import words
from twinset.text.clean import html_to_text

TEXT_OPERATIONS = ["replace-words:50%", "replace-characters:100%,pairs=a>< e>&", "ocr-noise:30%"]
PARAGRAPH_OPERATIONS = [
    "reorder-paragraphs:60%",
    "delete-paragraphs:40%",
    "add-paragraphs:50%",
    "repeat-paragraphs:2,times=2",
    "delete-paragraphs:40%,by=sentence",
    "reorder-paragraphs:60%,by=sentence",
    "add-paragraphs:50%,by=sentence",
    "key-block:50%,blocks=2",
    "key-block:200%,by=sentence,choose=random",
    "boilerplate:50%",
    "truncate:40%",
    "truncate:40%,side=start",
]
OTHERS = ["A <foreign> paragraph & more.\n\nAnother."]
VOID = {"br", "hr", "img", "meta", "link", "input"}
IMPLIED = {"li", "dt", "dd"}  # the examples leave their end tags out


class Structure(HTMLParser):
    """The tags of a page, and whether they nest."""

    def __init__(self, source: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, str]] = []
        self.open: list[str] = []
        self.broken: list[str] = []
        self.feed(source)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, repr(attrs)))
        if tag not in VOID | IMPLIED:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        self.tags.append(("/" + tag, ""))
        if tag in IMPLIED:
            return
        if not self.open or self.open.pop() != tag:
            self.broken.append(tag)


def balanced(source: str) -> bool:
    found = Structure(source)
    return not found.broken and not found.open


@given(page(), st.sampled_from(TEXT_OPERATIONS), st.integers(0, 99))
@relaxed
def test_words_and_characters_change_between_tags_only(source: str, spec: str, seed: int) -> None:
    made = Recipe.parse([spec]).make(source, seed=seed, others=OTHERS)
    assert made.is_html
    assert made.text != source or not made.steps[0].changed["words"]
    assert Structure(made.text).tags == Structure(source).tags
    assert "<title>A title</title>" in made.text
    scripts = re.findall("<script>.*?</script>", source)
    assert re.findall("<script>.*?</script>", made.text) == scripts


@given(page(), st.sampled_from(PARAGRAPH_OPERATIONS), st.integers(0, 99))
@relaxed
def test_pages_stay_balanced_and_never_lose_foreign_mark_up(
    source: str, spec: str, seed: int
) -> None:
    assert balanced(source)
    made = Recipe.parse([spec]).make(source, seed=seed, others=OTHERS)
    assert balanced(made.text)
    assert made.text.startswith("<!doctype html><html><head><title>A title</title></head><body>")
    assert made.text.endswith("</body></html>")
    assert words([html_to_text(made.text)])[0]


@given(page(), st.integers(0, 100), st.integers(0, 99))
@relaxed
def test_shares_hold_in_pages(source: str, percent: int, seed: int) -> None:
    before = open_sheet(source, True).statistics
    gone = Recipe.parse([f"delete-paragraphs:{percent}%"]).make(source, seed=seed)
    wanted = min(int(before.paragraphs * percent / 100 + 0.5), before.paragraphs - 1)
    assert gone.sheet.statistics.paragraphs == before.paragraphs - wanted
    added = Recipe.parse([f"add-paragraphs:{percent}%"]).make(source, seed=seed, others=OTHERS)
    more = int(before.paragraphs * percent / 100 + 0.5)
    assert added.sheet.statistics.paragraphs == before.paragraphs + more
    moved = Recipe.parse([f"reorder-paragraphs:{percent}%"]).make(source, seed=seed)
    plain = [sorted(p.plain for p in sheet.paragraphs) for sheet in (moved.source, moved.sheet)]
    assert plain[0] == plain[1]
    cut = Recipe.parse([f"truncate:{percent}%"]).make(source, seed=seed)
    fewer = min(int(before.words * percent / 100 + 0.5), before.words - 1)
    assert cut.sheet.statistics.words == before.words - fewer


@given(page(), st.integers(0, 99))
@relaxed
def test_replaced_words_are_seen_on_the_page(source: str, seed: int) -> None:
    made = Recipe.parse(["replace-words:20%"]).make(source, seed=seed, others=["uno due tre"])
    before, after = words([html_to_text(source), html_to_text(made.text)])
    assert len(before) == len(after)
    differ = sum(a != b for a, b in zip(before, after, strict=True))
    assert differ == made.steps[0].changed["words"]


def plains(source: str) -> list[str]:
    return [paragraph.plain for paragraph in open_sheet(source, True).paragraphs]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("<p>One <b>two</b></p><p>three</p>", ["One two", "three"]),
        ("loose<p>in</p>after", ["loose", "in", "after"]),
        ("a<br>b<br><br>c", ["ab", "c"]),
        ("<p>x &lt; y &amp; z</p>", ["x < y & z"]),
        ("<b><p>one</p><p>two</p></b>", ["one", "two"]),
        ("<p>one <i>two<p>three</i> four", ["one", "two", "three", "four"]),
        ("<p title='a>b'>text</p>", ["text"]),
        ("<p>5 < 6 and <", ["5 < 6 and <"]),
        ("<head><title>no</title></head><p>yes</p>", ["yes"]),
        ("<p>seen<script>not()</script></p><style>no</style><!-- no -->", ["seen"]),
        ('<p>open <a href="never closed', ["open"]),
        ("<p></p><td>&nbsp;</td>", []),
    ],
)
def test_paragraphs_of_pages(source: str, expected: list[str]) -> None:
    assert plains(source) == expected


def test_a_paragraph_goes_with_its_tags_and_a_cell_stays() -> None:
    sheet = open_sheet("<p id=a>one</p><td>two</td><li>three", True)
    assert sheet.without([0]) == "<td>two</td><li>three"
    assert sheet.without([1, 2]) == "<p id=a>one</p><td></td><li>"


def test_tags_stay_where_they_part_loose_text() -> None:
    sheet = open_sheet("<div>loose <p>one</p><p>two</p> end</div><p>three</p>", True)
    assert sheet.without([1, 2]) == "<div>loose <p></p><p></p> end</div><p>three</p>"
    assert sheet.without([4]) == "<div>loose <p>one</p><p>two</p> end</div>"


def test_a_new_paragraph_is_a_block_of_the_right_kind_and_no_mark_up() -> None:
    sheet = open_sheet("<ul><li>one</li></ul><td>two</td>", True)
    assert sheet.with_new([(1, "<new>")]) == (
        "<ul><li>one</li>\n<li>&lt;new&gt;</li></ul><td>two</td>"
    )
    assert sheet.with_new([(2, "new")]) == "<ul><li>one</li></ul><td>two<br><br>new</td>"
    assert sheet.with_new([(0, "new")]).startswith("<p>new</p>\n<ul>")


def test_hostile_mark_up_takes_no_time() -> None:
    for source in (
        "<a " * 50_000,
        "<a b='" * 50_000,
        "<!--" * 50_000,
        "<br>" * 50_000,
        "<" * 99_999,
    ):
        assert open_sheet("<p>words</p>" + source, True).paragraphs[0].plain == "words"


def test_a_page_that_seems_to_be_framed_again_and_again() -> None:
    before, between, behind = _FRAME.split("{}")
    assert plain_text(f"{before}utf-8{between}a &amp; b{behind}") == "a & b"
    assert plain_text(f"{before}{between * 50_000}a{behind}") == "a"
    for other in (f"{before}{between * 50_000}a", f"{before}{behind}", f"{between}{behind}"):
        assert plain_text(other) == other
