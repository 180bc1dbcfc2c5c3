"""The truth: pairs, clusters or graded pairs, read against the documents that are known.

`evaluate`, `compare` and `tune` take the same options for it, and count the same pairs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
import pyarrow as pa

from twinset.errors import PlanError
from twinset.lab.evaluation.list_columns import Kind, ListFormat
from twinset.lab.evaluation.list_files import read_list
from twinset.lab.evaluation.lists import ClusterList, DuplicateList, PairList
from twinset.lab.evaluation.measures import PairAgreement
from twinset.lab.evaluation.pair_set import Bools, PairSet
from twinset.lab.evaluation.sides import (
    DocumentIds,
    NumberedPairs,
    Side,
    number_pairs,
    side_of_clusters,
    side_of_pairs,
)
from twinset.model import Ints
from twinset.model.columns import column

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
    kind: Kind = "auto"
    columns: tuple[str, ...] = ()
    name: str = "the truth"


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
        unknown: Literal["accept", "count", "drop"] = "count",
        remedy: str = REMOVE_THEM,
    ) -> Truth:
        """Read the truth and the pairs to ignore, and number their documents.

        ``known`` are the ids of the documents. Pairs of ``unknown`` ids are counted as missed or
        dropped, with a note; "accept" is for lists, which do not say what documents there are:
        then the ids are numbered alphabetically. ``more_ids`` are numbered as well.
        """
        numbered = number_truth(
            options,
            known,
            more_ids,
            graded=options.grade is not None,
            ordered=unknown == "accept",
        )
        side, ids = numbered.side, numbered.ids
        notes = list(side.notes)
        if unknown != "accept":
            is_known = np.arange(len(ids)) < len(known)
            drop = unknown == "drop"
            side = without_unknown(
                side, is_known, ids, options.name, notes, drop=drop, remedy=remedy
            )
        judged = judged_pairs(side) if options.only_judged else None
        covered = side.named if options.only_judged and judged is None else None
        return cls(side, ids, numbered.ignored, judged, covered, tuple(notes))

    def agreement(self, side: Side) -> PairAgreement:
        """These true pairs against the found ones of a side."""
        if self.covered is not None:
            side = side.restricted(self.covered)
        return PairAgreement(self.side, side, self.ignored, self.judged)

    def has_judged(self, left: Ints, right: Ints) -> Bools:
        """Whether each of these pairs was judged, where only such pairs count."""
        if self.judged is not None:
            documents = self.side.pairs.documents
            judged = PairSet.of_pairs(self.judged.left, self.judged.right, documents)
            return judged.contains(left, right)
        if self.covered is not None:
            return self.covered[left] & self.covered[right]
        return np.ones(len(left), bool)


class NumberedTruth(NamedTuple):
    """All true pairs of a list, those to ignore, and the ids that number their documents."""

    side: Side
    ignored: PairSet | None
    ids: DocumentIds


def number_truth(
    options: TruthOptions,
    known: pa.Array,
    more_ids: tuple[pa.Array, ...] = (),
    *,
    graded: bool,
    ordered: bool = False,
) -> NumberedTruth:
    """Read the lists of a truth and number their documents, the known ones first.

    ``graded`` and ``ordered`` are those of `ListFormat` and `DocumentIds`.
    """
    listed = read_list(
        options.data, ListFormat("--truth", options.kind, options.columns, graded, known)
    )
    ignored = _read_ignored(options.ignore, known)
    more_ids = (*(ignored.ids if ignored else ()), *more_ids)
    ids = DocumentIds([known, *listed.ids, *more_ids], ordered=ordered)
    side = _true_side(listed, ids, options.grade, options.name)
    return NumberedTruth(side, _ignored_pairs(ignored, ids), ids)


def _read_ignored(data: Any, known: pa.Array) -> DuplicateList | None:
    """The list of pairs that count neither way, if there is one."""
    if data is None:
        return None
    return read_list(data, ListFormat("--ignore", "pairs", known=known, nameable=False))


def _true_side(listed: DuplicateList, ids: DocumentIds, grade: float | None, name: str) -> Side:
    """The true pairs; where pairs have grades, those of at least ``grade``."""
    if isinstance(listed, ClusterList):
        if grade is not None:
            raise PlanError([f"grade is for graded pairs, and {name} holds clusters: leave it out"])
        return side_of_clusters(listed, ids, name)
    least = least_grade(listed, grade, name)
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


def least_grade(
    listed: PairList, grade: float | None, name: str, option: str = "--truth"
) -> float | None:
    """The lowest grade of a true pair; None where pairs have no grades."""
    if listed.grade is None:
        if grade is not None:
            raise PlanError(
                [
                    f"{name}: there is no column of grades; name it, as {option}-columns "
                    "left,right,grade, or leave out --grade"
                ]
            )
        return None
    if grade is not None:
        return grade
    values = np.unique(listed.grade[~np.isnan(listed.grade)])
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
    *,
    drop: bool = False,
    remedy: str = REMOVE_THEM,
) -> Side:
    """Add a note on ids that no document has and, with ``drop``, leave their pairs out."""
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
