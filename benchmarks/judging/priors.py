"""What is believed of the experts before any answer, learnt from some labelled collections.

Each expert is fitted to each collection; its prior is the median of the coefficients, with their
covariance over the collections, half shrunk to the diagonal, and a bit of the unit matrix, all
widened: the next collection may be further off than these are from each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from judging.compared import compared, digest
from judging.kept import kept
from judging.material import FOLDER
from twinset.finding.signals.experts import VIEWS, scaled
from twinset.lab.belief import Prior, design_of, fit

PAIRS = 8000  # of a collection, drawn where there are more
BROAD = 25.0  # the variance of coefficients before a collection is seen
BIT = 0.3
WIDER = 1.5
DIGITS = 3  # of what is stored: the last digits of a solver play no part


def learnt_priors(names: Sequence[str]) -> list[Prior]:
    """The priors of all experts from the collections of these names."""
    fits = [fitted(name) for name in names]
    return [_prior(view, np.array([each[at] for each in fits])) for at, view in enumerate(VIEWS)]


@cache
def fitted(name: str) -> list[list[float]]:
    """The coefficients of every expert on one collection, computed once for a package."""
    home = FOLDER / "rows" / f"{name}-fits-{digest()}.json"
    stored: list[list[float]] = kept(home, lambda: _fit(name))
    return stored


def _fit(name: str) -> list[list[float]]:
    pairs = compared(name)
    rows = np.flatnonzero(pairs.counted)
    if len(rows) > PAIRS:
        rows = np.sort(np.random.default_rng(0).choice(rows, PAIRS, replace=False))
    true = pairs.true[rows].astype(float)
    columns = {signal: scaled(signal, column) for signal, column in pairs.columns.items()}
    results = []
    for view in VIEWS:
        size = len(view) + 1
        broad = tuple(tuple(BROAD * (i == j) for j in range(size)) for i in range(size))
        start = Prior(view, (0.0,) * size, broad)
        fitting = fit(design_of(columns, view, rows), true, start)
        results.append(fitting.coefficients.tolist())
    return results


def _prior(view: tuple[str, ...], coefficients: NDArray[np.float64]) -> Prior:
    covariance = np.atleast_2d(np.cov(coefficients, rowvar=False))
    diagonal = np.diag(np.diag(covariance))
    shrunk = WIDER * ((covariance + diagonal) / 2 + BIT * np.eye(len(covariance)))
    middle = np.round(np.median(coefficients, axis=0), DIGITS)
    rows = np.round(shrunk, DIGITS).tolist()
    return Prior(view, tuple(middle.tolist()), tuple(map(tuple, rows)))
