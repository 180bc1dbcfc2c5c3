"""What a report found, as a side of an evaluation.

The found pairs of a report are all that it stands for: the listed ones and, where it lists pairs of
leaders only (``implied_pairs`` counts the others), those that equal documents imply.
``by="clusters"`` takes all pairs inside one cluster instead. Its clusters are the report's own;
where these overlap, the connected components of the pairs.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from twinset.columns import numbers
from twinset.evaluation.relation import Relation
from twinset.evaluation.sides import Ids, Listing, Side, side_of_pairs
from twinset.model import Ints
from twinset.report.words import is_listed_whole, not_listed

By = Literal["pairs", "clusters"]


def is_results(data: Any) -> bool:
    """Whether this is what a run found or a report that was opened."""
    return all(hasattr(data, name) for name in ("documents", "pairs", "clusters", "manifest"))


def document_ids(report: Any) -> pa.Array:
    """The ids of all documents, in reading order."""
    return report.documents["id"].cast(pa.large_string()).combine_chunks()


def side_of_report(report: Any, ids: Ids, by: By, name: str) -> Side:
    """The pairs and clusters of a report; ``ids`` begins with its documents."""
    named = np.zeros(len(ids), bool)
    named[: report.documents.num_rows] = True
    clusters, overlap = _clusters(report, ids)
    if by == "clusters":
        number = np.asarray(numbers(report.clusters["cluster"]), np.int64)
        pairs = Relation.of_sets(number, ids.numbers(report.clusters["id"]), len(ids))
        return Side(pairs, pairs.components() if overlap else clusters, named)
    left, right = (ids.numbers(report.pairs[side]) for side in ("left", "right"))
    notes = _notes(report.manifest, name)
    if report.manifest.get("implied_pairs"):
        pairs = Relation.of_classes(_classes(report, ids), left, right)
        return Side(pairs, pairs.components() if overlap else clusters, named, None, notes)
    low, high = np.minimum(left, right), np.maximum(left, right)
    order = np.lexsort((high, low))
    score = np.asarray(numbers(report.pairs["score"]), float)
    side = side_of_pairs(Listing(low[order], high[order], score[order]), ids, named, notes)
    return Side(side.pairs, side.clusters if overlap else clusters, named, side.listing, notes)


def _clusters(report: Any, ids: Ids) -> tuple[Ints, bool]:
    """The cluster of each document, and whether one lies in several."""
    member = ids.numbers(report.clusters["id"])
    labels = np.full(len(ids), -1, np.int64)
    labels[member] = numbers(report.clusters["cluster"])
    return labels, len(np.unique(member)) < len(member)


def _classes(report: Any, ids: Ids) -> Ints:
    """Documents with equal features have the number of the one that stands for them."""
    rows = report.documents
    leader = ids.numbers(pc.coalesce(rows["same_as"], rows["id"]))
    return np.concatenate([leader, np.arange(len(leader), len(ids))])


def _notes(manifest: dict[str, Any], name: str) -> tuple[str, ...]:
    if is_listed_whole(manifest):
        return ()
    sentence = not_listed(manifest)
    return (
        f"{name}: {sentence[:1].lower()}{sentence[1:]}; these count as not found, and "
        "--by clusters takes all pairs inside a cluster instead",
    )
