"""What a run has decided on each document, out of the tables of its findings."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset.model import Floats, Ints
from twinset.model import compute as pc
from twinset.model.columns import equal, numbers, valid
from twinset.model.outcomes import Outcomes


def outcomes_of(
    documents: pa.Table,
    clusters: pa.Table,
    keep: NDArray[np.bool_] | None = None,
    member: Ints | None = None,
) -> Outcomes:
    """One entry per row of the documents; without ``keep`` those go that another one replaces.

    ``member`` are the numbers of the documents in the clusters, where they are known.
    """
    ids = documents["id"].combine_chunks()
    kept_as = documents["kept_as"].combine_chunks()
    if keep is None:
        keep = ~valid(kept_as)
    score: Floats = numbers(documents["kept_score"])
    unread = equal(documents["status"].combine_chunks(), "bad")
    return Outcomes(keep, clusters_of(ids, clusters, member), kept_as, score, ids, unread)


def clusters_of(ids: pa.Array, clusters: pa.Table, member: Ints | None = None) -> Ints:
    """The lowest number of the clusters that each document is in, -1 outside of them."""
    outside = np.iinfo(np.int64).max
    lowest: Ints = np.full(len(ids), outside, dtype=np.int64)
    if clusters.num_rows:
        if member is None:
            member = numbers(pc.index_in(clusters["id"].combine_chunks(), value_set=ids))
        np.minimum.at(lowest, member, numbers(clusters["cluster"]))
    lowest[lowest == outside] = -1
    return lowest
