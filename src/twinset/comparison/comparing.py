"""`compare`: one reading, every method, one yardstick."""

from __future__ import annotations

import datetime
import os
import shutil
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from twinset.comparison.agreement import best_combinations, dice_matrix
from twinset.comparison.asking import SharedCounts, entries
from twinset.comparison.judge import EditJudge
from twinset.comparison.kept import Collection, keep
from twinset.comparison.pool import Pool, make_pool, sample, seen_by
from twinset.comparison.result import Comparison
from twinset.comparison.running import Entry, Outcome, run_method
from twinset.comparison.scoring import Bools, Score, by_pool, by_truth
from twinset.comparison.tabling import (
    alone_table,
    coverage_table,
    dice_table,
    methods_table,
    shown_alone,
)
from twinset.errors import PlanError, ReportError
from twinset.evaluation.lists import Wanted
from twinset.evaluation.relation import Relation
from twinset.evaluation.sides import Ids, Side
from twinset.evaluation.taking import take
from twinset.evaluation.truth import ignored_pairs, true_side, without_unknown
from twinset.model import Floats
from twinset.pipeline.manifest import version
from twinset.pipeline.opening import open_documents
from twinset.pipeline.progress import Progress, Silent
from twinset.plan import Plan, Resources

FilePath = str | os.PathLike[str]
RESULTS = "results"
MOST_JUDGED = 200_000
JUDGE = 0.8


@dataclass(frozen=True)
class Yardsticks:
    """What methods are measured by: a truth, or the pool of what all of them found."""

    truth: Any = None
    ignore: Any = None
    grade: float | None = None
    truth_columns: Sequence[str] = ()
    pool: bool | None = None
    judge: float = JUDGE
    most_judged: int = MOST_JUDGED

    def faults(self) -> list[str]:
        """What is wrong with these options, as sentences."""
        found = []
        if not 0 < self.judge <= 1:
            found.append(f"judge must lie above 0 and not above 1, not {self.judge:g}")
        if self.most_judged < 100:
            found.append(f"most-judged must be at least 100, not {self.most_judged}")
        if self.truth is None and (self.ignore is not None or self.grade is not None):
            found.append("ignore and grade belong to a truth: give one with --truth")
        return found

    @property
    def by_pool(self) -> bool:
        """Whether the pool is judged: without a truth, or if asked to."""
        return self.truth is None if self.pool is None else self.pool or self.truth is None


def compare(
    documents: Any,
    methods: str | Iterable[str] = "all",
    *,
    truth: Any = None,
    ignore: Any = None,
    grade: float | None = None,
    truth_columns: str | Sequence[str] = (),
    pool: bool | None = None,
    judge: float = JUDGE,
    most_judged: int = MOST_JUDGED,
    folder: FilePath | None = None,
    fresh: bool = False,
    threads: int = 0,
    memory: int | str = "2GB",
    progress: Progress | None = None,
    **options: Any,
) -> Comparison:
    """Run methods on the same documents and measure them against each other.

    ``methods`` is ``all`` or names, with options as in ``find``; each decides as its paper says
    unless ``verify`` says otherwise. The yardstick is ``truth`` (as in `evaluate`) or, without
    one, the pool: the pairs of all methods, of which those with an edit similarity of ``judge``
    are good. More than ``most_judged`` pairs are sampled, and the table has intervals; ``pool``
    judges the pool beside a truth. With a ``folder`` the result is written there, and what a method
    found is kept and used again unless ``fresh``.
    """
    columns = truth_columns.split(",") if isinstance(truth_columns, str) else truth_columns
    yardsticks = Yardsticks(truth, ignore, grade, columns, pool, judge, most_judged)
    asked = entries(methods, options)
    if yardsticks.faults():
        raise PlanError(yardsticks.faults())
    means = Resources.make(threads=threads, memory=memory)
    told = progress or Silent()
    with tempfile.TemporaryDirectory(prefix="twinset-", dir=means.folder) as temporary:
        store = Path(temporary) if folder is None else _store(Path(folder), fresh)
        opened, _ = open_documents(documents, Plan.make(**options), means, options)
        begun = datetime.datetime.now(datetime.timezone.utc)
        collection = keep(opened, Path(temporary) / "texts.arrow", means.threads, told)
        read = (datetime.datetime.now(datetime.timezone.utc) - begun).total_seconds()
        outcomes = _run(asked, collection, Path(temporary), store, means, told)
        done = [outcome for outcome in outcomes if outcome.fault is None]
        if not done:
            raise ReportError(f"no method came to its end; {asked[0].name}: {outcomes[0].fault}")
        measured = _measure(done, outcomes, collection, yardsticks, store, means, told)
    seed = int(options.get("seed") or 1)
    measured.manifest.update(
        {"seed": seed, "seconds_reading": round(read, 3), "threads": means.threads}
    )
    if folder is not None:
        measured.save(Path(folder))
    return measured


def _store(folder: Path, fresh: bool) -> Path:
    """Where results are kept; only a folder of our own is written into."""
    if folder.exists() and not folder.is_dir():
        raise ReportError(f"{folder} is a file; name a folder for the comparison")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / RESULTS).is_dir():
        raise ReportError(
            f"{folder} exists and is not a comparison; name another folder, or remove it yourself"
        )
    store = folder / RESULTS
    if fresh:
        shutil.rmtree(store, ignore_errors=True)
    try:
        store.mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        raise ReportError(f"cannot write in {folder}: {fault.strerror}; name another one") from None
    return store


