"""Christian Borgelt's miners, from the package ``pyfim`` (optional)."""

from __future__ import annotations

import importlib
from collections import Counter
from itertools import chain
from typing import Any

from twinset.errors import MissingExtraError
from twinset.finding.clusters.closed_sets import SetKind
from twinset.finding.clusters.mine.sets import MinedSets, Transactions

DUMMY = -1


def apriori(table: Transactions, support: int, kind: SetKind) -> MinedSets:
    """Apriori (Agrawal and Srikant 1994): breadth first."""
    return _mine("apriori", table, support, kind)


def eclat(table: Transactions, support: int, kind: SetKind) -> MinedSets:
    """Eclat (Zaki et al. 1997): intersections of transaction lists, depth first."""
    return _mine("eclat", table, support, kind)


def fpgrowth(table: Transactions, support: int, kind: SetKind) -> MinedSets:
    """FP-growth (Han et al. 2000): prefix trees."""
    return _mine("fpgrowth", table, support, kind)


def ista(table: Transactions, support: int, kind: SetKind) -> MinedSets:
    """IsTa (Borgelt et al. 2011): cumulative intersection of transactions."""
    return _mine("ista", table, support, kind)


def carpenter(table: Transactions, support: int, kind: SetKind) -> MinedSets:
    """Carpenter (Pan et al. 2003): enumeration of transaction sets."""
    return _mine("carpenter", table, support, kind)


def _mine(name: str, table: Transactions, support: int, kind: SetKind) -> MinedSets:
    miner = getattr(_package(), name)
    transactions = [items.tolist() for items in table.lines]
    frequent = Counter(chain.from_iterable(transactions))
    if all(count < support for count in frequent.values()):
        return MinedSets.of([])  # IsTa of pyfim 6.28 crashes when no item is frequent
    # pyfim answers [] when all transactions are equal, so there is always one that is not.
    transactions.append([DUMMY])
    # A negative support is a number of transactions; a positive one would be per cent.
    target = "m" if kind == "maximal" else "c"
    itemsets = miner(transactions, target=target, supp=-support, zmin=1, report="a")
    return MinedSets.of((items, count) for items, count in itemsets if DUMMY not in items)


def _package() -> Any:
    try:
        return importlib.import_module("fim")
    except ImportError:
        raise MissingExtraError("pyfim", "mine") from None
