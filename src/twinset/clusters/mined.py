"""Closed sets of a miner other than our search, in the form in which the search gives them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from twinset import _kernels
from twinset.clusters.closed_sets import ClosedSets, ComponentFigures, SetKind
from twinset.clusters.context import Context
from twinset.clusters.mine.mining import mine
from twinset.errors import TwinsetError
from twinset.model import Ragged


def mined_sets(miner: str, context: Context, k: int, kind: SetKind, max_members: int) -> ClosedSets:
    """All sets of two or more documents that share ``k`` features; exact, or an error.

    Two documents that share ``k`` features are in a set, so that the sets alone tell the
    components of documents apart.
    """
    mined = mine(miner, context, k, kind)
    if len(mined.items.values) > max_members:
        raise TwinsetError(
            f"{miner} found {len(mined):,} sets with {len(mined.items.values):,} members, and "
            f"max_members is {max_members:,}: give a larger k or max_members, or take the miner "
            "search, which gives a cover of what is too large"
        )
    sets, members = mined.items.owners(), mined.items.values
    component_of = _components(sets, members, len(context))
    component = component_of[members[mined.items.offsets[:-1]]]
    leads = _leads(sets, members, len(context))
    order = _order(component, mined.items.where(leads[members]))
    count = int(component_of.max(initial=-1)) + 1
    figures = ComponentFigures(
        documents=np.bincount(component_of[component_of >= 0], minlength=count),
        classes=np.bincount(component_of[leads], minlength=count),
        sets=np.bincount(component, minlength=count),
        work=np.zeros(count, np.int64),
        truncated=np.zeros(count, np.uint8),
    )
    too_short = int((context.lengths < k).sum())
    least = np.full(len(context), min(k, 2**31 - 1), np.int32)
    every = np.ones(len(mined), np.uint8)
    return ClosedSets(
        mined.items.take(order),
        mined.supports[order],
        component[order],
        every,
        figures,
        component_of,
        least,
        too_short,
        0,
    )


def _components(
    sets: NDArray[np.int64], members: NDArray[np.int32], documents: int
) -> NDArray[np.int32]:
    """The component of each document, numbered by their first documents; -1 for one in no set."""
    together = sets[1:] == sets[:-1]
    left, right = members[:-1][together], members[1:][together]
    ends = left.astype(np.uint32), right.astype(np.uint32)
    roots = np.asarray(_kernels.component_roots(documents, *ends))
    inside = np.zeros(documents, bool)
    inside[members] = True
    component = np.full(documents, -1, np.int32)
    _, first, number = np.unique(roots[inside], return_index=True, return_inverse=True)
    component[inside] = np.argsort(np.argsort(first))[number]
    return component


def _leads(
    sets: NDArray[np.int64], members: NDArray[np.int32], documents: int
) -> NDArray[np.bool_]:
    """Whether a document is the first of those that are in the same sets."""
    by_document = np.argsort(members, kind="stable")
    lengths = np.bincount(members, minlength=documents)
    memberships = Ragged.from_lengths(sets[by_document], lengths)
    first: dict[bytes, int] = {}
    for document in np.flatnonzero(lengths).tolist():
        first.setdefault(memberships[document].tobytes(), document)
    leads = np.zeros(documents, bool)
    leads[list(first.values())] = True
    return leads


def _order(component: NDArray[np.int32], leaders: Ragged[np.int32]) -> NDArray[np.int64]:
    """By component, then by members that lead: as the search sorts, for which the others are one
    with the leader."""
    numbers = component.tolist()
    keys = [(numbers[number], row.tolist()) for number, row in enumerate(leaders)]
    return np.array(sorted(range(len(keys)), key=keys.__getitem__), np.int64)
