"""Which copy is preferred: the keep policy as an order of all documents."""

from __future__ import annotations

import fnmatch
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from twinset.engine.collect import Collected
from twinset.model import Ints
from twinset.plan import Plan


@dataclass(frozen=True, slots=True)
class Preference:
    """Document numbers, most preferred first; and which documents must never be removed."""

    order: Ints
    kept: NDArray[np.bool_]


def preference(documents: Collected, plan: Plan) -> Preference:
    """Documents that must stay, then by the policy; equals by id, so input order plays no part."""
    kept = _never_removed(documents, plan.never_remove)
    rank = plan.keep.rank(documents.units, documents.order)
    if rank is None:
        order = np.arange(len(documents)) if not kept.any() else np.argsort(~kept, kind="stable")
        return Preference(order, kept)
    by_id = np.argsort(np.argsort(documents.ids.to_numpy(zero_copy_only=False), kind="stable"))
    return Preference(np.lexsort((by_id, rank, ~kept)), kept)


def _never_removed(documents: Collected, pattern: str | None) -> NDArray[np.bool_]:
    """Documents whose id or source matches the pattern (``*`` and ``?`` as in a shell)."""
    if pattern is None:
        return np.zeros(len(documents), bool)
    by_source: NDArray[np.bool_] = np.array(
        [fnmatch.fnmatch(s, pattern) for s in documents.sources], bool
    )
    ids = documents.ids.to_pylist()
    by_id: NDArray[np.bool_] = np.array([fnmatch.fnmatch(i, pattern) for i in ids], bool)
    return by_id | by_source[documents.source]
