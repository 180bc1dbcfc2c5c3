"""A part of two texts side by side, with what both have folded away: long documents stay usable."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from twinset.pages.shown import shown
from twinset.review.index import Index
from twinset.review.side_by_side import Kind, Row, SideBySide, TextPiece, side_by_side
from twinset.review.texts import ReportTexts

KEPT = 6
"""Compared pairs that are kept: a page asks for them part by part."""
NEAR = 1
"""Equal rows shown before and after one that differs."""
LEAST = 3
"""Equal rows that are folded."""


@dataclass(frozen=True)
class ComparedPair:
    """Two documents with their listed similarity, None where they are not a listed pair."""

    left: str
    right: str
    score: float | None
    side: SideBySide


def compared(index: Index, left: str, right: str, *, original: bool = False) -> ComparedPair:
    """The two documents, compared word by word; raises where a text cannot be had."""
    kept: OrderedDict[tuple[str, str, bool], ComparedPair] = index.kept_by_name.setdefault(
        "compared", OrderedDict()
    )
    key = (left, right, original)
    pair = kept.get(key)
    if pair is None:
        numbers = index.number(left), index.number(right)
        texts = [ReportTexts.of(index).text(number, original=original) for number in numbers]
        pair = kept[key] = ComparedPair(left, right, listed(index, *numbers), side_by_side(*texts))
        while len(kept) > KEPT:
            kept.popitem(last=False)
    return pair


def listed(index: Index, left: int, right: int) -> float | None:
    """The similarity of two documents as the report lists it."""
    low, high = sorted((int(index.leader[left]), int(index.leader[right])))
    if low == high:
        return float(index.copies[low])
    score = float(index.pairs.scores(low, np.array([high], np.int32))[0])
    return None if np.isnan(score) else score


@dataclass(frozen=True, slots=True)
class Part:
    """Text of one pane, fit to be shown; ``link`` is None between pieces.

    ``begins`` says that a difference or a moved passage begins here, not only goes on.
    """

    kind: Kind | None
    text: str
    link: int | None = None
    begins: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """A row with its parts."""

    row: int
    differs: bool
    left: tuple[Part, ...]
    right: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Fold:
    """Rows from first to before last that are equal and not shown."""

    first: int
    last: int


Item = Line | Fold


@dataclass(frozen=True, slots=True)
class Window:
    """Items from ``start`` on; ``after`` is where the next ones begin, None at the end."""

    items: tuple[Item, ...]
    start: int
    after: int | None


def window(side: SideBySide, start: int = 0, count: int = 120) -> Window:
    """So many items, rows or folds, from one on."""
    every = outline(side)
    start = max(0, min(start, len(every) - 1))
    chosen = every[start : start + count]
    items = tuple(item if isinstance(item, Fold) else line(side, item) for item in chosen)
    after = start + len(chosen)
    return Window(items, start, after if after < len(every) else None)


def unfolded(side: SideBySide, first: int, last: int) -> tuple[Line, ...]:
    """The rows of a fold."""
    return tuple(line(side, row) for row in range(max(0, first), min(last, len(side.rows))))


def place_of(side: SideBySide, difference: int) -> int:
    """The item in which a difference begins."""
    row = side.differences[difference].row
    return next((at for at, item in enumerate(outline(side)) if item == row), 0)


def outline(side: SideBySide) -> list[int | Fold]:
    """Rows to show, and folds in the place of others; equal texts are shown as they are."""
    rows = len(side.rows)
    if not side.differences:
        return list(range(rows))
    near = bytearray(rows)
    for number, row in enumerate(side.rows):
        if row.differs:
            for close in range(max(0, number - NEAR), min(rows, number + NEAR + 1)):
                near[close] = 1
    parts: list[int | Fold] = []
    at = 0
    while at < rows:
        end = at
        while end < rows and not near[end]:
            end += 1
        if end - at >= LEAST:
            parts.append(Fold(at, end))
        else:
            parts.extend(range(at, end))
        if end < rows:
            parts.append(end)
        at = end + 1
    return parts


def line(side: SideBySide, number: int) -> Line:
    """One row."""
    row = side.rows[number]
    left = tuple(_parts(side.left, row.left, _begun(side, number, "left")))
    right = tuple(_parts(side.right, row.right, _begun(side, number, "right")))
    return Line(number, row.differs, left, right)


def _begun(side: SideBySide, number: int, which: str) -> tuple[Kind, int] | None:
    """The last piece of the row before, if it may continue in this one."""
    if not number:
        return None
    before: Row = side.rows[number - 1]
    pieces: tuple[TextPiece, ...] = getattr(before, which)
    return (pieces[-1].kind, pieces[-1].link) if pieces else None


def _parts(
    text: str, pieces: tuple[TextPiece, ...], before: tuple[Kind, int] | None
) -> Iterator[Part]:
    end = None
    for piece in pieces:
        if end is not None and end < piece.start:
            yield Part(None, shown(text[end : piece.start]))
        here = (piece.kind, piece.link)
        yield Part(piece.kind, shown(text[piece.start : piece.end]), piece.link, here != before)
        end, before = piece.end, here
