"""Two documents of a report beside each other, kept for a while: a page asks for parts of it."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

import numpy as np

from twinset.review.documents import Documents
from twinset.review.index import Index
from twinset.review.side import SideBySide, side_by_side

KEPT = 6


@dataclass(frozen=True)
class Compared:
    """Two documents with their listed similarity, None where they are not a listed pair."""

    left: str
    right: str
    score: float | None
    side: SideBySide


def compared(index: Index, left: str, right: str, *, original: bool = False) -> Compared:
    """The two documents, compared word by word; raises where a text cannot be had."""
    kept: OrderedDict[tuple[str, str, bool], Compared] = index.kept_by_name.setdefault(
        "compared", OrderedDict()
    )
    key = (left, right, original)
    made = kept.get(key)
    if made is None:
        numbers = index.number(left), index.number(right)
        texts = [Documents.of(index).text(number, original=original) for number in numbers]
        made = kept[key] = Compared(left, right, listed(index, *numbers), side_by_side(*texts))
        while len(kept) > KEPT:
            kept.popitem(last=False)
    return made


def listed(index: Index, one: int, other: int) -> float | None:
    """The similarity of two documents as the report lists it."""
    low, high = sorted((int(index.leader[one]), int(index.leader[other])))
    if low == high:
        return float(index.copies[low])
    score = float(index.pairs.scores(low, np.array([high], np.int32))[0])
    return None if np.isnan(score) else score
