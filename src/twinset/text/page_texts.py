"""Texts as they are compared, one or many at a time: pages are cleaned, other texts stay.

Many are given and returned as bytes, since they may go to another process and back.
"""

from __future__ import annotations

import pickle
import re
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from twinset.text.pages import Named, is_marked_up, is_page

if TYPE_CHECKING:
    from twinset.plan import Html
    from twinset.text.page_lines import CountedLines, DroppedLines


OUTCOMES = ("", "markup_left", "html_main", "html_whole", "html_stripped", "html_empty")
"""What became of texts, by the names that reports count them under; "" of those that stay."""
STAYS, FIRST_PAGE, SCRIPTED = 2, 2, 128
"""Outcomes below the first are of texts that stay as they are, from the second on of pages;
the third is added for pages that have scripts and no text."""

_SURROGATES = re.compile("[\ud800-\udfff]")


class ReadText(NamedTuple):
    """A text and its place in `OUTCOMES`, with `SCRIPTED` added where that holds."""

    text: str
    outcome: int


def read_text(text: str, html: Html, whole: bool, named: Named = None) -> ReadText:
    """A text, cleaned if it is a page."""
    if html == "no":
        return ReadText(text, 0)
    from twinset.text.clean import clean_page  # a parser, which plain texts do without

    if html == "yes" or is_page(text, named):
        page = clean_page(text, whole)
        is_scripted = page.outcome == "html_empty" and "<script" in text.lower()
        return ReadText(page.text, OUTCOMES.index(page.outcome) + SCRIPTED * is_scripted)
    return ReadText(text, int(is_marked_up(text)))


class ReadTexts(NamedTuple):
    """Of several texts: their outcomes, and those that changed, as UTF-8 with their lengths.

    ``counts`` says what was done to drop lines, where that was asked for.
    """

    outcomes: bytes
    lengths: bytes
    data: pickle.PickleBuffer | bytearray
    counts: Mapping[str, int] = {}


class TrimmedTexts(NamedTuple):
    """Of several pages: which have changed, these as UTF-8 with their lengths, what was dropped."""

    changed: bytes
    lengths: bytes
    data: pickle.PickleBuffer | bytearray
    counts: Mapping[str, int]
    dropped: DroppedLines


class _Changed:
    """Texts that take the place of others."""

    def __init__(self) -> None:
        self.lengths, self.data = array("q"), bytearray()

    def add(self, text: str) -> None:
        new = _utf8(text)
        self.lengths.append(len(new))
        self.data += new


def read_texts(
    data: memoryview,
    ends: bytes,
    html: Html,
    whole: bool,
    keys: bytes | None = None,
) -> ReadTexts:
    """The texts that lie one behind the other in ``data``, in UTF-8, and end at ``ends``.

    Of pages the lines with ``keys`` are dropped.
    """
    from twinset.text.page_lines import trimmed

    outcomes, changed = bytearray(), _Changed()
    counts: Counter[str] = Counter()
    for raw in _cut(data, ends):
        text, outcome = read_text(str(raw, "utf-8"), html, whole)
        outcomes.append(outcome)
        if outcome < STAYS:
            continue
        if keys is not None:
            page = trimmed(text, _set_of(keys))
            counts.update(page.counts())
            text = page.text
        changed.add(text)
    return ReadTexts(
        bytes(outcomes),
        changed.lengths.tobytes(),
        pickle.PickleBuffer(changed.data),
        counts,
    )


def count_texts(data: memoryview, ends: bytes) -> CountedLines:
    """The lines of pages."""
    from twinset.text.page_lines import counted_lines

    return counted_lines(str(raw, "utf-8") for raw in _cut(data, ends))


def trim_texts(data: memoryview, ends: bytes, keys: bytes) -> TrimmedTexts:
    """Pages without the lines that have these keys."""
    from twinset.text.page_lines import DroppedLines, trimmed

    flags, changed, dropped = bytearray(), _Changed(), DroppedLines()
    counts: Counter[str] = Counter()
    for raw in _cut(data, ends):
        page = trimmed(str(raw, "utf-8"), _set_of(keys))
        dropped.add(page)
        counts.update(page.counts())
        flags.append(bool(page.dropped))
        if page.dropped:
            changed.add(page.text)
    lengths = changed.lengths.tobytes()
    return TrimmedTexts(bytes(flags), lengths, pickle.PickleBuffer(changed.data), counts, dropped)


@lru_cache(4)
def _set_of(keys: bytes) -> frozenset[int]:
    numbers = array("q")
    numbers.frombytes(keys)
    return frozenset(numbers)


def _cut(data: memoryview, ends: bytes) -> Iterator[memoryview]:
    places = array("q")
    places.frombytes(ends)
    return (memoryview(data)[begin:end] for begin, end in pairwise((0, *places)))


def _utf8(text: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:  # half of a surrogate pair, which a page may ask for by its number
        return _SURROGATES.sub("\ufffd", text).encode("utf-8")
