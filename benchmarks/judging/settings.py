"""Fixed settings: one view and threshold for all, or found by answers, or by all labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from judging.compared import Compared

COSINES = tuple(round(0.40 + 0.02 * step, 2) for step in range(16))
CONTAINED = (0.0, 0.7, 0.8, 0.85, 0.9, 0.95, 0.98)


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
