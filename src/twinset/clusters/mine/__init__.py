"""Miners of maximal and closed sets: ours, those of the papers, and pyfim's as an extra.

All have one form, so that they can be compared and check each other. Here are the table and the
door; each algorithm is a file. FIMI files are in ``fimi``, the comparison in ``compare``.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable
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
    miner: Miner = getattr(importlib.import_module(f"{__name__}.{module}"), function)
    return miner


def mine(name: str, context: Context, support: int, kind: SetKind = "maximal") -> list[Itemset]:
    """The sets that an algorithm finds, sorted."""
    if support < 1:
        raise PlanError([f"the support must be at least 1, not {support}"])
    return sorted(load(name)(context, support, kind))


def of_at_least(
    least: int, sets: Iterable[Itemset], context: Context, support: int, kind: SetKind
) -> list[Itemset]:
    """The sets of at least this many documents; with 1, single documents come after the others.

    The miners look for clusters and leave out sets of one document.
    """
    chosen = [itemset for itemset in sets if len(itemset[0]) >= least]
    return chosen if least > 1 else chosen + singles(chosen, context, support, kind)


def singles(
    sets: Iterable[Itemset], context: Context, support: int, kind: SetKind
) -> list[Itemset]:
    """The single documents that are sets of this kind; ``sets`` are all those of two and more.

    A document is closed if no other one has all its features, and maximal if it shares enough
    features with no other one.
    """
    sizes = context.lengths
    frequent = [document for document in range(len(context)) if sizes[document] >= support]
    if kind == "maximal":
        held = {document for documents, _ in sets for document in documents}
        chosen = [document for document in frequent if document not in held]
    else:
        chosen = _closed(context, frequent)
    return [((document,), int(sizes[document])) for document in chosen]


def _closed(context: Context, documents: list[int]) -> list[int]:
    """Those of the documents whose features no other document has all of."""
    features, owners = context.inverted()
    line_of = {int(feature): line for line, feature in enumerate(features)}

    def is_closed(document: int) -> bool:
        others: set[int] | None = None
        for feature in context[document].tolist():
            line = line_of[feature]
            owning = set(owners[line].tolist())
            others = owning if others is None else others & owning
            if len(others) == 1:
                return True
        return False

    return [document for document in documents if is_closed(document)]
