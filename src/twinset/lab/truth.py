"""The two sides of an evaluation: what is true, and what was found, in a report or in a list.

`evaluate`, `compare` and `tune` take the same options for the truth, and count the same pairs.

The found pairs of a report are what it has decided. Where its clusters are closed sets, these are
the decision: two documents are a pair if one set holds both (``by="clusters"``). Otherwise its
pairs are (``by="pairs"``): the listed ones and, where it lists pairs of leaders only
(``implied_pairs`` counts the others), those that equal documents imply. Its clusters are the
report's own or, where these overlap, the connected components of the pairs.

`PairAgreement` counts the pairs of both sides, and has their curve over the threshold.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import pyarrow as pa

from twinset.errors import MissingFileError, PlanError, ReportError
from twinset.lab.lists import (
    ClusterList,
    DuplicateList,
    ListFormat,
    PairList,
    list_source,
    read_list,
)
from twinset.lab.pairs import (
    Bools,
    DocumentIds,
    FiveNumbers,
    NumberedPairs,
    PairSet,
    Side,
    count_common,
    five_numbers_among,
    note_on_overlap,
    number_pairs,
    side_of_clusters,
    side_of_list,
    side_of_pairs,
)
from twinset.model import Ints
from twinset.model import compute as pc
from twinset.model.columns import column, numbers
from twinset.result import read, recover
from twinset.result.words import explained, image_facts, is_listed_whole, not_listed, older
from twinset.system.remote import is_remote

CURVE_POINTS = 200
FIRST = 5  # unknown ids that a note lists
YES_OR_NO = {-1.0, 0.0, 1.0}
REMOVE_THEM = "remove them from it if that is not meant"


@dataclass(frozen=True)
class TruthOptions:
    """The options of a truth; `evaluate` describes them."""

    data: Any
    ignore: Any = None
    only_judged: bool = False
    grade: float | None = None
    columns: tuple[str, ...] = ()
    name: str = "the truth"
    option: str = "--truth"

    @property
    def about(self) -> dict[str, Any]:
        """What a manifest says of it."""
        sources = {"truth": list_source(self.data), "ignore": list_source(self.ignore)}
        return {**sources, "grade": self.grade, "only_judged": self.only_judged}


@dataclass(frozen=True)
class Truth:
    """True pairs over numbered documents: the known ones first, then those only a list names.

    Where only judged pairs count, ``judged`` has those with a grade or, where the truth has no
    grades, ``covered`` the documents whose pairs were all judged.
    """

    side: Side
    ids: DocumentIds
    ignored: PairSet | None
    judged: NumberedPairs | None
    covered: Bools | None
    notes: tuple[str, ...]

    @classmethod
    def read(
        cls,
        options: TruthOptions,
        known: pa.Array,
        more_ids: tuple[pa.Array, ...] = (),
        *,
        unknown: Literal["accept", "count", "drop", "omit"] = "count",
        remedy: str = REMOVE_THEM,
        graded: bool | None = None,
    ) -> Truth:
        """Read the truth and the pairs to ignore, and number their documents.

        ``known`` are the ids of the documents. Pairs of ``unknown`` ids are counted as missed or
        dropped, with a note, or omitted, where ``known`` is a sample; "accept" is for lists, which
        do not say what documents there are:
        then the ids are numbered alphabetically. ``more_ids`` are numbered as well.
        """
        graded = options.grade is not None if graded is None else graded
        listed = read_list(options.data, ListFormat(options.option, options.columns, graded, known))
        ignored = None
        if options.ignore is not None:
            form = ListFormat("--ignore", known=known, nameable=False)
            ignored = read_list(options.ignore, form)
        names = [known, *listed.ids, *(ignored.ids if ignored else ()), *more_ids]
        ids = DocumentIds(names, ordered=unknown == "accept")
        side = _true_side(listed, ids, options)
        notes = list(side.notes)
        if unknown != "accept":
            is_known = np.arange(len(ids)) < len(known)
            side = without_unknown(side, is_known, ids, options.name, notes, unknown, remedy)
        judged = judged_pairs(side) if options.only_judged else None
        covered = side.named if options.only_judged and judged is None else None
        return cls(side, ids, _ignored_pairs(ignored, ids), judged, covered, tuple(notes))

    @cached_property
    def _judged(self) -> PairSet | None:
        if self.judged is None:
            return None
        return PairSet.of_pairs(self.judged.left, self.judged.right, self.side.pairs.documents)

    def agreement(self, side: Side) -> PairAgreement:
        """These true pairs against the found ones of a side."""
        if self.covered is not None:
            side = side.restricted(self.covered)
        return PairAgreement(self, side)

    def counts(self, left: Ints, right: Ints) -> Bools:
        """Whether each of these pairs was judged, where only such count, and is not ignored."""
        judged = self.has_judged(left, right)
        return judged if self.ignored is None else judged & ~self.ignored.contains(left, right)

    def has_judged(self, left: Ints, right: Ints) -> Bools:
        """Whether each of these pairs was judged, where only such pairs count."""
        if self._judged is not None:
            return self._judged.contains(left, right)
        if self.covered is not None:
            return self.covered[left] & self.covered[right]
        return np.ones(len(left), bool)


@dataclass(frozen=True)
class PairAgreement:
    """Found pairs against true ones, where some may count neither way."""

    truth: Truth
    found: Side

    @cached_property
    def numbers(self) -> FiveNumbers:
        """The counts, without writing out pairs that are not written out already."""
        true_pairs, found_pairs = self.truth.side.pairs, self.found.pairs
        judged, ignored = self.truth.judged, self.truth.ignored
        if judged is not None:
            rows = judged.where(self.truth.counts(judged.left, judged.right))
            return five_numbers_among(rows, true_pairs, found_pairs)
        common = count_common(true_pairs, found_pairs)
        numbers = FiveNumbers(true_pairs.count(), found_pairs.count(), common)
        if ignored is None:
            return numbers
        left_out = five_numbers_among(
            NumberedPairs(ignored.first, ignored.second), true_pairs, found_pairs
        )
        return FiveNumbers(
            numbers.reference - left_out.reference,
            numbers.found - left_out.found,
            numbers.common - left_out.common,
        )

    def missed(self) -> Iterator[NumberedPairs]:
        """The true pairs that were not found, a chunk at a time."""
        yield from self._unique(self.truth.side, self.found)

    def extra(self) -> Iterator[NumberedPairs]:
        """The found pairs that are not true, a chunk at a time, with any scores."""
        yield from self._unique(self.found, self.truth.side)

    def curve(self) -> pa.Table | None:
        """Precision and recall if the threshold were raised to each score; None without scores.

        Of many distinct scores `CURVE_POINTS` are shown, the lowest and the highest among them.
        """
        listing = self.found.listing
        if listing is None or listing.value is None:
            return None
        counts = self.truth.counts(listing.left, listing.right) & ~np.isnan(listing.value)
        pairs = listing.where(counts)
        if pairs.value is None or not len(pairs):
            return None
        order = np.argsort(-pairs.value, kind="stable")
        score = pairs.value[order]
        true = self.truth.side.pairs.contains(pairs.left[order], pairs.right[order])
        last = np.flatnonzero(np.append(score[1:] != score[:-1], True))
        shown = last[np.unique(np.linspace(0, len(last) - 1, CURVE_POINTS).round().astype(int))]
        shown = shown[::-1]
        found_count, common = shown + 1, np.cumsum(true)[shown]
        precision = common / found_count
        reference = self.numbers.reference
        recall = common / reference if reference else np.ones(len(shown))
        both = precision + recall
        f1 = np.divide(2 * precision * recall, both, out=np.zeros(len(both)), where=both > 0)
        return pa.table(
            {
                "threshold": column(score[shown]),
                "found": column(found_count.astype(np.int64)),
                "common": column(common.astype(np.int64)),
                "precision": column(precision),
                "recall": column(recall),
                "f1": column(f1),
            }
        )

    def _unique(self, side: Side, other: Side) -> Iterator[NumberedPairs]:
        for pairs in self._listed(side):
            left, right = pairs.left, pairs.right
            rows = side.pairs.contains(left, right) & ~other.pairs.contains(left, right)
            rows &= self.truth.counts(left, right)
            if rows.any():
                yield pairs.where(rows)

    def _listed(self, side: Side) -> Iterator[NumberedPairs]:
        """The pairs of a side with any values; only judged ones where no others count."""
        listing = self.truth.judged if side.listing is None else side.listing
        if listing is not None:
            yield listing
            return
        for left, right in side.pairs.chunks():
            yield NumberedPairs(left, right)


def _true_side(listed: DuplicateList, ids: DocumentIds, options: TruthOptions) -> Side:
    """The true pairs; where pairs have grades, those of at least the least grade."""
    name = options.name
    if isinstance(listed, ClusterList):
        if options.grade is not None:
            raise PlanError([f"grade is for graded pairs, and {name} holds clusters: leave it out"])
        return side_of_clusters(listed, ids, name)
    least = least_grade(listed, options)
    listing, notes = number_pairs(listed, None if least is None else listed.grade, ids, name)
    notes = [*listed.notes, *notes]
    named = ids.named(listed.ids)
    if least is None or listing.value is None:
        return side_of_pairs(listing, ids, named, notes)
    true = side_of_pairs(listing.where(listing.value >= least), ids, named, notes)
    return Side(true.pairs, true.clusters, named, listing, true.notes)


def judged_pairs(truth: Side) -> NumberedPairs | None:
    """The pairs that were judged one by one: those with grades.

    None where the truth lists near-duplicates alone, as pairs or clusters: then every pair of the
    documents that it names was judged.
    """
    listing = truth.listing
    return None if listing is None or listing.value is None else listing


def least_grade(listed: PairList, options: TruthOptions) -> float | None:
    """The lowest grade of a true pair; None where pairs have no grades."""
    grade, name = options.grade, options.name
    if listed.grade is None:
        if grade is not None:
            raise PlanError(
                [
                    f"{name}: there is no column of grades; name it, as {options.option}-columns "
                    "left,right,grade, or leave out --grade"
                ]
            )
        return None
    values = np.unique(listed.grade[~np.isnan(listed.grade)])
    if grade is not None:
        if len(values) and grade > values[-1]:
            raise PlanError(
                [
                    f"{name}: no pair has a grade of {grade:g} or more; grades go from "
                    f"{values[0]:g} to {values[-1]:g}"
                ]
            )
        return grade
    if set(values.tolist()) <= YES_OR_NO:
        return 1.0
    raise PlanError(
        [
            f"{name}: there are grades from {values[0]:g} to {values[-1]:g}; give the lowest grade "
            f"of a true pair, as --grade {values[len(values) // 2]:g}"
        ]
    )


def without_unknown(
    side: Side,
    known: Bools,
    ids: DocumentIds,
    name: str,
    notes: list[str],
    unknown_ids: str,
    remedy: str,
) -> Side:
    """Count, drop or omit the pairs of ids that no document has, with a note unless omitted."""
    if unknown_ids == "omit":
        return side.restricted(known)
    drop = unknown_ids == "drop"
    unknown = np.flatnonzero(side.named & ~known)
    if not len(unknown):
        return side
    first = ", ".join(ids.names.take(column(unknown[:FIRST])).to_pylist())
    more = ", ..." if len(unknown) > FIRST else ""
    known_side = side.restricted(known)
    lost = side.pairs.count() - known_side.pairs.count()
    effect = f"left out: {lost:,}" if drop else f"counted as not found: {lost:,} ({remedy})"
    notes.append(
        f"{name}: ids that no document has: {len(unknown):,} ({first}{more}), their pairs {effect}"
    )
    return known_side if drop else side


def _ignored_pairs(listed: DuplicateList | None, ids: DocumentIds) -> PairSet | None:
    """The pairs that count neither way."""
    if listed is None:
        return None
    if isinstance(listed, ClusterList):
        raise PlanError(["--ignore takes pairs, not clusters: list them as left,right"])
    return PairSet.of_pairs(ids.numbers(listed.left), ids.numbers(listed.right), len(ids))


By = Literal["auto", "pairs", "clusters"]
BY: tuple[str, ...] = get_args(By)


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
