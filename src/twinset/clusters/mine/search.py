"""Our own search behind the interface of the miners, and with bounds on what it may take."""

from __future__ import annotations

from twinset.clusters.closed import Closed
from twinset.clusters.closed_sets import ClosedSets, SetKind
from twinset.clusters.context import Context
from twinset.clusters.mine import Itemset
from twinset.errors import TwinsetError

UNBOUNDED = 2**62
MAX_WORK = 20_000_000_000
MAX_MEMBERS = 100_000_000


def search(context: Context, support: int, kind: SetKind) -> list[Itemset]:
    """Exact or an error: the other miners know no cover to compare with."""
    options = Closed(
        k=support, kind=kind, max_sets=UNBOUNDED, max_work=UNBOUNDED, max_members=UNBOUNDED
    )
    sets = options.find(context)
    if sets.components.truncated.any() or sets.cut:
        raise TwinsetError("the search was cut: " + "; ".join(sets.notes()))
    return list(sets)


def bounded_search(
    context: Context, support: int, kind: SetKind, max_sets: int, threads: int
) -> ClosedSets:
    """The sets, with a cover of each component that meets a bound."""
    options = Closed(
        k=support, kind=kind, max_sets=max_sets, max_work=MAX_WORK, max_members=MAX_MEMBERS
    )
    return options.find(context, threads)
