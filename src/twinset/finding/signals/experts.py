"""What applies a judgement: small logistic experts over the signals of a pair, weighed together.

An expert looks at up to three signals. A similarity enters as its logit, the others on a scale of
about one; ``coefficients`` begin with the constant. The probability of a pair is the weighted sum
of what the experts say, at most 1, and a pair that reaches the threshold is a copy.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from twinset.model import Floats

LEAST = 0.01  # a similarity of less, and one nearer to 1 than this, says no more than this does
DIGITS = 4  # of what is stored: a result must not depend on the last digits of a solver
_AT_ONCE = 1 << 14  # pairs that stay in a cache while the experts look at them
SCALES = {
    "z5c": (0.25, 0.0, 5.0),
    "gap2": (4.0, -4.0, 4.0),
    "density": (1.0, 0.0, 8.0),
    "idf_of_differences": (0.5, 0.0, 6.0),
}
"""Signals that are no similarities: their factor, and the bounds of the product."""
SINGLE = (
    "jaccard1",
    "jaccard3",
    "jaccard5c",
    "idfjaccard5",
    "containment3",
    "covered3",
    "cosine2",
    "cosine5c",
    "lcs",
    "lcs_short",
    "z5c",
    "gap2",
    "numbers",
)
FIRST = ("lcs", "cosine5c", "containment3", "jaccard3")
SECOND = ("z5c", "gap2", "numbers", "length_ratio", "idf_of_differences", "density")
TOGETHER = (
    ("numbers", "idf_of_differences"),
    ("numbers", "length_ratio"),
    ("numbers", "z5c"),
    ("z5c", "gap2"),
    ("length_ratio", "idf_of_differences"),
    ("containment3", "idf_of_differences"),
)
VIEWS: tuple[tuple[str, ...], ...] = (
    *((name,) for name in SINGLE),
    *((first, second) for first in FIRST for second in SECOND),
    *((first, *others) for first in FIRST[:2] for others in TOGETHER),
    ("cosine5c", "codes"),
)
"""The signals of each expert there is."""


def scaled(name: str, column: Floats) -> Floats:
    """A signal as experts see it."""
    values: Floats
    if name in SCALES:
        factor, least, most = SCALES[name]
        values = np.clip(column * factor, least, most)
        return values
    inside = np.clip(column, LEAST, 1 - LEAST)
    values = np.log(inside / (1 - inside))
    return values


def sigmoid(logit: Floats) -> Floats:
    """The probability of a logit, which is kept within what floats can hold."""
    probability: Floats = 1 / (1 + np.exp(-np.clip(logit, -35, 35)))
    return probability


@dataclass(frozen=True, slots=True)
class Expert:
    """A logistic function of a few signals, and how much it counts."""

    signals: tuple[str, ...]
    coefficients: tuple[float, ...]
    weight: float

    def logit(self, columns: dict[str, Floats]) -> Floats:
        """What it says of each pair; ``columns`` are scaled signals by name."""
        total: Floats = columns[self.signals[0]] * self.coefficients[1]
        total += self.coefficients[0]
        for name, factor in zip(self.signals[1:], self.coefficients[2:], strict=True):
            total += factor * columns[name]
        return total


@dataclass(frozen=True, slots=True)
class Judgement:
    """Experts that decide together; without any, nothing is a copy."""

    experts: tuple[Expert, ...]
    threshold: float = 0.5

    @property
    def signals(self) -> tuple[str, ...]:
        """The signals that the experts look at, each once."""
        return tuple(dict.fromkeys(name for expert in self.experts for name in expert.signals))

    def probability(self, table: Floats, names: Sequence[str]) -> Floats:
        """The probability of each row of a table, whose columns are the signals ``names``."""
        place = {name: column for column, name in enumerate(names)}
        columns = {name: scaled(name, table[:, place[name]]) for name in self.signals}
        return self.of_scaled(columns, len(table))

    def of_scaled(self, columns: dict[str, Floats], rows: int) -> Floats:
        """The same of signals that are scaled already."""
        total: Floats = np.zeros(rows)
        for begin in range(0, rows, _AT_ONCE):
            part = slice(begin, begin + _AT_ONCE)
            within = {name: columns[name][part] for name in self.signals}
            for expert in self.experts:
                total[part] += expert.weight * sigmoid(expert.logit(within))
        np.minimum(total, 1, out=total)
        return np.round(total, DIGITS + 2)


def spelt_judgement(judgement: Judgement) -> str:
    """The experts as a text: weight, signals and coefficients of each, separated by semicolons."""
    return "; ".join(
        f"{expert.weight!r} {'+'.join(expert.signals)} "
        + " ".join(repr(value) for value in expert.coefficients)
        for expert in judgement.experts
    )


def read_judgement(text: str) -> Judgement:
    """The judgement of such a text; raises ValueError for anything else."""
    experts = []
    for part in text.split(";"):
        weight, signals, *coefficients = part.split()
        expert = Expert(tuple(signals.split("+")), tuple(map(float, coefficients)), float(weight))
        if len(coefficients) != len(expert.signals) + 1:
            raise ValueError(f"'{part.strip()}' needs {len(expert.signals) + 1} coefficients")
        if not all(map(math.isfinite, (expert.weight, *expert.coefficients))):
            raise ValueError(f"'{part.strip()}' has a number that is not finite")
        experts.append(expert)
    return Judgement(tuple(experts))


def judgement_faults(text: str, known: Collection[str]) -> list[str]:
    """What is wrong with the text of a judgement; ``known`` are the names of signals."""
    try:
        judgement = read_judgement(text)
    except ValueError as fault:
        return [f"experts are written as '0.6 lcs+z5c -3.1 2.4 1.2; ...': {fault}"]
    unknown = [name for name in judgement.signals if name not in known]
    return [f"there is no signal '{name}'; known: {', '.join(known)}" for name in unknown]
