"""`experiment` and `compare`: read the documents once, run every row, measure all by one reference.

A comparison is an experiment with one sweep, over methods. The reference is a truth or, without
one, the judged pool of the pairs of all rows: `make_pool` writes it out or draws an even sample of
it, and `PoolJudge` judges its pairs by edit similarity, each pair of texts once.

`DERIVED` are the tables that are made from the rows. ``miners`` is Table 4 of Ignatov et al.
(2009). Zelenkov and Segalovich (2007) ask for Dice correlation, coverage and who found a pair.
``vectors`` are the training patterns of Raveena and Nandini: each pair has <Jaccard, cosine,
Euclidean distance, extended Jaccard, Dice> of its heaviest words by tf-idf, and +1 if it is true,
-1 if a row found it and it is not. Where rows found too few wrong pairs, random pairs make up the
number.
"""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset.errors import PlanError, ReportError
from twinset.finding.clusters.closed import Closed, ClosedClusters
from twinset.finding.clusters.closed_sets import Context
from twinset.finding.clusters.mine.compare import compare as compare_miners
from twinset.finding.verify.checks import EditCheck
from twinset.finding.verify.edit import edit_scores
from twinset.finding.verify.texts import TextStore
from twinset.lab.description import (
    MOST_ROWS,
    NAME,
    Description,
    ExperimentRow,
    open_description,
    printed_beside,
    rows_of,
)
from twinset.lab.experiment_result import MEASURED, ExperimentResult, best_row, figures_of, table_of
from twinset.lab.learn import PAPER, Learning, profiled, survey
from twinset.lab.lists import column_names, ensure_list
from twinset.lab.pairs import DocumentIds, NumberedPairs, PairSet, count_common, side_of_pairs
from twinset.lab.runner import Collection, Outcome, Runner, results_folder, store_documents
from twinset.lab.truth import BY, By, Truth, TruthOptions
from twinset.model import Floats, Ints, offsets_of
from twinset.model.columns import column, text
from twinset.pages.language import ensure_known
from twinset.plan import Plan, Reading, Resources, Unit, reading_arguments, reads_documents, spec
from twinset.plan.spec import suggestion
from twinset.result.result import made
from twinset.run.opening import open_documents
from twinset.run.progress import Progress, Silent
from twinset.system.temporary import TemporaryFolder

if TYPE_CHECKING:
    from typing_extensions import Unpack


MOST_METHODS = 62  # each has a bit of the pool
MOST_JUDGED = 200_000
JUDGE = 0.8

PRESET = "preset:"


def method_blocks(methods: str | Iterable[str]) -> tuple[dict[str, list[str]], ...]:
    """An alternative of an experiment for each method or preset; ``all`` stands for all methods."""
    texts = spec.several(methods) if isinstance(methods, str) else list(methods)
    names = dict.fromkeys(
        name for text in texts for name in (all_methods() if text == "all" else [text])
    )
    if not names:
        raise PlanError(["name at least one method, or all; 'twinset list methods' lists them"])
    if len(names) > MOST_METHODS:
        raise PlanError([f"at most {MOST_METHODS} methods can be compared, not {len(names)}"])
    return tuple(
        {NAME: [name], "preset": [name.removeprefix(PRESET)]}
        if name.startswith(PRESET)
        else {NAME: [name], "method": [name]}
        for name in names
    )


def all_methods() -> list[str]:
    """All methods that run without options of their own; the aliases A0 to A12 are left out."""
    usable = []
    for name in spec.names("method"):
        if name[:1] == "A" and name[1:].isdigit():
            continue
        try:
            spec.make("method", name)
        except PlanError:
            continue
        usable.append(name)
    return usable


