"""The miners behind one form, what they take and give, and which one to take for a table.

Ours looks for clusters, so it leaves out sets of one item; `with_singles` adds them. The compiled
ones are each the algorithm of its paper, which ``_kernels/mine_*.hpp`` describe. Christian
Borgelt's come from the package ``pyfim`` (optional), without which two are ``plain``.
"""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from twinset import _kernels
from twinset.errors import MissingExtraError, PlanError, TwinsetError
from twinset.finding.clusters.closed_sets import ClosedSets, Context, SetKind, searched_sets
from twinset.finding.clusters.mine import ALGORITHMS, check, plain
from twinset.model import Ragged

if TYPE_CHECKING:
    from typing_extensions import Self


class Transactions:
    """One table, both ways: the items of each line, and the lines of each item.

    Items play the documents of a context and lines its features. Each way is made when it is first
    asked for.
    """

    def __init__(self, lines: Ragged[np.int32] | None, items: int, context: Context | None = None):
        self.items = items
        if lines is not None:
            self.lines = lines
        if context is not None:
            self.context = context

    @classmethod
    def of(cls, context: Context) -> Self:
        """The table of a context: a line per feature, its items the documents."""
        return cls(None, len(context), context)

    @cached_property
    def lines(self) -> Ragged[np.int32]:
        """The items of each line, ascending."""
        _, owners = self.context.inverted()
        return Ragged(owners.values.astype(np.int32), owners.offsets)

    @cached_property
    def context(self) -> Context:
        """The lines of each item: its features are the numbers of the lines."""
        offsets, lines = _kernels.transpose_lines(self.lines.offsets, self.lines.values, self.items)
        return Context(lines, offsets)

    def without_short_lines(self, least: int) -> Transactions:
        """The table without lines of fewer items: they hold no set of so many, whatever the set."""
        is_long = self.lines.lengths >= least
        if is_long.all():
            return self
        return Transactions(self.lines.take(np.flatnonzero(is_long)), self.items)


@dataclass(frozen=True, slots=True, eq=False)
class MinedSets:
    """Sets of items, each with the number of lines that hold it, and the steps of the miner.

    What a step is differs from miner to miner; 0 means that the miner does not count.
    """

    items: Ragged[np.int32]
    supports: NDArray[np.int32]
    steps: int = 0

    @classmethod
    def of(cls, sets: Iterable[tuple[Iterable[int], int]], steps: int = 0) -> Self:
        """Sets that are Python objects, as arrays."""
        pairs = [(list(items), support) for items, support in sets]
        rows = Ragged.from_rows([items for items, _ in pairs], np.int32)
        return cls(rows, np.array([support for _, support in pairs], np.int32), steps)

    def __eq__(self, other: object) -> bool:
        """Whether the sets are the same in the same order, whoever found them."""
        if not isinstance(other, MinedSets):
            return NotImplemented
        return self.items == other.items and np.array_equal(self.supports, other.supports)

    __hash__ = None  # type: ignore[assignment]

    def __len__(self) -> int:
        return len(self.supports)

    def __iter__(self) -> Iterator[tuple[tuple[int, ...], int]]:
        for items, support in zip(self.items, self.supports.tolist(), strict=True):
            yield tuple(items.tolist()), support

    def in_order(self, least_items: int = 1) -> MinedSets:
        """The sets of at least so many items, sorted: the same bytes from every miner."""
        arrays = self.items.offsets, self.items.values, self.supports
        offsets, items, supports, _ = _kernels.sort_sets(*arrays, least_items)
        return MinedSets(Ragged(items, offsets), supports, self.steps)


Miner = Callable[[Transactions, int, SetKind], MinedSets]
"""Gives all sets of one or more items that lie in so many lines, in any order: the maximal or the
closed ones."""


def load(name: str, kind: SetKind = "maximal") -> Miner:
    """The miner of a name; a message with the known names when there is none."""
    check(name, kind)
    if name == "search":
        return search
    return partial(borgelt if ALGORITHMS[name].needs_pyfim else compiled, name)


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


def compiled(
    name: str, table: Transactions, support: int, kind: SetKind, prune: bool = True
) -> MinedSets:
    """A miner of our kernels.

    Without ``prune`` it does without the pruning that is its own: the same sets after more steps.
    That is for tests and for those who study the algorithms; no option leads there.
    """
    kernel = getattr(_kernels, f"mine_{name}")
    arrays = table.lines.offsets, table.lines.values, table.items
    offsets, items, supports, steps = kernel(*arrays, support, kind == "maximal", prune)
    return MinedSets(Ragged(items, offsets), supports, steps)


