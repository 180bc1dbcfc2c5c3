"""Texts as they are compared, one or many at a time: pages are cleaned, other texts stay.

Many are given and returned as bytes, since they may go to another process and back.
"""

from __future__ import annotations

import pickle
import re
from array import array
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from twinset.plan import Html
    from twinset.text.pages import Named

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
    from twinset.text.clean import clean_page  # long patterns, which plain texts do without
    from twinset.text.pages import is_marked_up, is_page

    if html == "yes" or is_page(text, named):
        page = clean_page(text, whole)
        is_scripted = page.outcome == "html_empty" and "<script" in text.lower()
        return ReadText(page.text, OUTCOMES.index(page.outcome) + SCRIPTED * is_scripted)
    return ReadText(text, int(is_marked_up(text)))


class ReadTexts(NamedTuple):
    """Of several texts: their outcomes, and those that changed, as UTF-8 with their lengths."""

    outcomes: bytes
    lengths: bytes
    data: pickle.PickleBuffer | bytearray


def read_texts(data: memoryview, ends: bytes, html: Html, whole: bool) -> ReadTexts:
    """The texts that lie one behind the other in ``data``, in UTF-8, and end at ``ends``."""
    outcomes, lengths, changed = bytearray(), array("q"), bytearray()
    for raw in _cut(data, ends):
        text, outcome = read_text(str(raw, "utf-8"), html, whole)
        outcomes.append(outcome)
        if outcome >= STAYS:
            new = _utf8(text)
            lengths.append(len(new))
            changed += new
    return ReadTexts(bytes(outcomes), lengths.tobytes(), pickle.PickleBuffer(changed))


def _cut(data: memoryview, ends: bytes) -> Iterator[memoryview]:
    places = array("q")
    places.frombytes(ends)
    return (memoryview(data)[begin:end] for begin, end in pairwise((0, *places)))


def _utf8(text: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:  # half of a surrogate pair, which a page may ask for by its number
        return _SURROGATES.sub("\ufffd", text).encode("utf-8")
