"""A document opened for editing: its paragraphs, and the stretches of text that may change.

In plain text both are the text itself. In HTML (``markup.py``) they lie between the tags, and an
edit leaves all tags alone except those of a paragraph that is removed or added. ``splitting.py``
opens documents; the operations choose a `Place` or a paragraph and edit it.
"""

from __future__ import annotations

import html
import itertools
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from twinset.lab.generation.units import (
    Bounds,
    DocumentSize,
    Span,
    count_sentences,
    count_words,
    kinds,
    sentence_starts,
    word_spans,
)
from twinset.text.entities import unescaped

GAP = "\n\n"


@dataclass(frozen=True, slots=True)
class Edit:
    """A stretch of the source and what takes its place."""

    start: int
    stop: int
    text: str


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph: its content, and the whole that goes with it when it is removed.

    ``plain`` is its text without mark-up; ``before`` and ``after`` wrap a new paragraph that is
    inserted after this one, at ``next``.
    """

    inner: Span
    outer: Span
    plain: str
    next: int
    before: str
    after: str


@dataclass(frozen=True)
class Sheet:
    """The source of a document with the places that may be edited, in ascending order."""

    source: str
    is_html: bool
    runs: tuple[Span, ...]
    paragraphs: tuple[Paragraph, ...]
    top: int
    bottom: int
    has_outer: bool = False  # whether paragraphs go with their outer span, and not with a gap

    @cached_property
    def texts(self) -> list[str]:
        """The text of each run, entities decoded."""
        return [self.decoded(self.source[run.start : run.stop]) for run in self.runs]

    @cached_property
    def statistics(self) -> DocumentSize:
        """Paragraphs, sentences, words, and characters of the text."""
        plain = [paragraph.plain for paragraph in self.paragraphs]
        characters = sum(map(len, plain if self.is_html else self.texts))
        return DocumentSize(len(plain), count_sentences(plain), count_words(plain), characters)

    def decoded(self, raw: str) -> str:
        """A stretch of the source as a reader sees it."""
        return unescaped(raw) if self.is_html else raw

    def encoded(self, text: str) -> str:
        """Text as it is written in the source."""
        return html.escape(text, quote=False) if self.is_html else text

    def edited(self, edits: Iterable[Edit]) -> str:
        """The source with the edits applied; edits at one place keep their order."""
        parts, at = [], 0
        for edit in sorted(edits, key=lambda edit: (edit.start, edit.stop)):
            parts += [self.source[at : edit.start], edit.text]
            at = edit.stop
        return "".join([*parts, self.source[at:]])

    def with_texts(self, changed: Mapping[int, str]) -> str:
        """The source with other text in some runs."""
        return self.edited(
            Edit(*self.runs[run], self.encoded(text)) for run, text in changed.items()
        )

    def without(self, gone: Iterable[int]) -> str:
        """The source without some paragraphs."""
        numbers = sorted(gone)
        if not numbers:
            return self.source
        if self.has_outer:
            return self.edited(Edit(*self.paragraphs[number].outer, "") for number in numbers)
        return self.edited(self._cuts(numbers))

    def _cuts(self, gone: list[int]) -> list[Edit]:
        """Plain paragraphs go with the gap after them, the last ones with the gap before."""
        inner = [paragraph.inner for paragraph in self.paragraphs]
        kept = sorted(set(range(len(inner))) - set(gone))
        if not kept:
            return [Edit(inner[0].start, inner[-1].stop, "")]
        inside = [n for n in gone if n < kept[-1]]
        cuts = [Edit(inner[n].start, inner[n + 1].start, "") for n in inside]
        if len(inside) < len(gone):
            cuts.append(Edit(inner[kept[-1]].stop, inner[-1].stop, ""))
        return cuts

    def with_new(self, added: Iterable[tuple[int, str]]) -> str:
        """The source with new paragraphs, given as plain text, before the paragraphs numbered."""
        return self.edited(self._insertion(number, plain) for number, plain in added)

    def _insertion(self, number: int, plain: str) -> Edit:
        text = self.encoded(plain)
        if number > 0:
            previous = self.paragraphs[number - 1]
            return Edit(previous.next, previous.next, previous.before + text + previous.after)
        if self.is_html:
            return Edit(self.top, self.top, f"<p>{text}</p>\n")
        if not self.paragraphs:
            return Edit(self.top, self.top, text + GAP)
        first = self.paragraphs[0]
        return Edit(first.inner.start, first.inner.start, text + first.before)


def trimmed(source: str, span: Span) -> Span:
    """The span without white space at its ends."""
    text = source[span.start : span.stop]
    start = span.start + len(text) - len(text.lstrip())
    return Span(start, max(start, span.start + len(text.rstrip())))


class Place(NamedTuple):
    """A stretch of the text of a run."""

    run: int
    start: int
    stop: int


class Places:
    """The matches of ``find`` in the texts of a document, numbered in reading order."""

    def __init__(self, sheet: Sheet, find: Callable[[str], list[Bounds]]) -> None:
        self._spans = [find(text) for text in sheet.texts]
        self._before = list(itertools.accumulate(map(len, self._spans), initial=0))

    def __len__(self) -> int:
        return self._before[-1]

    def __getitem__(self, number: int) -> Place:
        run = bisect_right(self._before, number) - 1
        return Place(run, *self._spans[run][number - self._before[run]])


def put(sheet: Sheet, new: Iterable[tuple[Place, str]], *, apart: bool = False) -> str:
    """The source with new text at some places; ``apart`` keeps new words from growing together."""
    by_run: dict[int, list[tuple[Place, str]]] = {}
    for place, text in new:
        by_run.setdefault(place.run, []).append((place, text))
    return sheet.with_texts(
        {run: _spliced(sheet.texts[run], edits, apart) for run, edits in by_run.items()}
    )


def touched(sheet: Sheet, chosen: Iterable[Place]) -> dict[str, int]:
    """The number of words and of sentences that the places lie in."""
    by_run: dict[int, list[Place]] = {}
    for place in chosen:
        by_run.setdefault(place.run, []).append(place)
    runs = sorted(by_run)
    counted = {"words": 0, "sentences": 0}
    for run, starts in zip(runs, sentence_starts([sheet.texts[r] for r in runs]), strict=True):
        spans = word_spans(sheet.texts[run])
        numbers = {number for place in by_run[run] for number in _words_at(spans, place)}
        counted["words"] += len(numbers)
        sentences = np.searchsorted(starts, sorted(numbers), side="right")
        counted["sentences"] += len(np.unique(sentences))
    return counted


def _words_at(spans: list[Bounds], place: Place) -> range:
    first = bisect_right(spans, place.start, key=lambda span: span[1])
    last = first
    while last < len(spans) and spans[last][0] < place.stop:
        last += 1
    return range(first, last)


def _spliced(text: str, edits: list[tuple[Place, str]], apart: bool) -> str:
    out = ""
    parts: list[str] = []
    at = 0
    for place, new in edits:
        for part in (text[at : place.start], new):
            if part:
                parts += [" ", part] if apart and _would_merge(out, part) else [part]
                out = part
        at = place.stop
    rest = text[at:]
    parts += [" ", rest] if apart and _would_merge(out, rest) else [rest]
    return "".join(parts)


def _would_merge(before: str, after: str) -> bool:
    """Whether the last word of ``before`` and the first of ``after`` would become one word."""
    if not before or not after or kinds(after[0]) != "w":
        return False
    tail = kinds(before).rstrip("m")
    return tail.endswith("w")