@dataclass(frozen=True)
class Yardstick:
    """What rows are measured by: a truth, or the judged pool of all their pairs.

    ``judge`` is the least edit similarity of a good pair, or the whole check: 0.8 is
    ``edit:0.8``, and ``edit:0.8,text=cleaned`` compares cleaned texts as the papers do. Of a pool
    of more than ``most_judged`` pairs a sample is judged. ``by`` says what counts as found, and
    ``best`` the column of the best row.
    """

    truth: TruthOptions
    judge: float | str = JUDGE
    most_judged: int = MOST_JUDGED
    by: By = "auto"
    best: str = "f1"

    def faults(self) -> list[str]:
        """What is wrong with these options, as sentences."""
        faults = []
        try:
            self.check  # noqa: B018
        except PlanError as fault:
            faults += [f"judge: {message}" for message in fault.faults]
        if self.most_judged < 100:
            faults.append(f"most-judged must be at least 100, not {self.most_judged}")
        if self.by not in BY:
            faults.append(f"by must be {', '.join(BY[:-1])} or {BY[-1]}, not '{self.by}'")
        truth = self.truth
        if not self.has_truth and (
            truth.ignore is not None or truth.grade is not None or truth.only_judged
        ):
            faults.append("ignore, only-judged and grade belong to a truth: give one with --truth")
        return faults

    @property
    def check(self) -> EditCheck:
        """The check that pairs of the pool have to pass."""
        written = str(self.judge)
        check = spec.make("check", written if written[:1].isalpha() else f"edit:{written}")
        if not isinstance(check, EditCheck):
            raise PlanError([f"'{written}' is no edit similarity; write 0.8 or edit:0.8"])
        return check

    @property
    def least(self) -> float:
        """The least edit similarity of a good pair."""
        return JUDGE if self.check.threshold is None else self.check.threshold

    @property
    def has_truth(self) -> bool:
        """Whether there is a truth to measure by."""
        return self.truth.data is not None


Bits = NDArray[np.uint64]
WHOLE = 10_000_000  # pairs of all methods together that are written out at most


