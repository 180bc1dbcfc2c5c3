"""Levels: what of the documents is compared with each other, they themselves or units inside them.

Taking some units out of a text leaves the others as they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import pyarrow as pa

from twinset import _kernels
from twinset.model import Ints
from twinset.spec import option
from twinset.text import arrow_text


class UnitTexts(NamedTuple):
    """The units of some texts: so many of each text, and the characters that they take there.

    The texts of units are without the blanks around them, which ``start`` and ``end`` include.
    """

    texts: pa.Array
    counts: Ints
    start: Ints
    end: Ints


@dataclass(frozen=True, slots=True)
class WholeDocument:
    """Documents as they are."""

    splits: ClassVar[bool] = False


@dataclass(frozen=True, slots=True)
class UnitLevel:
    """Units inside documents."""

    splits: ClassVar[bool] = True
    number: ClassVar[int]
    inside: bool = option(False, "Compare the units of each document with each other, too.")

    def split(self, texts: pa.Array, threads: int = 1) -> UnitTexts:
        """The units of each text that have a word."""
        size = getattr(self, "size", 1)
        data, ends, places, offsets = _kernels.split_texts(
            *arrow_text(texts), self.number, size, threads
        )
        count = len(ends) - 1
        buffers = [None, pa.py_buffer(ends), pa.py_buffer(data)]
        units = pa.Array.from_buffers(pa.large_string(), count, buffers)
        return UnitTexts(units, offsets[1:] - offsets[:-1], places[:count], places[count:])


@dataclass(frozen=True, slots=True)
class LineLevel(UnitLevel):
    """Lines that hold a word, with their line ends."""

    number: ClassVar[int] = 0


@dataclass(frozen=True, slots=True)
class ParagraphLevel(UnitLevel):
    """Paragraphs, which end at blank lines, with these."""

    number: ClassVar[int] = 1


@dataclass(frozen=True, slots=True)
class SentenceLevel(UnitLevel):
    """Sentences, with the blanks behind them."""

    number: ClassVar[int] = 2


@dataclass(frozen=True, slots=True)
class WindowLevel(UnitLevel):
    """Windows of as many words each, one after another, the last of a document shorter."""

    number: ClassVar[int] = 3
    size: int = option(
        100, "Number of words in a window.", metavar="N", least=1, most=1_000_000, first=True
    )
