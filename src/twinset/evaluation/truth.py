"""The side of the truth: pairs, clusters or graded pairs, and what of it is not known."""

from __future__ import annotations

import numpy as np

from twinset.columns import column
from twinset.errors import PlanError
from twinset.evaluation.lists import Listed, PairList, SetList
from twinset.evaluation.relation import Bools, Relation
from twinset.evaluation.sides import Ids, Side, listing_of, only, side_of_pairs, side_of_sets
from twinset.model import Floats

FIRST = 5  # unknown ids that are listed
YES_OR_NO = {-1.0, 0.0, 1.0}


def true_side(listed: Listed, ids: Ids, grade: float | None, name: str) -> Side:
    """The true pairs; where pairs have grades, those of at least ``grade``."""
    if isinstance(listed, SetList):
        if grade is not None:
            raise PlanError([f"grade is for graded pairs, and {name} holds clusters: leave it out"])
        return side_of_sets(listed, ids, name)
    least = _least_grade(listed, grade, name)
    listing, notes = listing_of(listed, None if least is None else listed.grade, ids, name)
    notes = [*listed.notes, *notes]
    named = ids.named(listed.ids)
    if least is None or listing.value is None:
        return side_of_pairs(listing, ids, named, notes)
    true = side_of_pairs(listing.where(listing.value >= least), ids, named, notes)
    return Side(true.pairs, true.clusters, named, listing, true.notes)


def _least_grade(listed: PairList, grade: float | None, name: str) -> float | None:
    """From which grade on a pair is true; None where pairs have no grades."""
    if listed.grade is None:
        if grade is not None:
            raise PlanError(
                [
                    f"{name} has no column of grades: name it, as --truth-columns left,right,grade,"
                    " or leave out --grade"
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
            f"{name} has grades from {values[0]:g} to {values[-1]:g}: say from which one on a pair "
            f"is true, as --grade {_middle(values):g}"
        ]
    )


def _middle(values: Floats) -> float:
    return float(values[len(values) // 2])


def without_unknown(
    side: Side, known: Bools, drop: bool, ids: Ids, name: str, notes: list[str]
) -> Side:
    """Tell of ids that no document has and, if asked to, leave them out."""
    unknown = np.flatnonzero(side.named & ~known)
    if not len(unknown):
        return side
    first = ", ".join(ids.names.take(column(unknown[:FIRST])).to_pylist())
    more = ", ..." if len(unknown) > FIRST else ""
    kept = only(side, known)
    lost = side.pairs.count() - kept.pairs.count()
    done = "were left out" if drop else "count as not found (--only-known leaves them out)"
    notes.append(
        f"{name} names ids that no document of the report has: {len(unknown):,} ({first}{more}); "
        f"pairs with them, {lost:,} in all, {done}"
    )
    return kept if drop else side


def ignored_pairs(listed: Listed | None, ids: Ids) -> Relation | None:
    """The pairs that count neither way."""
    if listed is None:
        return None
    if isinstance(listed, SetList):
        raise PlanError(["--ignore takes pairs, not clusters: list them as left,right"])
    return Relation.of_pairs(ids.numbers(listed.left), ids.numbers(listed.right), len(ids))
