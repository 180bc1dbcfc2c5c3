"""Christian Borgelt's miners, from the package ``pyfim`` (optional)."""

from __future__ import annotations

import importlib
from collections import Counter
from itertools import chain
from typing import Any

from twinset.clusters.closed_sets import SetKind
from twinset.clusters.context import Context
from twinset.clusters.mine import Itemset
from twinset.errors import MissingExtraError

DUMMY = -1


def apriori(context: Context, support: int, kind: SetKind) -> list[Itemset]:
    """Apriori (Agrawal and Srikant 1994): breadth first."""
    return _mine("apriori", context, support, kind)


def eclat(context: Context, support: int, kind: SetKind) -> list[Itemset]:
    """Eclat (Zaki et al. 1997): intersections of transaction lists, depth first."""
    return _mine("eclat", context, support, kind)


def fpgrowth(context: Context, support: int, kind: SetKind) -> list[Itemset]:
    """FP-growth (Han et al. 2000): prefix trees."""
    return _mine("fpgrowth", context, support, kind)


def ista(context: Context, support: int, kind: SetKind) -> list[Itemset]:
    """IsTa (Borgelt et al. 2011): cumulative intersection of transactions."""
    return _mine("ista", context, support, kind)


def carpenter(context: Context, support: int, kind: SetKind) -> list[Itemset]:
    """Carpenter (Pan et al. 2003): enumeration of transaction sets."""
    return _mine("carpenter", context, support, kind)


def _mine(name: str, context: Context, support: int, kind: SetKind) -> list[Itemset]:
    miner = getattr(_package(), name)
    transactions = _transactions(context)
    frequent = Counter(chain.from_iterable(transactions))
    if sum(count >= support for count in frequent.values()) < 2:
        return []  # IsTa of pyfim 6.28 crashes when no item is frequent
    # pyfim answers [] when all transactions are equal, so there is always one that is not.
    transactions.append([DUMMY])
    # A negative support is a number of transactions; a positive one would be per cent.
    target = "m" if kind == "maximal" else "c"
    itemsets = miner(transactions, target=target, supp=-support, zmin=1, report="a")
    return [(tuple(sorted(items)), int(count)) for items, count in itemsets if len(items) > 1]


def _transactions(context: Context) -> list[list[int]]:
    """For each feature its documents; features of one document cannot be in a set of two."""
    _, owners = context.inverted()
    return [documents.tolist() for documents in owners if len(documents) > 1]


def _package() -> Any:
    try:
        return importlib.import_module("fim")
    except ImportError:
        raise MissingExtraError("pyfim", "mine") from None
