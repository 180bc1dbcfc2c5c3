"""Miners of maximal and closed sets: ours, those of the papers, and pyfim's as an extra.

All have one form, so that they can be compared and check each other. Here are the table and the
door; each algorithm is a file. FIMI files are in ``fimi``, the comparison in ``compare``.
"""

from __future__ import annotations

import importlib
from typing import Protocol

from twinset.clusters.closed_sets import SetKind
from twinset.clusters.context import Context
from twinset.errors import PlanError

Itemset = tuple[tuple[int, ...], int]
"""Documents, ascending, and the number of features they share."""

ALGORITHMS: dict[str, str] = {
    "search": "search:search",
    "fpmax": "fpmax:fpmax",
    "addintent": "addintent:addintent",
    "apriori": "borgelt:apriori",
    "eclat": "borgelt:eclat",
    "fpgrowth": "borgelt:fpgrowth",
    "ista": "borgelt:ista",
    "carpenter": "borgelt:carpenter",
}


class Miner(Protocol):
    """All sets of two or more documents that share ``support`` features, in any order."""

    def __call__(self, context: Context, support: int, kind: SetKind) -> list[Itemset]:
        """The maximal ones, or the closed ones."""
        ...


def load(name: str) -> Miner:
    """The miner of a name; a message with the known names when there is none."""
    if name not in ALGORITHMS:
        raise PlanError([f"there is no algorithm '{name}'; known: {', '.join(ALGORITHMS)}"])
    module, _, function = ALGORITHMS[name].partition(":")
    found: Miner = getattr(importlib.import_module(f"{__name__}.{module}"), function)
    return found


def mine(name: str, context: Context, support: int, kind: SetKind = "maximal") -> list[Itemset]:
    """The sets that an algorithm finds, sorted."""
    if support < 1:
        raise PlanError([f"the support must be at least 1, not {support}"])
    return sorted(load(name)(context, support, kind))
