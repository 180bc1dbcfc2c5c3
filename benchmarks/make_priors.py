"""Makes the priors of the experts that `twinset ask` begins with, from all labelled collections.

    python benchmarks/make_priors.py

Each expert is fitted to the candidate pairs of each collection. Its prior is the median of the
coefficients over the collections, with their covariance, half shrunk to the diagonal, and a bit of
the unit matrix. What is stored has three decimals, so that the last digits of a solver play no
part. The benchmark of `ask` calls `priors_of` without the collection that is asked about and all
others of its kind.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from judging.collections import collection, names
from twinset.lab.asking import ask
from twinset.lab.asking.fitting import Prior, design_of, fit
from twinset.signals.experts import VIEWS

FILE = Path(__file__).resolve().parent.parent / "src" / "twinset" / "signals" / "priors.json"
PAIRS = 8000  # of a collection, drawn where there are more
BROAD = 25.0  # the variance of coefficients before a collection is seen
BIT = 0.3
DIGITS = 3


def priors_of(chosen: Sequence[str]) -> list[Prior]:
    """The priors of all experts from the collections of these names."""
    fits = [fitted(name) for name in chosen]
    return [_prior(view, np.array([each[at] for each in fits])) for at, view in enumerate(VIEWS)]


@cache
def fitted(name: str) -> list[NDArray[np.float64]]:
    """The coefficients of every expert on one collection."""
    labelled = collection(name)
    material = ask(labelled.table(), sample=10**9).material
    ends = zip(material.left.tolist(), material.right.tolist(), strict=True)
    answers = np.array([labelled.answer(material.ids[a], material.ids[b]) for a, b in ends])
    rows = np.flatnonzero(answers != "unsure")
    if len(rows) > PAIRS:
        rows = np.sort(np.random.default_rng(0).choice(rows, PAIRS, replace=False))
    true = (answers[rows] == "yes").astype(float)
    results = []
    for view in VIEWS:
        size = len(view) + 1
        broad = tuple(tuple(BROAD * (i == j) for j in range(size)) for i in range(size))
        start = Prior(view, (0.0,) * size, broad)
        results.append(fit(design_of(material.columns, view, rows), true, start).coefficients)
    return results


def _prior(view: tuple[str, ...], coefficients: NDArray[np.float64]) -> Prior:
    covariance = np.atleast_2d(np.cov(coefficients, rowvar=False))
    diagonal = np.diag(np.diag(covariance))
    shrunk = (covariance + diagonal) / 2 + BIT * np.eye(len(covariance))
    middle = np.round(np.median(coefficients, axis=0), DIGITS)
    rows = np.round(shrunk, DIGITS).tolist()
    return Prior(view, tuple(middle.tolist()), tuple(map(tuple, rows)))


def main() -> None:
    rows = [
        {"signals": prior.signals, "mean": prior.mean, "covariance": prior.covariance}
        for prior in priors_of(names())
    ]
    lines = ",\n".join(json.dumps(row) for row in rows)
    FILE.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    print(f"{FILE}: {len(rows)} experts from {len(names())} collections")


if __name__ == "__main__":
    main()
