"""Small documents that say little things very often: parts, cells, blanks, endless tags."""

from __future__ import annotations

import re

import pytest

from tests.reading.documents.test_hostile import outcome, with_part
from twinset.documents.base import SUFFIXES

LISTS = {
    "pptx": ("ppt/presentation.xml", rb"<p:sldId [^>]*/>"),
    "xlsx": ("xl/workbook.xml", rb"<sheet [^>]*/>"),
}


def whole(suffix: str) -> str:
    return outcome(SUFFIXES[f".{suffix}"], with_part(suffix, lambda part: part))


@pytest.mark.parametrize("suffix", LISTS)
def test_a_part_that_is_listed_again_is_read_once(suffix: str) -> None:
    part, listed = LISTS[suffix]

    def again(markup: bytes) -> bytes:
        return re.sub(listed, lambda match: match[0] * 50, markup, count=1)

    assert outcome(SUFFIXES[f".{suffix}"], with_part(suffix, again, part)) == whole(suffix)


def test_a_chapter_that_has_many_names_is_read_once() -> None:
    def again(markup: bytes) -> bytes:
        item = re.search(rb'<item href="sections[^>]*id="([^"]*)"[^>]*/>', markup)
        assert item is not None
        for number in range(20):
            other = item[0].replace(b'id="' + item[1], b'id="n%d' % number)
            markup = markup.replace(b"</manifest>", other + b"</manifest>")
            markup = markup.replace(b"</spine>", b'<itemref idref="n%d"/></spine>' % number)
        return markup

    assert outcome("epub", with_part("epub", again)) == whole("epub")
