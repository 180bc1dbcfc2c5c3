"""Our own search behind the interface of the miners, and with bounds on what it may take.

It looks for clusters, so it leaves out sets of one item; `with_singles` adds them.
"""

from __future__ import annotations

import numpy as np

from twinset import _kernels
from twinset.clusters.closed import Closed
from twinset.clusters.closed_sets import ClosedSets, SetKind
from twinset.clusters.mine.sets import MinedSets, Transactions
from twinset.errors import TwinsetError
from twinset.model import Ragged

UNBOUNDED = 2**62
MAX_WORK = 20_000_000_000
MAX_MEMBERS = 100_000_000


def search(table: Transactions, support: int, kind: SetKind) -> MinedSets:
    """Exact or an error: the other miners know no cover to compare with."""
    options = Closed(
        k=support, kind=kind, max_sets=UNBOUNDED, max_work=UNBOUNDED, max_members=UNBOUNDED
    )
    sets = options.find(table.context)
    if sets.components.truncated.any() or sets.cut:
        raise TwinsetError("the search was cut: " + "; ".join(sets.notes()))
    return with_singles(sets, table, support, kind)


def bounded_search(
    table: Transactions, support: int, kind: SetKind, max_sets: int, threads: int
) -> ClosedSets:
    """The sets, with a cover of each component that meets a bound."""
    options = Closed(
        k=support, kind=kind, max_sets=max_sets, max_work=MAX_WORK, max_members=MAX_MEMBERS
    )
    return options.find(table.context, threads)


def with_singles(sets: ClosedSets, table: Transactions, support: int, kind: SetKind) -> MinedSets:
    """The sets, and after them the single items that are sets of this kind.

    An item is closed if no other one lies in all its lines, and maximal if it shares enough lines
    with no other one. The steps are the operations that the search counts against its bound.
    """
    lines = table.context.lengths
    single = lines >= support
    if kind == "maximal":
        single[sets.members.flat] = False
    else:
        arrays = table.lines.offsets, table.lines.values
        single &= _kernels.closed_items(*arrays, table.items).astype(bool)
    items = np.flatnonzero(single).astype(np.int32)
    rows = Ragged.concatenate([sets.members, Ragged(items, np.arange(len(items) + 1))], np.int32)
    supports = np.concatenate([sets.support, lines[items].astype(np.int32)])
    return MinedSets(rows, supports, int(sets.components.work.sum()))
