"""Small documents that say little things very often: parts, cells, blanks, endless tags."""

from __future__ import annotations

import io
import re
import zipfile

import pytest

from tests.reading.documents.make_samples import SAMPLES
from tests.reading.documents.test_hostile import MARKUP, outcome, with_part
from twinset.reading.office import base, cells
from twinset.reading.office.table import SUFFIXES

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


@pytest.mark.parametrize("suffix", MARKUP)
@pytest.mark.parametrize("kind", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_no_kind_of_packing_that_unpacks_without_bound(suffix: str, kind: int) -> None:
    source = next(path for path in SAMPLES.iterdir() if path.suffix == f".{suffix}")
    out = io.BytesIO()
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(out, "w", kind) as new:
        for name in old.namelist():
            new.writestr(name, old.read(name))
    assert "packed in a way that is not read" in outcome(SUFFIXES[f".{suffix}"], out.getvalue())


@pytest.mark.parametrize("repeated", ["rows", "columns"])
def test_a_long_cell_that_repeats(monkeypatch: pytest.MonkeyPatch, repeated: str) -> None:
    monkeypatch.setattr(cells, "MOST_CHARACTERS", 100_000)
    count = f'table:number-{repeated}-repeated="999"'
    row, cell = (count, "") if repeated == "rows" else ("", count)
    filled = (
        f'<table:table-row {row}><table:table-cell {cell} office:value-type="string">'
        f"<text:p>{'word ' * 50}</text:p></table:table-cell></table:table-row>"
    )

    def fill(markup: bytes) -> bytes:
        return markup.replace(b"<table:table-row", filled.encode() + b"<table:table-row", 1)

    assert outcome("odf", with_part("ods", fill)) == "the text is longer than 100,000 characters"


def test_blanks_that_are_asked_for_by_their_number() -> None:
    asked = b'<text:s text:c="999999999"/>'
    raw = with_part("odt", lambda part: part.replace(b"</text:p>", asked + b"</text:p>"))
    longest = max(map(len, re.findall(" +", outcome("odf", raw))))
    assert longest == 100


@pytest.mark.parametrize("suffix", MARKUP)
@pytest.mark.parametrize("tag", ["<!--{}-->", "<?a {}?>", '<a b="{}"/>'])
def test_a_tag_without_end(suffix: str, tag: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "LONGEST_TAG", 300_000)
    raw = with_part(suffix, lambda _: f"<c>{tag.format('x' * 900_000)}</c>".encode())
    detail = "a tag of the document is longer than 300,000 bytes"
    assert outcome(SUFFIXES[f".{suffix}"], raw) == detail
