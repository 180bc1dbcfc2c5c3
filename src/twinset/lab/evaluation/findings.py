"""What a report found, as a side of an evaluation.

The found pairs of a report are what it has decided. Where its clusters are closed sets, these are
the decision: two documents are a pair if one set holds both (``by="clusters"``). Elsewhere the
pairs are (``by="pairs"``): the listed ones and, where it lists pairs of leaders only
(``implied_pairs`` counts the others), those that equal documents imply. Its clusters are the
report's own; where these overlap, the connected components of the pairs.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from twinset.errors import ReportError
from twinset.lab.evaluation.pair_set import Relation
from twinset.lab.evaluation.sides import Ids, Listing, Side, overlapping, side_of_pairs
from twinset.model import Ints
from twinset.model.columns import numbers
from twinset.report.manifest import explained, image_facts
from twinset.report.words import is_listed_whole, not_listed

By = Literal["auto", "pairs", "clusters"]


def is_results(data: Any) -> bool:
    """Whether this is what a run found or a report that was opened."""
    return all(hasattr(data, name) for name in ("documents", "pairs", "clusters", "manifest"))


def document_ids(report: Any) -> pa.Array:
    """The ids of all documents, in reading order."""
    return report.documents["id"].cast(pa.large_string()).combine_chunks()


def decided_by(manifest: dict[str, Any]) -> Literal["pairs", "clusters"]:
    """What of a report is its decision: closed sets are searched beside the pairs, not in them."""
    return "pairs" if image_facts(manifest) is None else "clusters"


def pairs_inside_clusters(report: Any) -> Relation:
    """All pairs of documents that one cluster holds, each once; documents in reading order."""
    return _inside_clusters(report, Ids([document_ids(report)]))


def side_of_report(report: Any, ids: Ids, by: By, name: str) -> Side:
    """The pairs and clusters of a report; ``ids`` begins with its documents."""
    named = np.zeros(len(ids), bool)
    named[: report.documents.num_rows] = True
    clusters, overlap = _clusters(report, ids)
    if (decided_by(report.manifest) if by == "auto" else by) == "clusters":
        pairs = _inside_clusters(report, ids)
        notes = _notes_on_sets(report, name, overlap)
        return Side(pairs, pairs.components() if overlap else clusters, named, None, notes)
    left, right = (_known(report, "pairs", side, ids) for side in ("left", "right"))
    notes = _notes(report.manifest, name)
    if report.manifest.get("implied_pairs"):
        pairs = Relation.of_classes(_classes(report, ids), left, right)
        return Side(pairs, pairs.components() if overlap else clusters, named, None, notes)
    low, high = np.minimum(left, right), np.maximum(left, right)
    order = np.lexsort((high, low))
    score = np.asarray(numbers(report.pairs["score"]), float)
    side = side_of_pairs(Listing(low[order], high[order], score[order]), ids, named, notes)
    return Side(side.pairs, side.clusters if overlap else clusters, named, side.listing, notes)


def _inside_clusters(report: Any, ids: Ids) -> Relation:
    number = np.asarray(numbers(report.clusters["cluster"]), np.int64)
    return Relation.of_sets(number, _known(report, "clusters", "id", ids), len(ids))


def _known(report: Any, table: str, column: str, ids: Ids) -> Ints:
    """The numbers of the documents that a column names; raises where one is not listed."""
    found = ids.numbers(getattr(report, table)[column])
    if (found < 0).any() or (found >= report.documents.num_rows).any():
        place = getattr(report, "folder", None)
        raise ReportError(
            f"{f'{place}/' if place else ''}{table}.parquet names documents that the report does "
            "not list; run again with --force"
        )
    return found


def _clusters(report: Any, ids: Ids) -> tuple[Ints, bool]:
    """The cluster of each document, and whether one lies in several."""
    member = _known(report, "clusters", "id", ids)
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


def _notes_on_sets(report: Any, name: str, overlap: bool) -> tuple[str, ...]:
    """What a reader has to know where the clusters were taken: which pairs, and what is missing."""
    notes = []
    explanation = explained(report.manifest)
    if explanation is not None:
        notes.append(
            f"{name}: its clusters are {explanation.noun}, and the pairs of documents inside them "
            "are what was found; --by pairs takes the pairs by similarity"
        )
        cut = (image_facts(report.manifest) or {}).get("truncated_documents", 0)
        if cut:
            notes.append(
                f"{name}: {cut:,} documents lie in components whose sets were cut to a cover, and "
                "pairs that no set of the cover holds count as not found"
            )
    if overlap:
        notes.append(overlapping(name))
    return tuple(notes)
