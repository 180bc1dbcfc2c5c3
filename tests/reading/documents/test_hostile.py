"""Damaged and malicious documents: a text or a fault with a sentence, soon, and nothing else."""

from __future__ import annotations

import gzip
import io
import random
import struct
import time
import zipfile
from collections.abc import Callable

import pytest

from tests.reading.documents.make_samples import SAMPLES, WRITTEN
from twinset.documents.base import (
    FORMATS,
    NOTATIONS,
    NOTED,
    SUFFIXES,
    OfficeError,
    document_text,
    plain_text,
)
from twinset.documents.epub import _MARK, _without_note_mark
from twinset.documents.recognise import recognise
from twinset.reading.faults import REMEDIES

LIMIT = 1 << 26
NAMES = sorted(
    path.name for path in SAMPLES.iterdir() if path.suffix not in (".txt", ".html", *WRITTEN)
)


def sample(name: str) -> tuple[str, bytes]:
    path = SAMPLES / name
    if path.suffix == ".gz":
        return SUFFIXES[path.with_suffix("").suffix], gzip.decompress(path.read_bytes())
    return {**SUFFIXES, **NOTED}[path.suffix], path.read_bytes()


def outcome(format: str, raw: bytes) -> str:
    """The text, or the sentence of the fault."""
    if format in NOTATIONS:
        return plain_text(format, raw.decode("utf-8", "replace"))
    recognise(raw)
    kind = "missing"
    try:
        text = document_text(format, raw, LIMIT).text
    except OfficeError as fault:
        kind, text = fault.kind, str(fault)
        assert " " in text
    assert kind in REMEDIES
    text.encode("utf-8")
    return text


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.filterwarnings("ignore")
def test_cut_short_anywhere(name: str) -> None:
    format, raw = sample(name)
    for share in range(12):
        outcome(format, raw[: len(raw) * share // 12])


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.filterwarnings("ignore")
def test_with_bytes_changed(name: str) -> None:
    rng = random.Random(name)
    format, raw = sample(name)
    if format in ("ppt", "doc"):  # most of their bytes are fonts and styles
        turns, places = 40, [*range(512), *(rng.randrange(len(raw)) for _ in range(4_000))]
    else:
        turns, places = 15, list(range(len(raw)))
    for _ in range(turns):
        changed = bytearray(raw)
        for _ in range(rng.choice((1, 4, 40))):
            changed[rng.choice(places)] = rng.choice((0, 1, 0x7F, 0xFF, rng.randrange(256)))
        outcome(format, bytes(changed))


MARKUP = ("docx", "odt", "odp", "pptx", "epub")
SHEETS = ("ods", "xlsx")
CHANGED_PART = {
    "docx": "word/document.xml",
    "odt": "content.xml",
    "ods": "content.xml",
    "odp": "content.xml",
    "xlsx": "xl/worksheets/sheet1.xml",
    "pptx": "ppt/slides/slide1.xml",
    "epub": "OEBPS/content.opf",
}


def with_part(suffix: str, change: Callable[[bytes], bytes], part: str | None = None) -> bytes:
    """A sample with one of the files inside changed, and packed soundly again."""
    source = next(path for path in SAMPLES.iterdir() if path.suffix == f".{suffix}")
    out = io.BytesIO()
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            content = old.read(name)
            new.writestr(
                name, change(content) if name == (part or CHANGED_PART[suffix]) else content
            )
    return out.getvalue()


@pytest.mark.parametrize("suffix", MARKUP)
def test_changed_mark_up_behind_a_sound_checksum(suffix: str) -> None:
    rng = random.Random(suffix)

    def change(markup: bytes) -> bytes:
        begin = rng.randrange(len(markup))
        return markup[:begin] + markup[begin + rng.randrange(60) :]

    for _ in range(15):
        outcome(SUFFIXES[f".{suffix}"], with_part(suffix, change))


@pytest.mark.parametrize("suffix", MARKUP)
def test_a_text_beyond_the_limit(suffix: str) -> None:
    with pytest.raises(OfficeError, match="the text is longer than 10 characters"):
        document_text(SUFFIXES[f".{suffix}"], with_part(suffix, bytes), 10)


def test_a_document_that_unpacks_to_many_times_its_size() -> None:
    raw = with_part("docx", lambda markup: markup + b" " * (700 << 20))
    assert len(raw) < 1_000_000
    assert "seconds of computing or too much memory" in outcome("docx", raw)


@pytest.mark.parametrize("suffix", [*MARKUP, *SHEETS])
def test_documents_made_to_take_long_or_much_are_given_up_soon(suffix: str) -> None:
    """Whatever they hold: a text or a fault, and the next document is read."""
    begun = time.monotonic()
    for part in (
        b"<a>" * 1_000_000,
        b'<!DOCTYPE a [<!ENTITY b "%s">%s]><a>&c7;</a>'
        % (
            b"b" * 1000,
            b"".join(
                b'<!ENTITY c%d "%s">' % (n, (b"&c%d;" % (n - 1) if n else b"&b;") * 10)
                for n in range(8)
            ),
        ),
        b"<a " + b"x" * 20_000_000,
    ):
        outcome(SUFFIXES[f".{suffix}"], with_part(suffix, lambda _, part=part: part))  # type: ignore[misc]
    assert time.monotonic() - begun < 60
    assert "Month" in outcome("sheet", sample("rents.xlsx")[1])


@pytest.mark.parametrize("suffix", SHEETS)
def test_cells_that_repeat_without_end(suffix: str) -> None:
    def repeat(markup: bytes) -> bytes:
        return (
            markup.replace(b"columns-repeated=", b"rows-repeated=")
            .replace(
                b"<table:table-row", b'<table:table-row table:number-rows-repeated="999999999"'
            )
            .replace(b'r="A1"', b'r="XFD1048576"')
        )

    begun = time.monotonic()
    outcome("sheet", with_part(suffix, repeat))
    assert time.monotonic() - begun < 30


def test_chains_of_sectors_that_run_in_a_circle() -> None:
    _, raw = sample("lease.doc")
    (table,) = struct.unpack_from("<I", raw, 76)
    circle = bytearray(raw)
    begin = (table + 1) * 512
    for sector in range(128):
        struct.pack_into("<I", circle, begin + 4 * sector, (sector + 1) % 20)
    assert outcome("doc", bytes(circle)) == "the old Office file is damaged"


def test_a_protected_document_is_named_so() -> None:
    _, raw = sample("lease.doc")
    place = raw.index(struct.pack("<H", 0xA5EC)) + 10
    changed = bytearray(raw)
    changed[place + 1] |= 1
    assert outcome("doc", bytes(changed)) == "the DOC document is protected by a password"


@pytest.mark.parametrize(
    ("format", "raw"),
    [
        ("rtf", b"{\\rtf1 " + b"{" * 1_000_000),
        ("rtf", b"{\\rtf1 " + b"\\'e9" * 500_000),
        ("rtf", b"{\\rtf1 " + b"\\bin999999999 " * 100_000),
        ("rtf", b"{\\rtf1 " + b"\\u-99999\\uc99999" * 100_000),
        ("rtf", b"{\\rtf1{\\fonttbl" + b"{\\f1\\fcharset204" * 200),
        ("latex", b"\\footnote{" * 100_000),
        ("latex", b"\\\\[" * 300_000),
        ("latex", b"\\verb|" * 200_000),
        ("latex", b"\\newcommand\\a" * 80_000),
        ("latex", b"\\begin{" * 200_000),
        ("latex", "\u0300\u0316".encode() * 200_000),
        ("markdown", b"[" * 200_000),
        ("markdown", b"[a](" * 100_000),
        ("markdown", b"_a " * 100_000),
        ("markdown", b"*a " * 100_000),
        ("markdown", b"`a " * 100_000),
        ("markdown", b"![" * 100_000),
        ("markdown", b"<a " * 100_000),
        ("markdown", b"<!--" * 100_000),
        ("markdown", b"<!--" * 100_000 + b"-->"),
        ("markdown", b"- - " * 100_000),
        ("markdown", b"&" * 300_000),
        ("markdown", b"&#" + b"1" * 300_000),
        ("markdown", b"~" * 300_000 + b"`"),
        ("markdown", b"# a" + b" " * 300_000 + b"b"),
        ("markdown", b"a\n" + b" " * 300_000 + b"b"),
        ("markdown", b"a\n" + b" " * 300_000 + b"-" + b" " * 300_000 + b"b"),
        ("cues", b"&#" + b"1" * 300_000),
        ("cues", b"1\n00:00:01 --> 00:00:02\n<" * 30_000),
    ],
)  # fmt: skip
def test_nothing_takes_long(format: str, raw: bytes) -> None:
    begun = time.process_time()
    outcome(format, raw)
    assert time.process_time() - begun < 10


def test_a_link_with_a_thousand_targets_is_no_mark_of_a_note() -> None:
    link = "<a" + " href=#" * 150
    page = f"<p>Read on{link * 2000}</p>"
    assert _MARK.sub(_without_note_mark, page) == page
    blank = f"<p>Read on<a href={'#' * 290}>{' ' * 1_000_000}</p>"
    assert _MARK.sub(_without_note_mark, blank) == blank


def test_every_format_has_a_sample() -> None:
    covered = {sample(name)[0] for name in NAMES}
    assert set(FORMATS) - covered == {"protected", "picture"}
