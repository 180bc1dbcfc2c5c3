"""Fixed settings: one view and threshold for all, or found by answers, or by all labels."""

from __future__ import annotations

import itertools
import random
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from judging.compared import Compared

COSINES = tuple(round(0.40 + 0.02 * step, 2) for step in range(16))
CONTAINED = (0.0, 0.7, 0.8, 0.85, 0.9, 0.95, 0.98)
VIEWS = ("cosine2", "cosine5c", "lcs", "jaccard3", "jaccard5c", "containment3")


def grid(pairs: Compared) -> dict[str, float]:
    """F1 of every cosine and containment, by ``cosine/contained``; 0 is without containment."""
    figures = {}
    for cosine in COSINES:
        for contained in CONTAINED:
            accepted = pairs.columns["cosine2"] >= cosine
            if contained:
                accepted = accepted | (pairs.columns["containment3"] >= contained)
            figures[f"{cosine:.2f}/{contained:.2f}"] = round(pairs.figures(accepted).f1, 4)
    return figures


def single(pairs: Compared) -> dict[str, dict[str, float]]:
    """The best F1 of each view and where its threshold is, as the labels have it."""
    best = {name: pairs.best(name) for name in pairs.columns}
    return {
        name: {"f1": round(f1, 4), "threshold": round(threshold, 4)}
        for name, (f1, threshold) in best.items()
    }


def thresholds(pairs: Compared, view: str) -> dict[str, float]:
    """F1 of one view at each of its hundredths, for choosing a threshold on other collections."""
    scores = pairs.columns[view]
    steps = [round(step / 100, 2) for step in range(2, 100, 2)]
    return {f"{step:.2f}": round(pairs.figures(scores >= step).f1, 4) for step in steps}


def by_answers(pairs: Compared, view: str, counts: Sequence[int], seed: int) -> dict[str, float]:
    """F1 after some answers that move nothing but the threshold of one view.

    Each question is a pair near the threshold as it stands; the threshold has the fewest answers
    against it and is the nearest of such to where it began.
    """
    rng = random.Random(seed)
    rows = np.flatnonzero(pairs.counted)
    score, true = pairs.columns[view][rows], pairs.true[rows]
    begin = threshold = 0.54
    asked: dict[int, bool] = {}
    figures = {}
    for number in range(max(counts) + 1):
        if number in counts:
            accepted = pairs.columns[view] >= threshold
            figures[str(number)] = round(pairs.figures(accepted).f1, 4)
        if len(asked) == len(rows):
            continue
        target = threshold + rng.gauss(0, 0.12)
        distance = np.abs(score - target)
        distance[list(asked)] = np.inf
        row = int(np.argmin(distance))
        asked[row] = bool(true[row])
        threshold = _threshold([(float(score[at]), yes) for at, yes in asked.items()], begin)
    return figures


def _threshold(answers: list[tuple[float, bool]], begin: float) -> float:
    scores = sorted({score for score, _ in answers})
    between = [(a + b) / 2 for a, b in itertools.pairwise(scores)]
    options = [begin, *between, scores[0] - 0.01, scores[-1] + 0.01]

    def against(threshold: float) -> tuple[int, float]:
        faults = sum((score >= threshold) != yes for score, yes in answers)
        return faults, abs(threshold - begin)

    return min(options, key=against)


def chosen_elsewhere(
    figures: Mapping[str, Mapping[str, float]], kinds: Mapping[str, str], name: str
) -> tuple[str, float]:
    """The setting that is best on the collections of other kinds, and its F1 on this one."""
    others = [other for other in figures if other != name and kinds[other] != kinds[name]]
    means = {
        setting: float(np.mean([figures[other][setting] for other in others]))
        for setting in figures[name]
    }
    best = max(means, key=lambda setting: (means[setting], setting))
    return best, figures[name][best]


def mean(values: Sequence[float | None]) -> float | None:
    """The mean of what was measured."""
    there = [value for value in values if value is not None]
    return round(float(np.mean(there)), 4) if there else None


def spread(runs: Sequence[Mapping[str, Any]], count: str) -> dict[str, float]:
    """Mean, least and greatest of several seeds."""
    values = [run[count] for run in runs]
    return {
        "mean": round(float(np.mean(values)), 4),
        "least": round(min(values), 4),
        "most": round(max(values), 4),
    }
