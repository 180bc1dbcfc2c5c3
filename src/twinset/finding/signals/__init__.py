"""Signals: what can be said of a pair of documents, a number each.

* `Profiles` has the documents in every view that a signal looks at, each made once at first use,
  and the pairs of near documents (`Profiles.pairs`).
* Every signal takes profiles and pairs and gives a column; a file has the signals of one thought.
* `signal_table` has several columns side by side, `in_words` says them in sentences.

A new signal is a function and a line in a tuple of `SIGNALS`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from twinset.errors import PlanError
from twinset.finding.signals import standing
from twinset.finding.signals.base import ProfiledPairs, Profiles, Signal
from twinset.finding.signals.in_words import facts_of, in_words
from twinset.finding.signals.similarities import DIFFERENCES, SIMILARITIES
from twinset.model import Ints

SIGNALS: dict[str, Signal] = {
    signal.name: signal
    for signals in (SIMILARITIES, standing.SIGNALS, DIFFERENCES)
    for signal in signals
}
NAMES = tuple(SIGNALS)
OF_DOCUMENTS = tuple(name for name, signal in SIGNALS.items() if signal.needs == "documents")
"""Those that follow from two documents alone: the same in any collection."""
_AT_ONCE = 1 << 17  # pairs whose parts are in memory


def signal_table(
    profiles: Profiles,
    left: Ints,
    right: Ints,
    names: Sequence[str] = NAMES,
    threads: int | None = None,
) -> NDArray[np.float64]:
    """One row per pair with the signals as columns."""
    if unknown := [name for name in names if name not in SIGNALS]:
        raise PlanError(
            [f"there is no signal '{n}'; there are {', '.join(NAMES)}" for n in unknown]
        )
    table = np.empty((len(left), len(names)))
    # What relative signals make of all candidates serves the others.
    columns = sorted(enumerate(names), key=lambda column: SIGNALS[column[1]].needs != "neighbours")
    for begin in range(0, len(left), _AT_ONCE):
        rows = slice(begin, begin + _AT_ONCE)
        compared = ProfiledPairs(profiles, left[rows], right[rows], threads or profiles.threads)
        for column, name in columns:
            table[rows, column] = SIGNALS[name].of(compared)
    return table


def signals_of(profiles: Profiles, left: int, right: int) -> dict[str, float]:
    """The signals that follow from two documents alone, by name."""
    pairs = ProfiledPairs(profiles, np.array([left]), np.array([right]), 1)
    return {name: float(SIGNALS[name].of(pairs)[0]) for name in OF_DOCUMENTS}


__all__ = [
    "NAMES",
    "OF_DOCUMENTS",
    "SIGNALS",
    "ProfiledPairs",
    "Profiles",
    "Signal",
    "facts_of",
    "in_words",
    "signal_table",
    "signals_of",
]
