"""What was found, in a report or in a list, as a side of an evaluation.

The found pairs of a report are what it has decided. Where its clusters are closed sets, these are
the decision: two documents are a pair if one set holds both (``by="clusters"``). Otherwise its
pairs are (``by="pairs"``): the listed ones and, where it lists pairs of leaders only
(``implied_pairs`` counts the others), those that equal documents imply. Its clusters are the
report's own or, where these overlap, the connected components of the pairs.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from twinset.errors import MissingFileError, PlanError, ReportError
from twinset.lab.evaluation.list_columns import ListFormat
from twinset.lab.evaluation.list_files import read_list
from twinset.lab.evaluation.lists import PairList
from twinset.lab.evaluation.pair_set import PairSet
from twinset.lab.evaluation.sides import (
    DocumentIds,
    NumberedPairs,
    Side,
    note_on_overlap,
    side_of_list,
    side_of_pairs,
)
from twinset.model import Ints
from twinset.model import compute as pc
from twinset.model.columns import numbers
from twinset.report import read, recover
from twinset.report.facts import is_listed_whole, older
from twinset.report.manifest import explained, image_facts
from twinset.report.words import not_listed
from twinset.system.remote import is_remote

By = Literal["auto", "pairs", "clusters"]


def open_found(data: Any, columns: tuple[str, ...]) -> Any:
    """A report, or a list of pairs or clusters, from what the caller names.

    A report of documents that were held against older ones is a list of its pairs: it does not know
    all older documents, and so not whether a true pair was missed or could not be found.
    """
    opened = _opened_report(data)
    if opened is None:
        return _open_list(data, columns)
    if older(opened.manifest) is None:
        return opened
    left, right = (
        opened.pairs[side].cast(pa.large_string()).combine_chunks() for side in ("left", "right")
    )
    return PairList(left, right, score=np.asarray(numbers(opened.pairs["score"]), float))


def _opened_report(data: Any) -> Any:
    """The report that is named; None where something else is."""
    if is_report(data):
        return data
    if is_remote(data):
        return read(data)
    if isinstance(data, str | os.PathLike):
        path = Path(data)
        if path.is_dir() or (not path.exists() and recover(path)):
            return read(path)
    return None


def _open_list(data: Any, columns: tuple[str, ...]) -> Any:
    if isinstance(data, str | os.PathLike):
        path = Path(data)
        if path.is_file() and not path.stat().st_size:  # duplicates.txt of a run without any
            nothing = pa.array([], pa.large_string())
            return PairList(nothing, nothing, notes=(f"{path} is empty: nothing was found",))
        if not path.exists():
            raise MissingFileError(path, "report or file")
    return read_list(data, ListFormat("--found", columns=columns))


def is_report(data: Any) -> bool:
    """Whether this is an opened report or the findings of a run."""
    return all(hasattr(data, name) for name in ("documents", "pairs", "clusters", "manifest"))


def found_ids(opened: Any) -> pa.Array:
    """The ids of all documents of a report, in reading order, or those that a list names."""
    if is_report(opened):
        return opened.documents["id"].cast(pa.large_string()).combine_chunks()
    return pa.concat_arrays(opened.ids)


def found_side(opened: Any, ids: DocumentIds, by: By, name: str) -> Side:
    """The pairs and clusters of what `open_found` has opened."""
    if is_report(opened):
        return side_of_report(opened, ids, by, name)
    if by == "clusters" and isinstance(opened, PairList):
        raise PlanError(["by clusters needs a report or a file of clusters, not pairs"])
    return side_of_list(opened, ids, name)


def decided_by(manifest: dict[str, Any]) -> Literal["pairs", "clusters"]:
    """Which table of a report is its decision: sets are searched in images apart from the pairs."""
    return "pairs" if image_facts(manifest) is None else "clusters"


def pairs_inside_clusters(report: Any) -> PairSet:
    """All pairs of documents that share a cluster, each once; documents in reading order."""
    return _inside_clusters(report, DocumentIds([found_ids(report)]))


def side_of_report(report: Any, ids: DocumentIds, by: By, name: str) -> Side:
    """The pairs and clusters of a report; ``ids`` begins with its documents."""
    named = np.zeros(len(ids), bool)
    named[: report.documents.num_rows] = True
    clusters, overlap = _clusters(report, ids)
    if (decided_by(report.manifest) if by == "auto" else by) == "clusters":
        pairs = _inside_clusters(report, ids)
        notes = _notes_on_clusters(report, name, overlap)
        return Side(pairs, pairs.components() if overlap else clusters, named, None, notes)
    left, right = (_known(report, "pairs", side, ids) for side in ("left", "right"))
    notes = _notes_on_pairs(report.manifest, name)
    if report.manifest.get("implied_pairs"):
        pairs = PairSet.of_classes(_classes(report, ids), left, right)
        return Side(pairs, pairs.components() if overlap else clusters, named, None, notes)
    low, high = np.minimum(left, right), np.maximum(left, right)
    order = np.lexsort((high, low))
    score = np.asarray(numbers(report.pairs["score"]), float)
    side = side_of_pairs(NumberedPairs(low[order], high[order], score[order]), ids, named, notes)
    return Side(side.pairs, side.clusters if overlap else clusters, named, side.listing, notes)


def _inside_clusters(report: Any, ids: DocumentIds) -> PairSet:
    number = np.asarray(numbers(report.clusters["cluster"]), np.int64)
    return PairSet.of_clusters(number, _known(report, "clusters", "id", ids), len(ids))


def _known(report: Any, table: str, column: str, ids: DocumentIds) -> Ints:
    """The numbers of the documents that a column names; raises where one is not listed."""
    documents = ids.numbers(getattr(report, table)[column])
    if (documents < 0).any() or (documents >= report.documents.num_rows).any():
        folder = getattr(report, "folder", None)
        raise ReportError(
            f"{f'{folder}/' if folder else ''}{table}.parquet names documents that the report does "
            "not list; run again with --force"
        )
    return documents


def _clusters(report: Any, ids: DocumentIds) -> tuple[Ints, bool]:
    """The cluster of each document, and whether any clusters overlap."""
    member = _known(report, "clusters", "id", ids)
    labels = np.full(len(ids), -1, np.int64)
    labels[member] = numbers(report.clusters["cluster"])
    return labels, len(np.unique(member)) < len(member)


def _classes(report: Any, ids: DocumentIds) -> Ints:
    """For each document the number of its leader, which has the same features."""
    rows = report.documents
    leader = ids.numbers(pc.coalesce(rows["same_as"], rows["id"]))
    return np.concatenate([leader, np.arange(len(leader), len(ids))])


def _notes_on_pairs(manifest: dict[str, Any], name: str) -> tuple[str, ...]:
    if is_listed_whole(manifest):
        return ()
    sentence = not_listed(manifest)
    return (
        f"{name}: {sentence[:1].lower()}{sentence[1:]}; these count as not found, and "
        "--by clusters takes all pairs inside a cluster instead",
    )


def _notes_on_clusters(report: Any, name: str, overlap: bool) -> tuple[str, ...]:
    """Notes for a report whose clusters count: which pairs count, and which are missing."""
    notes = []
    explanation = explained(report.manifest)
    if explanation is not None:
        notes.append(
            f"{name}: its clusters are {explanation.noun}, and the pairs of documents inside them "
            "are what was found; --by pairs takes the pairs by similarity"
        )
        cut = (image_facts(report.manifest) or {}).get("truncated_documents", 0)
        if cut:
            lie = "document lies" if cut == 1 else "documents lie"
            notes.append(
                f"{name}: {cut:,} {lie} in components whose sets were cut to a cover, and "
                "pairs that no set of the cover holds count as not found"
            )
    if overlap:
        notes.append(note_on_overlap(name))
    return tuple(notes)
