"""From documents and labels to similarity vectors with labels, and the level of the candidates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from twinset.engine.documents import distinct_ids, ids_of
from twinset.engine.progress import Progress
from twinset.lab.learning.features import Learning
from twinset.lab.learning.labels import LabelError, Labelled, draw, groups_of
from twinset.lab.learning.training import Examples
from twinset.methods.profiles import Known, ViewProfiles, signals_of
from twinset.methods.similarity_model import Level
from twinset.model import Batch, Documents, Ints
from twinset.model.columns import column
from twinset.text.terms import TermSurvey
from twinset.text.wording import reworded, rewriter_for

FLOOR = 0.15
"""The least level of candidates: below it almost every pair of a collection would be one."""
ALIKE = 0.5
"""Sources of generated documents with such a shingle Jaccard may be near-duplicates themselves."""


@dataclass(frozen=True)
class TermStatistics:
    """The ids of all documents and how frequent their terms are."""

    ids: pa.Array
    known: Known


def survey(
    documents: Documents, options: Learning, threads: int, progress: Progress
) -> TermStatistics:
    """One pass over the documents."""
    counts = TermSurvey(options.views.kinds(), threads)
    ids = []
    rewriter = rewriter_for(options.words)
    for batch in _watched(documents, "counting words", progress):
        counts.add(reworded(batch.texts, rewriter, threads))
        ids.append(ids_of(batch))
    names, _ = distinct_ids(pa.concat_arrays(ids) if ids else pa.array([], pa.large_string()))
    known = {
        kind: frequencies.frequent(options.max_terms)
        for kind, frequencies in counts.finish().items()
    }
    return TermStatistics(names, known)


def profiled(
    documents: Documents,
    known: Known,
    options: Learning,
    numbers: Ints | None,
    threads: int,
    progress: Progress,
) -> ViewProfiles:
    """The documents of these numbers (rising), or all, in every view."""
    with_signals = bool(signals_of(options.features))
    profiles = ViewProfiles(options.views, known, rewriter_for(options.words), with_signals)
    before = 0
    for batch in _watched(documents, "reading", progress):
        texts = batch.texts
        if numbers is not None:
            inside = numbers[(numbers >= before) & (numbers < before + len(batch))] - before
            texts = texts.take(column(inside))
        profiles.add(texts, threads)
        before += len(batch)
    return profiles


def _watched(documents: Documents, stage: str, progress: Progress) -> Iterator[Batch]:
    from twinset.engine.streaming import watched

    return (batch for batch in watched(documents, stage, progress) if len(batch))


@dataclass(frozen=True)
class Prepared:
    """Examples to learn from, where candidates begin, and facts for the model file."""

    examples: Examples
    level: Level
    facts: dict[str, Any]


def prepare(
    profiles: ViewProfiles,
    labels: Labelled,
    place: Ints | None,
    documents: int,
    options: Learning,
    threads: int,
    *,
    generated: bool = False,
) -> Prepared:
    """Vectors of the labelled pairs and, if the list is open, of other pairs as negatives.

    ``place`` has the numbers of the documents that the profiles hold, if they do not hold all.
    ``generated`` says that near-duplicates were generated, and so that others may be unknown.
    """
    rng = np.random.default_rng(options.training.seed)
    rows, others = _within(labels, options, rng)
    left, right, positive = labels.left[rows], labels.right[rows], labels.positive[rows]
    level = _level(profiles, *_places(left[positive], right[positive], place), options, threads)
    candidates = 0
    if labels.open:
        a, b, candidates = _sought(
            profiles, labels, level, documents, others, rng, threads, generated=generated
        )
        left, right = np.concatenate([left, a]), np.concatenate([right, b])
        positive = np.concatenate([positive, np.zeros(len(a), bool)])
    first, second = _places(left, right, place)
    x = profiles.vectors(options.features, first, second, threads)
    group = groups_of(documents, left, right, positive)
    facts = {
        "positive": int(positive.sum()),
        "negative": int((~positive).sum()),
        "candidates": candidates,
        "notes": list(labels.notes),
    }
    return Prepared(Examples(x, positive, group), level, facts)


def _within(labels: Labelled, options: Learning, rng: np.random.Generator) -> tuple[Ints, int]:
    """Which labelled pairs are taken, and how many others may be added."""
    rows = np.arange(len(labels.left))
    if not labels.open:
        share = min(1.0, options.training_pairs / len(rows))
        sides = [np.flatnonzero(labels.positive == side) for side in (False, True)]
        chosen = [draw(side, max(1, round(len(side) * share)), rng) for side in sides]
        return np.sort(np.concatenate(chosen)), 0
    most = max(1, int(options.training_pairs / (1 + options.negatives)))
    rows = draw(rows, most, rng)
    return rows, max(1, round(len(rows) * options.negatives))


def _places(left: Ints, right: Ints, place: Ints | None) -> tuple[Any, Any]:
    """Numbers of documents to those of profiles."""
    if place is not None:
        left, right = np.searchsorted(place, left), np.searchsorted(place, right)
    return left.astype(np.uint32), right.astype(np.uint32)


def _level(profiles: ViewProfiles, left: Any, right: Any, options: Learning, threads: int) -> Level:
    """The highest level, in hundredths, that ``candidate_recall`` of the positive pairs reach."""
    near = np.sort(profiles.nearness(left, right, threads))
    lost = int(len(near) * (1 - options.candidate_recall) + 1e-9)
    least = max(FLOOR, np.floor(100 * near[lost]) / 100) if len(near) else FLOOR
    least = round(min(float(least), 0.99), 2)
    return Level("words", least, float((near >= least).mean()) if len(near) else 1.0)


def _sought(
    profiles: ViewProfiles,
    labels: Labelled,
    level: Level,
    documents: int,
    most: int,
    rng: np.random.Generator,
    threads: int,
    *,
    generated: bool,
) -> tuple[Ints, Ints, int]:
    """Pairs that are not listed, and how many of them are candidates.

    Candidates come first, since they are what the model will have to judge; where they are too few,
    random pairs make up the number.
    """
    everyone = np.arange(documents, dtype=np.uint32)
    a, b = (side.astype(np.int64) for side in profiles.near(level.least, everyone, threads))
    near = np.setdiff1d(a * documents + b, labels.true)
    others = np.setdiff1d(_by_chance(documents, most, rng), np.union1d(labels.true, near))
    if generated:
        near = _unlike(profiles, draw(near, 20 * most, rng), documents, threads)
        others = _unlike(profiles, others, documents, threads)
    keys = draw(near, most, rng)
    keys = np.concatenate([keys, draw(others, most - len(keys), rng)])
    if not len(keys):
        raise LabelError(
            "there are no two documents that are not near-duplicates, and near-duplicates alone "
            "teach nothing: give more documents"
        )
    return keys // documents, keys % documents, len(near)


def _unlike(profiles: ViewProfiles, keys: Ints, documents: int, threads: int) -> Ints:
    """The pairs whose documents do not look like near-duplicates of their own."""
    left, right = (keys // documents).astype(np.uint32), (keys % documents).astype(np.uint32)
    return keys[profiles.vectors(["shingles.jaccard"], left, right, threads)[:, 0] < ALIKE]


def _by_chance(documents: int, most: int, rng: np.random.Generator) -> Ints:
    """About twice ``most`` random pairs, or all there are."""
    if documents * (documents - 1) <= 8 * most:
        a, b = np.triu_indices(documents, 1)
    else:
        a, b = np.sort(rng.integers(0, documents, (2, 4 * most)), axis=0)
        a, b = a[a < b], b[a < b]
    keys: Ints = np.unique(a.astype(np.int64) * documents + b)
    return keys