def make_pool(rows: Sequence[PairSet], most: int, seed: int) -> tuple[Ints, Ints]:
    """All pairs that any row found or, of more than ``most``, an even sample of them.

    Of too many to be written out, pairs are drawn from each row in proportion; one that k rows
    found can be drawn k times, and is kept with a chance of 1/k each time.
    """
    documents = max(rows[0].documents, 1) if rows else 1
    random = np.random.default_rng(seed)
    counts = [row.count() for row in rows]
    keys = np.empty(0, np.int64)
    if sum(counts) <= WHOLE:
        for row in rows:
            for left, right in row.chunks():
                keys = np.union1d(keys, left * documents + right)
        if len(keys) > most:
            keys = np.sort(random.choice(keys, most, replace=False))
    else:
        for row, count in zip(rows, counts, strict=True):
            left, right = sample_pairs(row, most * count // sum(counts), random)
            found = np.sum([other.contains(left, right) for other in rows], axis=0)
            kept = random.random(len(left)) * found < 1
            keys = np.union1d(keys, (left * documents + right)[kept])
    return keys // documents, keys % documents


def methods_of_pairs(methods: Sequence[PairSet], left: Ints, right: Ints) -> Bits:
    """Which methods found each pair, one bit per method."""
    found_by = np.zeros(len(left), np.uint64)
    for bit, method in enumerate(methods):
        found_by |= method.contains(left, right).astype(np.uint64) << np.uint64(bit)
    return found_by


def sample_pairs(pairs: PairSet, size: int, random: np.random.Generator) -> tuple[Ints, Ints]:
    """About ``size`` different pairs drawn evenly, or all pairs if there are no more."""
    total = pairs.count()
    drawn = np.arange(total) if total <= size else np.unique(random.integers(0, total, size))
    inside = np.flatnonzero(pairs.within & (pairs.size > 1))
    own = pairs.size[inside] * (pairs.size[inside] - 1) // 2
    between = pairs.size[pairs.first] * pairs.size[pairs.second]
    begins = offsets_of(np.concatenate([own, between]))
    unit = np.searchsorted(begins[1:], drawn, side="right")
    offset = drawn - begins[unit]
    order, start = pairs.members
    left, right = np.empty(len(drawn), np.int64), np.empty(len(drawn), np.int64)
    within = unit < len(inside)
    base = start[inside[unit[within]]]
    row, other = _triangle(offset[within])
    left[within], right[within] = order[base + row], order[base + other]
    edge = unit[~within] - len(inside)
    width = pairs.size[pairs.second[edge]]
    left[~within] = order[start[pairs.first[edge]] + offset[~within] // np.maximum(width, 1)]
    right[~within] = order[start[pairs.second[edge]] + offset[~within] % np.maximum(width, 1)]
    return np.minimum(left, right), np.maximum(left, right)


def _triangle(number: Ints) -> tuple[Ints, Ints]:
    """The number-th pair (row, column), column < row, counted row by row."""
    row = ((1 + np.sqrt(1 + 8 * number.astype(float))) / 2).astype(np.int64)
    row -= row * (row - 1) // 2 > number  # the root may be off by one
    row += row * (row + 1) // 2 <= number
    return row, number - row * (row - 1) // 2


AT_ONCE = 2000  # pairs between two steps of the progress bar


class PoolJudge:
    """Edit similarities of documents; equal texts count as one."""

    def __init__(self, collection: Collection, yardstick: Yardstick, means: Resources) -> None:
        self.least, self._means = yardstick.least, means
        self._documents = len(collection)
        self._texts = TextStore(means.folder, yardstick.check.text)
        for batch in collection.texts.batches():
            self._texts.add(batch.texts, means.threads)
        self._texts.finish()
        first: dict[bytes, int] = {}
        self._same = np.array(
            [first.setdefault(_digest(self._texts.text(i)), i) for i in range(self._documents)],
            np.int64,
        )

    def scores(self, left: Ints, right: Ints, progress: Progress) -> Floats:
        """The similarity of each pair, 0 where it is below ``least``."""
        first, second = self._same[left], self._same[right]
        pairs = np.minimum(first, second) * self._documents + np.maximum(first, second)
        keys, place = np.unique(pairs, return_inverse=True)
        progress.stage("judging", len(keys))
        low, high = keys // max(self._documents, 1), keys % max(self._documents, 1)
        scores = [np.empty(0)]
        for begin in range(0, len(keys), AT_ONCE):
            one, other = low[begin : begin + AT_ONCE], high[begin : begin + AT_ONCE]
            threads = self._means.threads
            scores.append(edit_scores(self._texts, one, other, self.least, threads))
            progress.advance(len(scores[-1]))
        score = np.concatenate(scores)[place.reshape(-1)]
        # Documents without a word have no similarity, not even with each other.
        has_words = self._texts.characters[first] > 0
        return np.where(first == second, has_words.astype(float), score)


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=16).digest()


BEST = 10  # combinations of each size in the table


def dice_matrix(methods: Sequence[PairSet]) -> Floats:
    """2|A∩B|/(|A|+|B|) of every two methods; 1 where both found nothing."""
    count = [method.count() for method in methods]
    matrix = np.ones((len(methods), len(methods)))
    for a, b in itertools.combinations(range(len(methods)), 2):
        both = count[a] + count[b]
        common = count_common(methods[a], methods[b]) if count[a] and count[b] else 0
        matrix[a, b] = matrix[b, a] = 2 * common / both if both else 1.0
    return matrix


Combination = tuple[tuple[int, ...], float]
"""Methods together, and the share of the good pairs that at least one of them found."""


def best_combinations(found_by: Bits, methods: int) -> list[Combination]:
    """The best single methods, pairs and triples, the best first; ties in the order of methods.

    ``found_by`` is of the good pairs alone.
    """
    kinds, counts = np.unique(found_by, return_counts=True)
    mass = counts.astype(float)
    total = mass.sum()
    best: list[Combination] = []
    for size in (1, 2, 3):
        combinations = [
            (group, _covered(kinds, mass, group) / total if total else 1.0)
            for group in itertools.combinations(range(methods), size)
        ]
        best += sorted(combinations, key=lambda each: (-each[1], each[0]))[:BEST]
    return best


def _covered(kinds: Bits, mass: Floats, group: Sequence[int]) -> float:
    bits = np.uint64(sum(1 << method for method in group))
    return float(mass[kinds & bits != 0].sum())


SECONDS = 20.0
"""Wall time that a miner has for one threshold."""
SCHEMA = pa.schema(
    [
        ("row", pa.string()),
        ("algorithm", pa.string()),
        ("k", pa.int64()),
        ("outcome", pa.string()),
        ("sets", pa.int64()),
        ("seconds", pa.float64()),
        ("megabytes", pa.float64()),
        ("fault", pa.string()),
    ]
)


def miners(experiment: ExperimentResult, seconds: float = SECONDS) -> pa.Table:
    """One row per row and miner: CPU seconds and memory, or that it did not finish."""
    contexts: dict[str, Context] = {}
    rows: list[dict[str, Any]] = []
    for row in experiment.finished:
        plan = row.plan
        if plan is None or not isinstance(plan.clusters, Closed) or plan.clusters.k is None:
            raise PlanError(
                [f"the table miners needs closed sets of k features, but {row.name} has none"]
            )
        key = dataclasses.replace(plan, clusters=dataclasses.replace(plan.clusters, k=1)).as_toml()
        key += f"# files: {row.files}"
        if key not in contexts:
            contexts[key] = _context(experiment, row.files, plan)
        for run in compare_miners(contexts[key], plan.clusters.k, seconds=seconds):
            rows.append(dataclasses.asdict(run) | {"row": row.name, "k": plan.clusters.k})
    return pa.Table.from_pylist(rows, schema=SCHEMA)


def _context(experiment: ExperimentResult, files: int | None, plan: Plan) -> Context:
    """The images of a row, made again: rows keep their pairs alone."""
    from twinset.run import run

    findings = run(experiment.collection.part(files), plan)
    assert isinstance(findings.image_clusters, ClosedClusters), "closed sets are searched in images"
    return findings.image_clusters.context


SEED = 1


def dice(experiment: ExperimentResult) -> pa.Table:
    """2|A∩B|/(|A|+|B|) of the pairs of every two rows."""
    names, pairs = _rows(experiment)
    matrix = dice_matrix(pairs)
    columns = {name: column(np.ascontiguousarray(matrix[:, at])) for at, name in enumerate(names)}
    return pa.table({"method": text(names), **columns})


def coverage(experiment: ExperimentResult) -> pa.Table:
    """The best combinations of one, two and three rows, with the share of true pairs they find.

    Of very many true pairs a sample is counted.
    """
    names, pairs = _rows(experiment, most=MOST_METHODS)
    true = experiment.truth.side.pairs
    left, right = sample_pairs(true, MOST_JUDGED, np.random.default_rng(SEED))
    best = best_combinations(methods_of_pairs(pairs, left, right), len(pairs))
    groups = [[names[at] for at in methods] for methods, _ in best]
    return pa.table(
        {
            "size": pa.array([len(group) for group in groups], pa.int64()),
            "methods": pa.array(groups, pa.list_(pa.string())),
            "coverage": pa.array([covered for _, covered in best], pa.float64()),
        }
    )


def found_by(experiment: ExperimentResult) -> pa.Table:
    """Every pair that a row found, whether it is true, and which rows found it.

    Where there are more than ten million pairs, it has a sample of them.
    """
    names, pairs = _rows(experiment, most=MOST_METHODS)
    left, right = make_pool(pairs, WHOLE, SEED)
    rows = _names_by_bits(methods_of_pairs(pairs, left, right), names)
    return pa.table(
        {
            "left": experiment.ids.take(column(left)),
            "right": experiment.ids.take(column(right)),
            "true": column(experiment.truth.side.pairs.contains(left, right)),
            "rows": pa.array([len(found) for found in rows], pa.int64()),
            "found_by": pa.array(rows, pa.list_(pa.string())),
        }
    )


ALONE = 20
"""Pairs that one row alone found, for each row: true ones and others, if they are known."""
HEAD = 400  # characters of a text that are shown


def alone(experiment: ExperimentResult) -> pa.Table:
    """Some of the pairs that one row alone found, with the beginnings of their texts."""
    names, pairs = _rows(experiment, most=MOST_METHODS)
    left, right = make_pool(pairs, MOST_JUDGED, SEED)
    known = experiment.truth.has_judged(left, right)
    left, right = left[known], right[known]
    bits = methods_of_pairs(pairs, left, right)
    true = experiment.truth.side.pairs.contains(left, right)
    chosen = [np.empty(0, np.int64)]
    for bit in range(len(pairs)):
        mine = np.flatnonzero(bits == np.uint64(1 << bit))
        right_ones, others = mine[true[mine]], mine[~true[mine]]
        chosen.append(right_ones[: max(ALONE // 2, ALONE - len(others))])
        chosen.append(others[: max(ALONE // 2, ALONE - len(right_ones))])
    rows = np.concatenate(chosen)
    left, right = left[rows], right[rows]
    texts = experiment.collection.texts.texts(np.unique(np.concatenate([left, right])))
    return pa.table(
        {
            "name": pa.array([name for (name,) in _names_by_bits(bits[rows], names)], pa.string()),
            "left": experiment.ids.take(column(left)),
            "right": experiment.ids.take(column(right)),
            "true": column(true[rows]),
            "left_text": pa.array([texts[at][:HEAD] for at in left.tolist()], pa.string()),
            "right_text": pa.array([texts[at][:HEAD] for at in right.tolist()], pa.string()),
        }
    )


def _rows(experiment: ExperimentResult, most: int | None = None) -> tuple[list[str], list[PairSet]]:
    """The names and pairs of the finished rows."""
    finished = experiment.finished
    if most is not None and len(finished) > most:
        raise PlanError(
            [
                f"the tables alone, coverage and found-by take at most {most} rows, not "
                f"{len(finished)}: sweep over fewer values, or leave these tables out"
            ]
        )
    return [row.name for row in finished], [experiment.pairs(row) for row in finished]


def _names_by_bits(found_by: Bits, names: list[str]) -> list[list[str]]:
    kinds, kind = np.unique(found_by, return_inverse=True)
    lists = [
        [name for bit, name in enumerate(names) if int(bits) >> bit & 1] for bits in kinds.tolist()
    ]
    return [lists[at] for at in kind.reshape(-1).tolist()]


MOST = 20_000
"""Pairs of either label."""


def vectors(experiment: ExperimentResult) -> pa.Table:
    """One row per pair, the true ones first."""
    random = np.random.default_rng(SEED)
    documents = len(experiment.collection)
    true = _known(*sample_pairs(experiment.truth.side.pairs, MOST, random), documents)
    wrong = _wrong(experiment, min(MOST, max(len(true[0]), 1)), random)
    left, right = (np.concatenate(sides) for sides in zip(true, wrong, strict=True))
    values = _vectors(experiment, left, right)
    names = [name.partition(".")[2] for name in PAPER]
    label = np.where(np.arange(len(left)) < len(true[0]), 1, -1)
    return pa.table(
        {
            "left": experiment.ids.take(column(left)),
            "right": experiment.ids.take(column(right)),
            **{name: column(np.ascontiguousarray(values[:, n])) for n, name in enumerate(names)},
            "label": column(label),
        }
    )


def _vectors(experiment: ExperimentResult, left: Ints, right: Ints) -> Floats:
    threads, options = Resources.make().threads, Learning.make("paper")
    texts = experiment.collection.texts
    known = survey(texts, options, threads, Silent()).known
    numbers = np.unique(np.concatenate([left, right]))
    profiles = profiled(texts, known, options, numbers, threads, Silent())
    first, second = (np.searchsorted(numbers, side).astype(np.uint32) for side in (left, right))
    return profiles.vectors(PAPER, first, second, threads)


def _known(left: Ints, right: Ints, documents: int) -> tuple[Ints, Ints]:
    """The pairs of documents that were read: a truth may name others."""
    inside = (left < documents) & (right < documents)
    return left[inside], right[inside]


def _wrong(
    experiment: ExperimentResult, number: int, random: np.random.Generator
) -> tuple[Ints, Ints]:
    """Pairs that are not true, of those found by rows first, then random ones."""
    documents = len(experiment.collection)
    keys = [np.empty(0, np.int64)]
    for row in experiment.finished:
        left, right = _known(*sample_pairs(experiment.pairs(row), 2 * MOST, random), documents)
        keys.append(left * documents + right)
    found = random.permutation(_untrue(experiment, np.unique(np.concatenate(keys))))[:number]
    left, right = np.sort(random.integers(0, documents, (2, 4 * number)), axis=0)
    chance = np.unique(left[left < right] * documents + right[left < right])
    chance = random.permutation(np.setdiff1d(_untrue(experiment, chance), found))
    wrong = np.sort(np.concatenate([found, chance[: number - len(found)]]))
    return wrong // documents, wrong % documents


def _untrue(experiment: ExperimentResult, keys: Ints) -> Ints:
    """Those that are known not to be true: where only judged pairs count, others are not known."""
    documents = max(len(experiment.collection), 1)
    left, right = keys // documents, keys % documents
    truth = experiment.truth
    judged = truth.has_judged(left, right)
    return keys[judged & ~truth.side.pairs.contains(left, right)]


Table = Callable[[ExperimentResult], pa.Table]


def printed(experiment: ExperimentResult) -> pa.Table:
    """The figures that the description quotes from a paper, beside ours."""
    quoted = experiment.description.printed
    if not quoted:
        raise PlanError(["the table printed needs [printed], the figures of the paper"])
    name = quoted.get("table")
    if name is None:
        return printed_beside(quoted, experiment.table)
    ours = experiment.derived.get(name)
    return printed_beside(quoted, DERIVED[name](experiment) if ours is None else ours)


DERIVED: dict[str, Table] = {
    "alone": alone,
    "coverage": coverage,
    "dice": dice,
    "found-by": found_by,
    "miners": miners,
    "printed": printed,
    "vectors": vectors,
}


def _yardstick(truth: Any, columns: str | Sequence[str], asked: Mapping[str, Any]) -> Yardstick:
    """Checked before anything runs; what is None was not asked for."""
    given = {name: value for name, value in asked.items() if value is not None}
    labels = {name: given.pop(name) for name in ("ignore", "only_judged", "grade") if name in given}
    options = TruthOptions(truth, columns=column_names(columns), **labels)
    yardstick = Yardstick(options, **given)
    faults = yardstick.faults()
    best = yardstick.best
    if best not in MEASURED and not best.startswith("seconds_"):
        faults.append(f"best: there is no column '{best}'; {suggestion(best, MEASURED)}")
    if faults:
        raise PlanError(faults)
    ensure_list(truth)
    ensure_list(options.ignore)
    return yardstick


def judged_pool(
    rows: Sequence[PairSet],
    collection: Collection,
    yardstick: Yardstick,
    judge: PoolJudge,
    progress: Progress,
) -> tuple[Truth, dict[str, Any]]:
    """The pairs that any row found and whose texts are similar enough, and facts about the pool.

    Where a sample was judged, no other pairs count.
    """
    left, right = make_pool(rows, yardstick.most_judged, SEED)
    similarity = judge.scores(left, right, progress)
    good = similarity >= yardstick.least
    ids = DocumentIds([collection.ids])
    listing = NumberedPairs(left[good], right[good], similarity[good])
    side = side_of_pairs(listing, ids, np.ones(len(ids), bool))
    sampled = sum(row.count() for row in rows) > WHOLE or len(left) == yardstick.most_judged
    judged = NumberedPairs(left, right) if sampled else None
    return Truth(side, ids, None, judged, None, ()), {"judged": len(left), "sampled": sampled}


def _run(
    documents: Any,
    described: Description,
    rows: Sequence[ExperimentRow],
    read: Mapping[str, Any],
    yardstick: Yardstick,
    *,
    folder: FilePath | None,
    fresh: bool,
    language: str,
    resources: Resources,
    progress: Progress,
) -> ExperimentResult:
    """Read, run, measure and write."""
    ensure_known(language)
    with TemporaryFolder(resources.folder) as temporary:
        store = temporary if folder is None else results_folder(folder, fresh)
        opened, _ = open_documents(documents, Plan.make(**read), resources)
        begun = time.perf_counter()
        path = temporary / "texts.arrow"
        collection = store_documents(opened, path, resources.threads, progress)
        facts: dict[str, Any] = {
            **yardstick.truth.about,
            "judged": None,
            "sampled": False,
            "seconds_reading": round(time.perf_counter() - begun, 3),
            "threads": resources.threads,
        }
        # Before the rows run, which may take hours: a faulty truth would make it all in vain.
        true = Truth.read(yardstick.truth, collection.ids) if yardstick.has_truth else None
        runner = Runner(collection, store, resources, yardstick.by)
        outcomes = _outcomes(rows, runner, progress)
        if true is None:
            pairs = [outcome.pairs for outcome in outcomes.values() if outcome.fault is None]
            judge = PoolJudge(collection, yardstick, resources)
            true, pool = judged_pool(pairs, collection, yardstick, judge, progress)
            facts |= pool
        result = _measured(described, rows, outcomes, true, collection, yardstick, facts)
        progress.stage("tables", None)
        for name in described.tables:
            table = DERIVED[name](result)
            result = dataclasses.replace(result, derived={**result.derived, name: table})
        if folder is not None:
            result.save(Path(folder), language=language)
    return result


def _measured(
    described: Description,
    rows: Sequence[ExperimentRow],
    outcomes: Mapping[int, Outcome],
    truth: Truth,
    collection: Collection,
    yardstick: Yardstick,
    facts: Mapping[str, Any],
) -> ExperimentResult:
    """The result, without derived tables; ``facts`` go to the manifest."""
    sizes = {row.number: collection.part(row.files).count for row in rows}
    truths = {size: _truth_of_part(truth, size, len(collection)) for size in {*sizes.values()}}
    figures = {
        number: figures_of(outcome, truths[sizes[number]], facts["sampled"])
        for number, outcome in outcomes.items()
        if outcome.fault is None
    }
    notes, files = list(truth.notes), len(collection.ends)
    if any((row.files or 0) > files for row in rows):
        notes.append(f"parts of more files than there are ({files:,}) are all documents")
    faults = {number: outcome.fault for number, outcome in outcomes.items()}
    rows = [dataclasses.replace(row, fault=row.fault or faults.get(row.number)) for row in rows]
    if described.ranked:
        rows.sort(key=lambda row: -figures.get(row.number, {"f1": -1.0})["f1"])
    order = [row.number for row in rows]
    rows = [dataclasses.replace(row, number=number) for number, row in enumerate(rows)]
    names = dict(zip(order, (row.name for row in rows), strict=True))
    table = table_of(rows, [figures.get(number) for number in order])
    best = best_row(table, yardstick.best)
    manifest = {
        **made(),
        "kind": "experiment",
        **{name: getattr(described, name) for name in ("name", "title", "about", "source")},
        **collection.about,
        "yardstick": "truth" if yardstick.has_truth else "pool",
        "judge": None if yardstick.has_truth else yardstick.least,
        "judged_text": None if yardstick.has_truth else yardstick.check.text,
        "true_pairs": truth.side.pairs.count(),
        "by": yardstick.by,
        "best_by": yardstick.best,
        "best": None if best is None else rows[best].name,
        "failed": {row.name: row.fault for row in rows if row.fault is not None},
        "reused": [names[number] for number, outcome in outcomes.items() if outcome.reused],
        "notes": notes,
        **facts,
    }
    return ExperimentResult(
        described,
        rows,
        table,
        manifest,
        truth,
        collection,
        {number: outcomes[old] for number, old in enumerate(order) if old in figures},
    )


def _truth_of_part(truth: Truth, count: int, documents: int) -> Truth:
    """The true pairs among the first documents, of which all may be meant."""
    if count == documents:
        return truth
    return dataclasses.replace(truth, side=truth.side.restricted(np.arange(len(truth.ids)) < count))


FilePath = str | os.PathLike[str]


@reads_documents
def experiment(
    documents: Any,
    description: FilePath | Description | Mapping[str, Any],
    *,
    truth: Any = None,
    by: By | None = None,
    ignore: Any = None,
    only_judged: bool | None = None,
    grade: float | None = None,
    truth_columns: str | Sequence[str] = (),
    judge: float | str | None = None,
    most_judged: int | None = None,
    best: str | None = None,
    tables: Sequence[str] = (),
    folder: FilePath | None = None,
    fresh: bool = False,
    language: str = "en",
    most_rows: int = MOST_ROWS,
    threads: int | None = None,
    memory: int | str | None = None,
    progress: Progress | None = None,
    **reading: Unpack[Reading],
) -> ExperimentResult:
    """Run a plan with every combination of the swept options, and measure each.

    >>> texts = ["one two three four five six", "one two three four five six", "seven eight"]
    >>> sweep = {"plan": {"threshold": 0.5}, "sweep": {"shingle": [1, 2]}}
    >>> result = experiment(texts, sweep, truth=[("0", "1")])
    >>> result.table.select(["name", "found", "f1"]).to_pylist()
    [{'name': 'shingle=1', 'found': 1, 'f1': 1.0}, {'name': 'shingle=2', 'found': 1, 'f1': 1.0}]

    ``description`` is the name of an experiment that comes with twinset, a TOML file, or what such
    a file holds. Without a ``truth``, the pairs of all rows are the pool, of which those with an
    edit similarity of at least ``judge`` are true; of more than ``most_judged`` pairs a sample is
    judged, and the table has intervals. ``by`` chooses what counts as found, as in `evaluate`, and
    ``best`` the column of the best row. ``tables`` are derived tables beside those that the
    description asks for. With a ``folder`` the result is written there, and rows in it are used
    again unless ``fresh``.
    """
    given = reading_arguments(reading, "experiment")
    described = _described(description, tables)
    asked = {
        "by": by,
        "best": best,
        "ignore": ignore,
        "only_judged": only_judged,
        "grade": grade,
        "judge": judge,
        "most_judged": most_judged,
    }
    asked = dict(described.compare) | {n: value for n, value in asked.items() if value is not None}
    yardstick = _yardstick(truth, truth_columns, asked)
    read = {name: value for name, value in described.plan.items() if name in given}
    read |= {name: value for name, value in given.items() if value not in (None, (), [])}
    return _run(
        documents,
        described,
        rows_of(described, given, most_rows),
        read,
        yardstick,
        folder=folder,
        fresh=fresh,
        language=language,
        resources=Resources.make(threads=threads, memory=memory),
        progress=progress or Silent(),
    )


@reads_documents
def compare(
    documents: Any,
    methods: str | Iterable[str] = "all",
    *,
    truth: Any = None,
    ignore: Any = None,
    only_judged: bool = False,
    grade: float | None = None,
    truth_columns: str | Sequence[str] = (),
    judge: float | str = JUDGE,
    most_judged: int = MOST_JUDGED,
    folder: FilePath | None = None,
    fresh: bool = False,
    language: str = "en",
    threshold: float | None = None,
    recall: float | None = None,
    measure: str | Any = None,
    verify: str | Any = None,
    statistics: str | None = None,
    shingle: int | None = None,
    offset: int | None = None,
    unit: Unit | None = None,
    image: str | Any = None,
    seed: int = 1,
    dense: int | None = None,
    forms: str | Any = None,
    synonyms: str | None = None,
    mask: Sequence[str] = (),
    threads: int | None = None,
    memory: int | str | None = None,
    progress: Progress | None = None,
    **reading: Unpack[Reading],
) -> ExperimentResult:
    """Run methods on the same documents and measure them against each other.

    >>> texts = ["one two three four five six", "one two three four five six", "seven eight"]
    >>> compare(texts, "md5,minhash").table["name"].to_pylist()
    ['md5', 'minhash']

    It is an `experiment` whose rows are the methods, the best first, with the tables dice, coverage
    and alone. ``methods`` is ``all`` or names, with options as in ``find``, and presets as
    ``preset:text``; each method decides as its paper says unless ``verify`` says otherwise. Options
    such as ``shingle`` go to the methods that take them. The other options are those of
    `experiment`.
    """
    options: dict[str, Any] = {
        "threshold": threshold,
        "recall": recall,
        "measure": measure,
        "verify": verify,
        "statistics": statistics,
        "shingle": shingle,
        "offset": offset,
        "unit": unit,
        "image": image,
        "seed": seed,
        "dense": dense,
        "forms": forms,
        "synonyms": synonyms,
        "mask": mask,
    }
    described = Description(
        "comparison",
        plan={name: value for name, value in options.items() if value not in (None, ())},
        blocks=method_blocks(methods),
        tables=("coverage", "dice", "alone"),
        ranked=True,
    )
    return experiment(
        documents,
        described,
        truth=truth,
        ignore=ignore,
        only_judged=only_judged,
        grade=grade,
        truth_columns=truth_columns,
        judge=judge,
        most_judged=most_judged,
        folder=folder,
        fresh=fresh,
        language=language,
        threads=threads,
        memory=memory,
        progress=progress,
        **reading_arguments(reading, "compare"),
    )


def _described(
    description: FilePath | Description | Mapping[str, Any], tables: Sequence[str]
) -> Description:
    """The description, with further tables."""
    if isinstance(description, Mapping):
        described = Description.from_values(description)
    else:
        described = open_description(description)
    names = tuple(dict.fromkeys([*described.tables, *tables]))
    faults = [
        f"there is no derived table '{name}'; {suggestion(name, DERIVED)}"
        for name in names
        if name not in DERIVED
    ]
    if faults:
        raise PlanError(faults)
    return dataclasses.replace(described, tables=names)


def _outcomes(
    rows: Sequence[ExperimentRow], runner: Runner, progress: Progress
) -> dict[int, Outcome]:
    """The outcomes of the rows that have a plan, by number; a plan that comes twice runs once."""
    plans: dict[str, tuple[Plan, int | None]] = {}
    keys: dict[int, str] = {}
    names: dict[str, str] = {}
    for row in rows:
        if row.plan is not None:
            # Pairs of equal documents need not be written out: the stored set implies them.
            plan = dataclasses.replace(row.plan, max_pairs=0)
            keys[row.number] = key = runner.key(plan, row.files)
            plans[key] = plan, row.files
            names.setdefault(key, row.name)
    stored = {key: runner.stored(*plan) for key, plan in plans.items()}
    missing = [key for key, outcome in stored.items() if outcome is None]
    outcomes = {key: outcome for key, outcome in stored.items() if outcome is not None}
    for count, key in enumerate(missing, 1):
        progress.stage(f"{names[key]} ({count} of {len(missing)})", None)
        outcomes[key] = runner.run(*plans[key])
    if all(outcome.fault is not None for outcome in outcomes.values()):
        key, outcome = next(iter(outcomes.items()))
        raise ReportError(f"no row finished; {names[key]}: {outcome.fault}")
    return {number: outcomes[key] for number, key in keys.items()}
