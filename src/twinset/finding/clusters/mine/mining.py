"""The door of the miners: a name, a table, a support and a kind of sets."""

from __future__ import annotations

import importlib
from typing import Protocol

from twinset.errors import PlanError
from twinset.finding.clusters.closed_sets import SetKind
from twinset.finding.clusters.context import Context
from twinset.finding.clusters.mine import ALGORITHMS, check
from twinset.finding.clusters.mine.sets import MinedSets, Transactions


class Miner(Protocol):
    """All sets of one or more items that lie in ``support`` lines, in any order."""

    def __call__(self, table: Transactions, support: int, kind: SetKind) -> MinedSets:
        """The maximal ones, or the closed ones."""
        ...


def load(name: str, kind: SetKind = "maximal") -> Miner:
    """The miner of a name; a message with the known names when there is none."""
    check(name, kind)
    module, _, function = ALGORITHMS[name].where.partition(":")
    miner: Miner = getattr(
        importlib.import_module(f"twinset.finding.clusters.mine.{module}"), function
    )
    return miner


def mine(
    name: str,
    table: Transactions | Context,
    support: int,
    kind: SetKind = "maximal",
    least_items: int = 2,
) -> MinedSets:
    """The sets of at least so many items that an algorithm finds, sorted."""
    if support < 1:
        raise PlanError([f"the support must be at least 1, not {support}"])
    if isinstance(table, Context):
        table = Transactions.of(table)
    if name != "search":  # which needs no lines
        table = table.without_short_lines(least_items)
    return load(name, kind)(table, support, kind).in_order(least_items)
