"""Documents split into paragraphs, or into lines or sentences where they are one paragraph."""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections.abc import Iterator
from typing import Literal

from twinset.lab.generation.markup import html_sheet
from twinset.lab.generation.sheet import GAP, Paragraph, Sheet, trimmed
from twinset.lab.generation.units import Span, has_words, sentence_starts, word_spans

_LINE = r"(?:\r\n|\r(?!\n)|[\n\x85\u2028])"
_BLANK = "[ \t\x0b\xa0\u1680\u2000-\u200b\u202f\u205f\u3000\ufeff]"
_PARAGRAPH_END = re.compile(f"{_LINE}{_BLANK}*{_LINE}|[\x0c\u2029]")
By = Literal["paragraph", "line", "sentence"]
_LINE_END = re.compile("[\r\n\x85\u2028]+")
_GAPS = {"line": "\n", "sentence": " "}


def open_sheet(source: str, is_html: bool) -> Sheet:
    """A document for editing."""
    return html_sheet(source) if is_html else plain_sheet(source)


def plain_sheet(source: str) -> Sheet:
    """Plain text: paragraphs are what lies between blank lines and has words."""
    paragraphs, at = [], 0
    for end in [*_PARAGRAPH_END.finditer(source), None]:
        stop = len(source) if end is None else end.start()
        span = trimmed(source, Span(at, stop))
        text = source[span.start : span.stop]
        if has_words(text):
            paragraphs.append(Paragraph(span, span, text, span.stop, GAP, ""))
        at = stop if end is None else end.end()
    runs = (Span(0, len(source)),) if source else ()
    return Sheet(source, False, runs, tuple(paragraphs), 0, len(source))


def in_parts(sheet: Sheet, by: By) -> Sheet:
    """The sheet with lines or sentences as its paragraphs; HTML has no lines."""
    if by == "paragraph" or (by == "line" and sheet.is_html):
        return sheet
    parts = tuple(_lines(sheet) if by == "line" else _sentences(sheet))
    return dataclasses.replace(sheet, paragraphs=parts, has_outer=True)


def parts_of(plain: str, by: By) -> list[str]:
    """The parts of a paragraph's plain text."""
    return [part.plain for part in in_parts(plain_sheet(plain), by).paragraphs]


def _lines(sheet: Sheet) -> Iterator[Paragraph]:
    for paragraph in sheet.paragraphs:
        start, stop = paragraph.inner
        ends = [start + end.end() for end in _LINE_END.finditer(sheet.source[start:stop])]
        yield from _parts(sheet, [start, *ends, stop], "line")


def _sentences(sheet: Sheet) -> Iterator[Paragraph]:
    stretches = list(_stretches(sheet))
    raw = [sheet.source[start:stop] for start, stop in stretches]
    for (start, stop), text, firsts in zip(stretches, raw, sentence_starts(raw), strict=True):
        words = word_spans(text)
        cuts = [start + words[first][0] for first in firsts[1:].tolist()]
        yield from _parts(sheet, [start, *cuts, stop], "sentence")


def _stretches(sheet: Sheet) -> Iterator[Span]:
    """Text without tags inside: paragraphs of plain text, runs of HTML."""
    return (
        iter(sheet.runs) if sheet.is_html else (paragraph.inner for paragraph in sheet.paragraphs)
    )


def _parts(sheet: Sheet, cuts: list[int], by: By) -> Iterator[Paragraph]:
    for outer in itertools.starmap(Span, itertools.pairwise(cuts)):
        inner = trimmed(sheet.source, outer)
        plain = sheet.decoded(sheet.source[inner.start : inner.stop])
        if has_words(plain):
            whole = Span(inner.start, outer.stop)
            yield Paragraph(inner, whole, plain, inner.stop, _GAPS[by], "")
