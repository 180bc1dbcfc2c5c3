"""Two documents of a report compared, and the similarity that it lists for them."""

from __future__ import annotations

from collections import OrderedDict

import numpy as np

from twinset.lazy_dataclass import dataclass
from twinset.review.index import ReportIndex
from twinset.review.texts import ReportTexts
from twinset.verify.side_by_side import SideBySide, side_by_side

KEPT = 6
"""Compared pairs that are kept: a page asks for them part by part."""


@dataclass(frozen=True)
class ComparedPair:
    """Two documents with their listed similarity, None where they are not a listed pair."""

    left: str
    right: str
    score: float | None
    side: SideBySide


def compared(index: ReportIndex, left: str, right: str, *, original: bool = False) -> ComparedPair:
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


def listed(index: ReportIndex, left: int, right: int) -> float | None:
    """The similarity of two documents as the report lists it."""
    low, high = sorted((int(index.leader[left]), int(index.leader[right])))
    if low == high:
        return float(index.copies[low])
    score = float(index.pairs.scores(low, np.array([high], np.int32))[0])
    return None if np.isnan(score) else score