DUMMY = -1


def borgelt(name: str, table: Transactions, support: int, kind: SetKind) -> MinedSets:
    """A miner of pyfim or, where that is missing, a plain one."""
    try:
        miner = getattr(importlib.import_module("fim"), name)
    except ImportError:
        if name in plain.MINERS:
            return MinedSets.of(plain.MINERS[name](table.lines, table.items, support, kind))
        raise MissingExtraError("pyfim", "mine") from None
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


UNBOUNDED = 2**62
MAX_WORK = 20_000_000_000
MAX_MEMBERS = 100_000_000


def search(table: Transactions, support: int, kind: SetKind) -> MinedSets:
    """Exact or an error: the other miners know no cover to compare with."""
    sets = searched_sets(table.context, _least(table, support), kind, 3 * (UNBOUNDED,))
    if sets.components.truncated.any() or sets.cut:
        raise TwinsetError("the search was cut: " + "; ".join(sets.notes()))
    return with_singles(sets, table, support, kind)


def bounded_search(
    table: Transactions, support: int, kind: SetKind, max_sets: int, threads: int
) -> ClosedSets:
    """The sets, with a cover of each component that meets a bound."""
    limits = (max_sets, MAX_WORK, MAX_MEMBERS)
    return searched_sets(table.context, _least(table, support), kind, limits, threads=threads)


def _least(table: Transactions, support: int) -> NDArray[np.int32]:
    return np.full(table.items, min(support, 2**31 - 1), np.int32)


def with_singles(sets: ClosedSets, table: Transactions, support: int, kind: SetKind) -> MinedSets:
    """The sets, and after them the single items that are sets of this kind.

    An item is closed if no other one lies in all its lines, and maximal if it shares enough lines
    with no other one. A complete search has found the set of those that lie in all lines of an
    item; after a bounded one the table has to be asked. The steps are the operations that the
    search counts against its bound.
    """
    lines = table.context.lengths
    single = lines >= support
    if kind == "maximal":
        single[sets.members.flat] = False
    elif not sets.cut and not sets.components.truncated.any():
        members = sets.members.flat
        in_all_lines = np.repeat(sets.support, sets.members.lengths) == lines[members]
        single[members[in_all_lines]] = False
    else:
        arrays = table.lines.offsets, table.lines.values
        single &= _kernels.closed_items(*arrays, table.items).astype(bool)
    items = np.flatnonzero(single).astype(np.int32)
    rows = Ragged.concatenate([sets.members, Ragged(items, np.arange(len(items) + 1))], np.int32)
    supports = np.concatenate([sets.support, lines[items].astype(np.int32)])
    return MinedSets(rows, supports, int(sets.components.work.sum()))


NEAR = 2.0
"""Near-duplicates: on average, an item lies in fewer than this many times the support of lines."""
SCATTERED = 0.01
"""Near-duplicates: on average, an item lies in less than this share of all lines."""
MANY = 20_000
"""Items above which bitmaps of their lines take too long."""


def choose(table: Transactions, support: int, kind: SetKind) -> tuple[str, str]:
    """The name of a miner, and why."""
    lines = np.bincount(table.lines.flat, minlength=table.items)
    frequent = lines[lines >= support]
    return choose_by(len(frequent), int(frequent.sum()), len(table.lines), support, kind)


def choose_by(
    frequent: int, together: int, lines: int, support: int, kind: SetKind
) -> tuple[str, str]:
    """The same by the number of frequent items, the sum of their lines and all lines."""
    if frequent == 0:
        return _otherwise(kind), "no item is frequent"
    mean = together / frequent
    if mean < NEAR * support and mean < SCATTERED * lines:
        return "search", (
            f"the {frequent:,} frequent items lie in {mean:,.0f} lines on average, near the "
            f"support of {support:,}, and in few of all {lines:,}: near-duplicates"
        )
    if kind == "maximal" and frequent > MANY:
        return "afopt", f"{frequent:,} items are frequent, too many for bitmaps"
    return _otherwise(kind), (
        f"{frequent:,} items are frequent, in {mean:,.0f} of {lines:,} lines on average"
    )


def _otherwise(kind: SetKind) -> str:
    return "lcm" if kind == "closed" else "mafia"
