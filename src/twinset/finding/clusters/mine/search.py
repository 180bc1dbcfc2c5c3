"""Our own search behind the interface of the miners, and with bounds on what it may take.

It looks for clusters, so it leaves out sets of one item; `with_singles` adds them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from twinset import _kernels
from twinset.errors import TwinsetError
from twinset.finding.clusters.closed_sets import ClosedSets, SetKind, searched_sets
from twinset.finding.clusters.mine.sets import MinedSets, Transactions
from twinset.model import Ragged

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
