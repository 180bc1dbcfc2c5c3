"""A document laid open for editing: its paragraphs, and the stretches of text that may change.

In plain text both are the text itself. In HTML (``markup.py``) they lie between the tags, and an
edit never touches a tag but those of a paragraph that goes or comes.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from twinset.lab.generation.units import Span, Statistics, count_sentences, count_words, has_words

_LINE = r"(?:\r\n|\r(?!\n)|[\n\x85\u2028])"
_BLANK = "[ \t\x0b\xa0\u1680\u2000-\u200b\u202f\u205f\u3000\ufeff]"
_PARAGRAPH_END = re.compile(f"{_LINE}{_BLANK}*{_LINE}|[\x0c\u2029]")
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

    ``plain`` is its text without mark-up; ``before`` and ``after`` wrap a new paragraph that is put
    in behind this one, at ``next``.
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
    def statistics(self) -> Statistics:
        """Paragraphs, sentences, words, and characters of the text."""
        plain = [paragraph.plain for paragraph in self.paragraphs]
        characters = sum(map(len, plain if self.is_html else self.texts))
        return Statistics(len(plain), count_sentences(plain), count_words(plain), characters)

    def decoded(self, raw: str) -> str:
        """A stretch of the source as a reader sees it."""
        return html.unescape(raw) if self.is_html else raw

    def encoded(self, text: str) -> str:
        """Text as it has to stand in the source."""
        return html.escape(text, quote=False) if self.is_html else text

    def edited(self, edits: Iterable[Edit]) -> str:
        """The source with edits made; those of one place in the order given."""
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
        """Plain paragraphs go with the gap behind them, the last ones with the gap before."""
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
            one = self.paragraphs[number - 1]
            return Edit(one.next, one.next, one.before + text + one.after)
        if self.is_html:
            return Edit(self.top, self.top, f"<p>{text}</p>\n")
        if not self.paragraphs:
            return Edit(self.top, self.top, text + GAP)
        first = self.paragraphs[0]
        return Edit(first.inner.start, first.inner.start, text + first.before)


def open_sheet(source: str, is_html: bool) -> Sheet:
    """A document for editing."""
    if is_html:
        from twinset.lab.generation.markup import html_sheet

        return html_sheet(source)
    return plain_sheet(source)


def plain_sheet(source: str) -> Sheet:
    """Plain text: paragraphs are what lies between blank lines and has words."""
    found, at = [], 0
    for end in [*_PARAGRAPH_END.finditer(source), None]:
        stop = len(source) if end is None else end.start()
        span = trimmed(source, Span(at, stop))
        text = source[span.start : span.stop]
        if has_words(text):
            found.append(Paragraph(span, span, text, span.stop, GAP, ""))
        at = stop if end is None else end.end()
    runs = (Span(0, len(source)),) if source else ()
    return Sheet(source, False, runs, tuple(found), 0, len(source))


def trimmed(source: str, span: Span) -> Span:
    """The span without white space at its ends."""
    text = source[span.start : span.stop]
    start = span.start + len(text) - len(text.lstrip())
    return Span(start, max(start, span.start + len(text.rstrip())))
