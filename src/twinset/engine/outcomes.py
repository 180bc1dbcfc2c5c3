"""What a run has decided on each document, out of the tables of its findings."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from twinset.model import Floats, Ints
from twinset.model.columns import flags, numbers, scalar
from twinset.model.outcomes import Outcomes


def outcomes_of(
    documents: pa.Table, clusters: pa.Table, keep: NDArray[np.bool_] | None = None
) -> Outcomes:
    """One entry per row of the documents; without ``keep`` those go that another one replaces."""
    ids = documents["id"].combine_chunks()
    kept_as = documents["kept_as"].combine_chunks()
    if keep is None:
        keep = flags(pc.is_null(kept_as))
    score: Floats = numbers(documents["kept_score"])
    unread = flags(pc.equal(documents["status"].combine_chunks(), scalar("bad")))
    return Outcomes(keep, clusters_of(ids, clusters), kept_as, score, ids, unread)


def clusters_of(ids: pa.Array, clusters: pa.Table) -> Ints:
    """The lowest number of the clusters that each document is in, -1 outside of them."""
    cluster: Ints = np.full(len(ids), -1, dtype=np.int64)
    if clusters.num_rows:
        rows = numbers(pc.index_in(clusters["id"].combine_chunks(), value_set=ids))
        order = np.argsort(-numbers(clusters["cluster"]), kind="stable")
        cluster[rows[order]] = numbers(clusters["cluster"])[order]
    return cluster
