"""From what methods found to scores and tables, by a truth or by the judged pool."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from twinset.engine.manifest import version
from twinset.engine.progress import Progress
from twinset.lab.comparison.agreement import best_combinations, dice_matrix
from twinset.lab.comparison.documents import Collection
from twinset.lab.comparison.judge import EditJudge
from twinset.lab.comparison.pool import Bits, Pool, make_pool, sample, seen_by
from twinset.lab.comparison.result import Comparison
from twinset.lab.comparison.runner import Outcome
from twinset.lab.comparison.scores import Bools, Score, by_pool, by_truth
from twinset.lab.comparison.tables import (
    alone_table,
    coverage_table,
    dice_table,
    methods_table,
    shown_alone,
)
from twinset.lab.evaluation.list_files import Wanted, column_names
from twinset.lab.evaluation.lists import take, take_ignored
from twinset.lab.evaluation.pair_set import Relation
from twinset.lab.evaluation.sides import Ids, Listing, Side
from twinset.lab.evaluation.truth import ignored_pairs, judged_pairs, true_side, without_unknown
from twinset.model import Floats, Ints
from twinset.plan import Resources

MOST_JUDGED = 200_000
JUDGE = 0.8


@dataclass(frozen=True)
class Yardsticks:
    """What methods are measured by: a truth, or the pool of what all of them found."""

    truth: Any = None
    ignore: Any = None
    only_judged: bool = False
    grade: float | None = None
    truth_columns: str | Sequence[str] = ()
    pool: bool | None = None
    judge: float = JUDGE
    most_judged: int = MOST_JUDGED
    seed: int = 1

    def faults(self) -> list[str]:
        """What is wrong with these options, as sentences."""
        found = []
        if not 0 < self.judge <= 1:
            found.append(f"judge must lie above 0 and not above 1, not {self.judge:g}")
        if self.most_judged < 100:
            found.append(f"most-judged must be at least 100, not {self.most_judged}")
        given = self.ignore is not None or self.grade is not None or self.only_judged
        if self.truth is None and given:
            found.append("ignore, only-judged and grade belong to a truth: give one with --truth")
        return found

    @property
    def by_pool(self) -> bool:
        """Whether the pool is judged: without a truth, or if asked to."""
        return self.truth is None if self.pool is None else self.pool or self.truth is None


@dataclass(frozen=True)
class Truth:
    """True pairs over the documents and the ids that only the truth names.

    Where only judged pairs count, ``judged`` are those with a grade or, where the truth has no
    grades, ``named`` are the documents whose pairs were judged.
    """

    side: Side
    ignored: Relation | None
    judged: Listing | None
    named: Bools | None
    unknown: int
    notes: tuple[str, ...]

    @classmethod
    def of(cls, yardsticks: Yardsticks, collection: Collection) -> Truth:
        """Read as `evaluate` reads it; ids that no document has get numbers behind the others."""
        graded, columns = yardsticks.grade is not None, column_names(yardsticks.truth_columns)
        listed = take(yardsticks.truth, Wanted("--truth", "auto", columns, graded, collection.ids))
        left_out = take_ignored(yardsticks.ignore, collection.ids)
        ids = Ids([collection.ids, *listed.ids, *(left_out.ids if left_out else ())])
        side = true_side(listed, ids, yardsticks.grade, "the truth")
        notes = list(side.notes)
        known = np.arange(len(ids)) < len(collection)
        side = without_unknown(side, known, ids, "the truth", notes)
        unknown = len(ids) - len(collection)
        judged = judged_pairs(side) if yardsticks.only_judged else None
        named = side.named if yardsticks.only_judged and judged is None else None
        ignored = ignored_pairs(left_out, ids)
        return cls(side, ignored, judged, named, unknown, tuple(notes))

    def scores(self, methods: Sequence[Relation]) -> list[Score]:
        """Recall and precision of each method."""
        found = [wider(pairs, self.unknown) for pairs in methods]
        if self.named is not None:
            found = [pairs.restricted(self.named) for pairs in found]
        return by_truth(found, self.side, self.ignored, self.judged)

    def counts(self, left: Ints, right: Ints) -> Bools:
        """Whether each of these pairs was judged."""
        if self.judged is not None:
            documents = self.side.pairs.documents
            return Relation.of_pairs(self.judged.left, self.judged.right, documents).contains(
                left, right
            )
        if self.named is not None:
            return self.named[left] & self.named[right]
        return np.ones(len(left), bool)

    def found_by(self, methods: Sequence[Relation], most: int) -> Bits:
        """Which methods found each true pair, or each of ``most`` that are drawn."""
        left, right = sample(self.side.pairs, most, np.random.default_rng(1))
        return seen_by([wider(one, self.unknown) for one in methods], left, right)


@dataclass(frozen=True)
class Verdicts:
    """The pool, the similarity of its pairs (NaN where not computed), and which are good."""

    pool: Pool
    similarity: Floats
    good: Bools
    shown: Ints


def measure(
    outcomes: Sequence[Outcome],
    collection: Collection,
    yardsticks: Yardsticks,
    store: Path,
    means: Resources,
    progress: Progress,
) -> Comparison:
    """Scores and tables of the methods that came to their end; there must be one."""
    done = [outcome for outcome in outcomes if outcome.fault is None]
    methods = [outcome.pairs for outcome in done]
    truth = None if yardsticks.truth is None else Truth.of(yardsticks, collection)
    pool = make_pool(methods, yardsticks.most_judged, yardsticks.seed)
    judge = EditJudge(collection, store, yardsticks.judge, means)
    verdicts = _verdicts(pool, judge, truth, yardsticks, len(done), progress)
    scores: dict[str, list[Score]] = {}
    if truth is not None:
        scores[""] = truth.scores(methods)
    if yardsticks.by_pool:
        fit = verdicts.similarity >= yardsticks.judge
        scores["pool_" if scores else ""] = by_pool(pool, fit, len(done))
    order = sorted(range(len(done)), key=lambda at: (-scores[""][at].f, at))
    names = [outcome.entry.name for outcome in done]
    if truth is None:
        covered, weight = pool.found_by[verdicts.good], pool.weight[verdicts.good]
    else:
        covered = truth.found_by(methods, yardsticks.most_judged)
        weight = np.ones(len(covered))
    matrix = dice_matrix(methods)[np.ix_(order, order)]
    only = pool.alone()
    alone = np.array([pool.weight[only == at].sum() for at in range(len(done))])
    failed = [outcome for outcome in outcomes if outcome.fault is not None]
    return Comparison(
        methods_table([*done, *failed], scores, alone, order),
        dice_table([names[at] for at in order], matrix),
        coverage_table(names, best_combinations(covered, weight, len(done))),
        alone_table(pool, verdicts.shown, verdicts.good, verdicts.similarity, names, collection),
        _manifest(outcomes, collection, yardsticks, verdicts, truth),
    )


def _verdicts(
    pool: Pool,
    judge: EditJudge,
    truth: Truth | None,
    yardsticks: Yardsticks,
    methods: int,
    progress: Progress,
) -> Verdicts:
    """Judge the pool if it is a yardstick, and in any case what is shown of it."""
    similarity = np.full(len(pool), np.nan)
    if yardsticks.by_pool:
        similarity = judge.scores(pool.left, pool.right, progress)
    if truth is None:
        good = similarity >= yardsticks.judge
    else:
        good = truth.side.pairs.contains(pool.left, pool.right)
    shown = shown_alone(pool, good, methods)
    if truth is not None:  # of other pairs nobody can say whether they are good
        shown = shown[truth.counts(pool.left[shown], pool.right[shown])]
    missing = shown[np.isnan(similarity[shown])]
    similarity[missing] = judge.scores(pool.left[missing], pool.right[missing], progress)
    return Verdicts(pool, similarity, good, shown)


def wider(pairs: Relation, more: int) -> Relation:
    """The same pairs among more documents."""
    block = np.concatenate([pairs.block, len(pairs.within) + np.arange(more)])
    within = np.concatenate([pairs.within, np.zeros(more, bool)])
    return Relation(block, within, pairs.first, pairs.second)


def _manifest(
    outcomes: Sequence[Outcome],
    collection: Collection,
    yardsticks: Yardsticks,
    verdicts: Verdicts,
    truth: Truth | None,
) -> dict[str, Any]:
    pool, judged = verdicts.pool, yardsticks.by_pool
    fit = verdicts.similarity >= yardsticks.judge
    return {
        "twinset": version(),
        "created": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "kind": "comparison",
        "documents": len(collection),
        "digest": collection.digest,
        "inputs": collection.inputs,
        "faults": collection.faults,
        "yardstick": "pool" if truth is None else "truth",
        "judge": yardsticks.judge if judged else None,
        "pool": len(pool) if pool.whole else None,
        "judged": len(pool) if judged else 0,
        "good": float(pool.weight[fit].sum()) if judged else None,
        "sampled": not pool.whole,
        "true_pairs": None if truth is None else truth.side.pairs.count(),
        "only_judged": yardsticks.only_judged,
        "failed": {one.entry.name: one.fault for one in outcomes if one.fault is not None},
        "reused": [one.entry.name for one in outcomes if one.reused],
        "notes": [] if truth is None else list(truth.notes),
    }
