"""Labelled pairs of documents, out of lists of pairs, graded pairs or clusters.

A list that says only which pairs are near-duplicates is `open`: the others have to be sought.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from twinset.errors import PlanError, TwinsetError
from twinset.lab.evaluation.lists import ClusterList, DuplicateList, PairList
from twinset.lab.evaluation.truth import least_grade
from twinset.lab.learning.figures import Bools
from twinset.model import Ints
from twinset.model import compute as pc
from twinset.model.columns import numbers
from twinset.spec.numerals import counted

FIRST = 5  # ids that a message lists
PER_CLUSTER = 45
"""Pairs that one cluster gives: those of ten documents, so that a large one does not decide."""


class LabelError(TwinsetError):
    """Labels that nothing can be learnt from."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """Pairs of document numbers, left < right, each once; ``positive`` are near-duplicates.

    ``true`` are all known near-duplicates as left·N+right, also those that were not taken.
    """

    left: Ints
    right: Ints
    positive: Bools
    open: bool
    true: Ints
    notes: tuple[str, ...] = ()


def labelled(
    listed: DuplicateList, ids: pa.Array, grade: float | None, seed: int, name: str = "the labels"
) -> Labelled:
    """The labels of these documents; notes report what was left out."""
    if isinstance(listed, ClusterList):
        if grade is not None:
            raise PlanError([f"grade is for graded pairs, and {name} hold clusters: leave it out"])
        return _from_sets(listed, ids, seed, name)
    return _from_pairs(listed, ids, grade, name)


def _from_pairs(listed: PairList, ids: pa.Array, grade: float | None, name: str) -> Labelled:
    least = least_grade(listed, grade, name, "--labels")
    positive = np.ones(len(listed.left), bool)
    if least is not None and listed.grade is not None:
        positive = listed.grade >= least
    left, right = _numbered(listed.left, ids), _numbered(listed.right, ids)
    known = (left >= 0) & (right >= 0)
    notes = [*listed.notes, *_unknown(listed.ids, [left, right], int((~known).sum()), name)]
    itself = known & (left == right)
    if itself.any():
        pairs = counted(int(itself.sum()), "pair")
        were = "was" if itself.sum() == 1 else "were"
        notes.append(f"{pairs} of a document with itself {were} left out")
    use = known & ~itself
    if not use.any():
        raise LabelError(
            f"there is no pair of two documents of the collection in {name}: "
            f"{'; '.join(notes) or 'the list is empty'}; give the ids that 'twinset find' reports"
        )
    low, high = np.minimum(left, right)[use], np.maximum(left, right)[use]
    keys, positive = _each_once(low * len(ids) + high, positive[use], ids, name)
    if least is not None:
        _both_classes(positive, least, name)
    low, high = keys // len(ids), keys % len(ids)
    return Labelled(low, high, positive, least is None, keys[positive], tuple(notes))


def _both_classes(positive: Bools, least: float, name: str) -> None:
    if positive.all() or not positive.any():
        kind = "near-duplicates" if positive.all() else "no near-duplicates"
        raise LabelError(
            f"all {len(positive):,} pairs of {name} are {kind} (a label of at least {least:g}), "
            "and a model cannot learn from one class alone: label pairs of the other class as "
            "well, give another --grade, or give a list of near-duplicates without a column of "
            "labels, for which other pairs are then chosen"
        )


def _each_once(keys: Ints, positive: Bools, ids: pa.Array, name: str) -> tuple[Ints, Bools]:
    """Repeated pairs once; a pair with both labels is refused."""
    unique, place = np.unique(keys, return_inverse=True)
    ever = np.bincount(place, positive, minlength=len(unique)) > 0
    always = np.bincount(place, ~positive, minlength=len(unique)) == 0
    torn = np.flatnonzero(ever & ~always)
    if len(torn):
        pairs = [(int(unique[row]) // len(ids), int(unique[row]) % len(ids)) for row in torn]
        first = ", ".join(f"{ids[a].as_py()} and {ids[b].as_py()}" for a, b in pairs[:FIRST])
        raise LabelError(
            f"{name} give {counted(len(torn), 'pair')} both labels ({first}"
            f"{', ...' if len(torn) > FIRST else ''}): decide which one is right"
        )
    return unique, ever


def _from_sets(listed: ClusterList, ids: pa.Array, seed: int, name: str) -> Labelled:
    member = _numbered(listed.member, ids)
    notes = [*listed.notes, *_unknown(listed.ids, [member], int((member < 0).sum()), name)]
    rng = np.random.default_rng(seed)
    chosen, all_of_them = [], []
    order = np.argsort(listed.number, kind="stable")
    for part in np.split(order, np.flatnonzero(np.diff(listed.number[order])) + 1):
        inside = np.unique(member[part][member[part] >= 0])
        a, b = np.triu_indices(len(inside), 1)
        keys = inside[a] * len(ids) + inside[b]
        all_of_them.append(keys)
        some = rng.permutation(len(keys))[:PER_CLUSTER]
        chosen.append(keys[np.sort(some)])
    true = np.unique(np.concatenate([np.empty(0, np.int64), *all_of_them]))
    keys = np.unique(np.concatenate([np.empty(0, np.int64), *chosen]))
    if not len(keys):
        reason = "; ".join(notes) or "every cluster has one document"
        raise LabelError(f"no cluster of {name} has two documents of the collection: {reason}")
    if len(keys) < len(true):
        notes.append(f"of {len(true):,} pairs in clusters {len(keys):,} were drawn")
    left, right = keys // len(ids), keys % len(ids)
    return Labelled(left, right, np.ones(len(keys), bool), True, true, tuple(notes))


def _numbered(names: pa.Array, ids: pa.Array) -> Ints:
    """The number of the document of each id; -1 for an unknown one."""
    return numbers(pc.index_in(names.cast(ids.type), value_set=ids), missing=-1).astype(np.int64)


def _unknown(names: list[pa.Array], places: list[Ints], lost: int, name: str) -> list[str]:
    missing = [ids.filter(pa.array(place < 0)) for ids, place in zip(names, places, strict=True)]
    strange = pc.unique(pa.chunked_array(missing)).to_pylist()
    if not strange:
        return []
    first = ", ".join(map(str, strange[:FIRST])) + (", ..." if len(strange) > FIRST else "")
    return [
        f"{name} name {counted(len(strange), 'id')} that no document has ({first}); "
        f"entries left out: {lost:,}"
    ]


def groups_of(documents: int, left: Ints, right: Ints, positive: Bools) -> Ints:
    """A number for each pair: equal where near-duplicates connect the left documents."""
    from twinset import _kernels

    a, b = (side[positive].astype(np.uint32) for side in (left, right))
    roots = _kernels.component_roots(documents, a, b)
    return np.asarray(roots)[left].astype(np.int64)


def draw(rows: Ints, most: int, rng: np.random.Generator) -> Ints:
    """Up to ``most`` of the rows, in their order."""
    if len(rows) <= most:
        return rows
    return np.sort(rng.permutation(rows)[:most])
