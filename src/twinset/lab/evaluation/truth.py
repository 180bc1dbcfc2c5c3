"""The side of the truth: pairs, clusters or graded pairs, and what of it is not known."""

from __future__ import annotations

import numpy as np

from twinset.errors import PlanError
from twinset.lab.evaluation.list_files import Listed, PairList, SetList
from twinset.lab.evaluation.pair_set import Bools, Relation
from twinset.lab.evaluation.sides import (
    Ids,
    Listing,
    Side,
    listing_of,
    only,
    side_of_pairs,
    side_of_sets,
)
from twinset.model.columns import column

FIRST = 5  # unknown ids that are listed
YES_OR_NO = {-1.0, 0.0, 1.0}


def true_side(listed: Listed, ids: Ids, grade: float | None, name: str) -> Side:
    """The true pairs; where pairs have grades, those of at least ``grade``."""
    if isinstance(listed, SetList):
        if grade is not None:
            raise PlanError([f"grade is for graded pairs, and {name} holds clusters: leave it out"])
        return side_of_sets(listed, ids, name)
    least = least_grade(listed, grade, name)
    listing, notes = listing_of(listed, None if least is None else listed.grade, ids, name)
    notes = [*listed.notes, *notes]
    named = ids.named(listed.ids)
    if least is None or listing.value is None:
        return side_of_pairs(listing, ids, named, notes)
    true = side_of_pairs(listing.where(listing.value >= least), ids, named, notes)
    return Side(true.pairs, true.clusters, named, listing, true.notes)


def judged_pairs(truth: Side) -> Listing | None:
    """The pairs that were judged one by one: those with grades.

    None where the truth lists near-duplicates alone, as pairs or clusters: then every pair of the
    documents that it names was judged.
    """
    listing = truth.listing
    return None if listing is None or listing.value is None else listing


def least_grade(
    listed: PairList, grade: float | None, name: str, option: str = "--truth"
) -> float | None:
    """From which grade on a pair is true; None where pairs have no grades."""
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
            f"{name}: there are grades from {values[0]:g} to {values[-1]:g}; say from which one on "
            f"a pair is true, as --grade {values[len(values) // 2]:g}"
        ]
    )


def without_unknown(
    side: Side,
    known: Bools,
    ids: Ids,
    name: str,
    notes: list[str],
    *,
    drop: bool = False,
    remedy: str = "remove them from it if that is not meant",
) -> Side:
    """Tell of ids that no document has and, if asked to, leave them out."""
    unknown = np.flatnonzero(side.named & ~known)
    if not len(unknown):
        return side
    first = ", ".join(ids.names.take(column(unknown[:FIRST])).to_pylist())
    more = ", ..." if len(unknown) > FIRST else ""
    kept = only(side, known)
    lost = side.pairs.count() - kept.pairs.count()
    done = f"left out: {lost:,}" if drop else f"counted as not found: {lost:,} ({remedy})"
    notes.append(
        f"{name}: ids that no document has: {len(unknown):,} ({first}{more}), their pairs {done}"
    )
    return kept if drop else side


def ignored_pairs(listed: Listed | None, ids: Ids) -> Relation | None:
    """The pairs that count neither way."""
    if listed is None:
        return None
    if isinstance(listed, SetList):
        raise PlanError(["--ignore takes pairs, not clusters: list them as left,right"])
    return Relation.of_pairs(ids.numbers(listed.left), ids.numbers(listed.right), len(ids))