def _run(
    asked: Sequence[Entry],
    collection: Collection,
    temporary: Path,
    store: Path,
    means: Resources,
    progress: Progress,
) -> list[Outcome]:
    counts = SharedCounts(collection, temporary, means)
    outcomes = []
    for number, entry in enumerate(asked, 1):
        progress.stage(f"{entry.name} ({number} of {len(asked)})", None)
        outcomes.append(run_method(entry, collection, counts, store, means))
    return outcomes


def _measure(
    done: Sequence[Outcome],
    outcomes: Sequence[Outcome],
    collection: Collection,
    yardsticks: Yardsticks,
    store: Path,
    means: Resources,
    progress: Progress,
) -> Comparison:
    relations = [outcome.pairs for outcome in done]
    pool = make_pool(relations, yardsticks.most_judged, done[0].entry.plan.seed)
    notes: list[str] = []
    true = ignored = None
    if yardsticks.truth is not None:
        relations, true, ignored = _truth(relations, collection, yardsticks, notes)
    judge = EditJudge(collection, store, yardsticks.judge, means)
    rows = np.arange(len(pool)) if yardsticks.by_pool else np.empty(0, np.int64)
    similarity = np.full(len(pool), np.nan)
    similarity[rows] = judge.scores(pool.left[rows], pool.right[rows], progress)
    if true is not None:
        good = true.pairs.contains(pool.left, pool.right)
    else:
        good = similarity >= yardsticks.judge
    scores: dict[str, list[Score]] = {}
    if true is not None:
        scores[""] = by_truth(relations, true, ignored)
    if yardsticks.by_pool:
        fit = similarity >= yardsticks.judge
        scores["pool_" if scores else ""] = by_pool(pool, fit, len(done))
    shown = shown_alone(pool, good, len(done))
    missing = shown[np.isnan(similarity[shown])]
    similarity[missing] = judge.scores(pool.left[missing], pool.right[missing], progress)
    return _tables(
        done, outcomes, collection, relations, pool, good, similarity, scores, true, shown,
        yardsticks, notes,
    )  # fmt: skip


def _truth(
    relations: list[Relation], collection: Collection, yardsticks: Yardsticks, notes: list[str]
) -> tuple[list[Relation], Side, Relation | None]:
    """The true pairs over the documents; ids that no document has get numbers behind them."""
    wanted = Wanted(
        "--truth", "auto", tuple(yardsticks.truth_columns), yardsticks.grade is not None,
        collection.ids,
    )  # fmt: skip
    listed = take(yardsticks.truth, wanted)
    left_out = None
    if yardsticks.ignore is not None:
        left_out = take(yardsticks.ignore, Wanted("--ignore", "pairs", known=collection.ids))
    ids = Ids([collection.ids, *listed.ids, *(left_out.ids if left_out else ())])
    side = true_side(listed, ids, yardsticks.grade, "the truth")
    notes += side.notes
    known = np.arange(len(ids)) < len(collection)
    side = without_unknown(side, known, False, ids, "the truth", notes)
    more = len(ids) - len(collection)
    return [wider(one, more) for one in relations], side, ignored_pairs(left_out, ids)


def wider(pairs: Relation, more: int) -> Relation:
    """The same pairs among more documents."""
    blocks = len(pairs.within)
    block = np.concatenate([pairs.block, blocks + np.arange(more)])
    return Relation(
        block, np.concatenate([pairs.within, np.zeros(more, bool)]), pairs.first, pairs.second
    )


def _tables(
    done: Sequence[Outcome],
    outcomes: Sequence[Outcome],
    collection: Collection,
    relations: Sequence[Relation],
    pool: Pool,
    good: Bools,
    similarity: Floats,
    scores: dict[str, list[Score]],
    true: Side | None,
    shown: Any,
    yardsticks: Yardsticks,
    notes: list[str],
) -> Comparison:
    primary = scores[""]
    order = sorted(range(len(done)), key=lambda at: (-primary[at].f, at))
    names = [outcome.entry.name for outcome in done]
    by_method = pool.alone()
    lonely = np.array([pool.weight[by_method == at].sum() for at in range(len(done))])
    if true is None:
        covered, weight = pool.found_by[good], pool.weight[good]
    else:
        left, right = sample(true.pairs, yardsticks.most_judged, np.random.default_rng(1))
        covered, weight = seen_by(relations, left, right), np.ones(len(left))
    matrix = dice_matrix(relations)[np.ix_(order, order)]
    faulty = [outcome for outcome in outcomes if outcome.fault is not None]
    manifest: dict[str, Any] = {
        "twinset": version(),
        "created": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "kind": "comparison",
        "documents": len(collection),
        "digest": collection.digest,
        "inputs": collection.inputs,
        "faults": collection.faults,
        "yardstick": "pool" if true is None else "truth",
        "judge": yardsticks.judge if yardsticks.by_pool else None,
        "pool": None if not pool.whole else len(pool),
        "judged": int((~np.isnan(similarity)).sum()) if yardsticks.by_pool else 0,
        "good": float(pool.weight[similarity >= yardsticks.judge].sum()),
        "sampled": not pool.whole,
        "true_pairs": None if true is None else true.pairs.count(),
        "failed": {outcome.entry.name: outcome.fault for outcome in faulty},
        "reused": [outcome.entry.name for outcome in done if outcome.reused],
        "notes": notes,
    }
    return Comparison(
        methods_table([*done, *faulty], scores, lonely, order),
        dice_table([names[at] for at in order], matrix),
        coverage_table(names, best_combinations(covered, weight, len(done))),
        alone_table(pool, shown, good, similarity, names, collection),
        manifest,
    )
