"""Our own search behind the interface of the miners, with bounds far above any answer to print."""

from __future__ import annotations

from twinset.clusters.closed import Closed
from twinset.clusters.closed_sets import SetKind
from twinset.clusters.context import Context
from twinset.clusters.mine import Itemset
from twinset.errors import TwinsetError

UNBOUNDED = 2**62


def search(context: Context, support: int, kind: SetKind) -> list[Itemset]:
    """Exact or an error: the other miners know no cover to compare with."""
    options = Closed(
        k=support, kind=kind, max_sets=UNBOUNDED, max_work=UNBOUNDED, max_members=UNBOUNDED
    )
    found = options.find(context)
    if found.components.truncated.any() or found.cut:
        raise TwinsetError("the search was cut: " + "; ".join(found.notes()))
    return list(found)
