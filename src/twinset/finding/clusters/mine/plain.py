"""Apriori and Eclat in NumPy, for machines without pyfim: short, and slower than pyfim's.

Agrawal, Srikant: Fast algorithms for mining association rules (VLDB 1994). Zaki, Parthasarathy,
Ogihara, Li: New algorithms for fast discovery of association rules (KDD 1997).
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from twinset.finding.clusters.closed_sets import SetKind
from twinset.model import Ints, Ragged

Lines = Ragged[np.int32]
Items = tuple[int, ...]
Supports = dict[Items, int]
Found = Iterable[tuple[Items, int]]


def apriori(lines: Lines, items: int, support: int, kind: SetKind) -> Found:
    """Breadth first: sets of n + 1 items are joined of frequent ones of n with a common prefix."""
    of = _lines_of(lines, items)
    level: Supports = {(item,): n for item, n in enumerate(of.lengths.tolist()) if n >= support}
    found: list[tuple[Items, int]] = []
    while level:
        last: dict[Items, list[int]] = {}
        for known in level:
            last.setdefault(known[:-1], []).append(known[-1])
        upper: Supports = {}
        for known in level:
            others = np.array([other for other in last[known[:-1]] if other > known[-1]], int)
            common = of[known[0]]
            for item in known[1:]:
                common = np.intersect1d(common, of[item], assume_unique=True)
            counts = _incidence(lines, common, others).sum(axis=1)
            for other in np.flatnonzero(counts >= support).tolist():
                larger = (*known, int(others[other]))
                if all(each in level for each in _without_one(larger)):
                    upper[larger] = int(counts[other])
        inside = {
            known
            for larger, count in upper.items()
            for known in _without_one(larger)
            if kind == "maximal" or level[known] == count
        }
        found += [each for each in level.items() if each[0] not in inside]
        level = upper
    return found


def eclat(lines: Lines, items: int, support: int, kind: SetKind) -> Found:
    """Depth first by intersections of lines; items that lie in all lines of a set join it."""
    of = _lines_of(lines, items)
    frequent = np.flatnonzero(of.lengths >= support)
    # A set of items is closed if it is the largest of those with its lines.
    closed: dict[bytes, tuple[Items, int]] = {}
    for place, first in enumerate(frequent.tolist()):
        common, others = of[first], frequent[place + 1 :]
        begin: Items = (first,)
        stack = [(begin, common, others, _incidence(lines, common, others))]
        while stack:
            known, common, others, holds = stack.pop()
            counts = holds.sum(axis=1)
            known += tuple(others[counts == len(common)].tolist())
            there = (counts >= support) & (counts < len(common))
            others, holds = others[there], holds[there]
            if len(known) > len(closed.get(common.tobytes(), ((), 0))[0]):
                closed[common.tobytes()] = tuple(sorted(known)), len(common)
            stack += [
                ((*known, item), common[holds[at]], others[at + 1 :], holds[at + 1 :, holds[at]])
                for at, item in enumerate(others.tolist())
            ]
    return closed.values() if kind == "closed" else _maximal(closed.values())


MINERS = {"apriori": apriori, "eclat": eclat}


def _lines_of(lines: Lines, items: int) -> Ragged[np.int64]:
    """The numbers of the lines of each item, ascending."""
    order = np.argsort(lines.flat, kind="stable")
    return Ragged.from_lengths(lines.owners()[order], np.bincount(lines.flat, minlength=items))


def _incidence(lines: Lines, common: Ints, others: Ints) -> NDArray[np.bool_]:
    """Which of the common lines hold which of the other items, ascending: a row for each item."""
    held = lines.take(common)
    at = np.searchsorted(others, held.values)
    inside = at < len(others)
    inside[inside] = others[at[inside]] == held.values[inside]
    holds = np.zeros((len(others), len(common)), bool)
    holds[at[inside], held.owners()[inside]] = True
    return holds


def _without_one(items: Items) -> list[Items]:
    """The sets of one item less."""
    return [items[:at] + items[at + 1 :] for at in range(len(items))]


def _maximal(sets: Found) -> Found:
    """The sets that lie in no other one."""
    kept: list[tuple[Items, int]] = []
    places: dict[int, set[int]] = {}
    for items, count in sorted(sets, key=lambda each: -len(each[0])):
        if not set.intersection(*(places.get(item, set()) for item in items)):
            for item in items:
                places.setdefault(item, set()).add(len(kept))
            kept.append((items, count))
    return kept
