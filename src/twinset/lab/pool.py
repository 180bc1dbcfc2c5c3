"""What rows are measured by without a truth: the pool, the pairs that any of them found.

`make_pool` writes it out or draws an even sample of it, and `PoolJudge` judges its pairs by edit
similarity, each pair of texts once. Beside it, which methods are compared, and how their pairs
agree.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from twinset.errors import PlanError
from twinset.finding.verify.checks import EditCheck
from twinset.finding.verify.edit import edit_scores
from twinset.finding.verify.texts import TextStore
from twinset.lab.description import NAME
from twinset.lab.pairs import PairSet, count_common
from twinset.lab.runner import Collection
from twinset.lab.truth import BY, By, TruthOptions
from twinset.model import Floats, Ints, offsets_of
from twinset.plan import Resources, spec
from twinset.run.progress import Progress

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
    row, column = _triangle(offset[within])
    left[within], right[within] = order[base + row], order[base + column]
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
