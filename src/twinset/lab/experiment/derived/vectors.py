"""Similarity vectors of pairs with their labels: the training patterns of Raveena and Nandini.

Each pair has <Jaccard, cosine, Euclidean distance, extended Jaccard, Dice> of its heaviest words by
tf-idf, and +1 if it is true, -1 if a row found it and it is not. Where rows found too few wrong
pairs, random pairs make up the number.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from twinset.engine.progress import Silent
from twinset.lab.comparison.pool import sample_pairs
from twinset.lab.experiment.result import ExperimentResult
from twinset.lab.learning.examples import profiled, survey
from twinset.lab.learning.features import PAPER, Learning
from twinset.model import Floats, Ints
from twinset.model.columns import column
from twinset.plan import Resources

MOST = 20_000
"""Pairs of either label."""
SEED = 1


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
