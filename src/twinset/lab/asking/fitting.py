"""Experts fitted to answers: the most probable coefficients, and how far the answers bear them out.

Each expert has a normal prior. Newton's method finds the maximum of the posterior; Laplace's
approximation of the evidence there weighs the experts against each other (MacKay: The evidence
framework applied to classification networks, 1992).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from twinset.model import Floats, Ints
from twinset.signals.experts import DIGITS, Expert, Judgement, sigmoid

STEPS = 50
CLOSE = 1e-7  # a step that is shorter ends the search
SLIPS = 0.05  # share of answers that anyone gives wrongly
SMALL = 0.01  # an expert of less weight is left out


@dataclass(frozen=True, slots=True)
class Prior:
    """What is believed of an expert before any answer: its coefficients and how sure they are."""

    signals: tuple[str, ...]
    mean: tuple[float, ...]
    covariance: tuple[tuple[float, ...], ...]
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Fit:
    """The most probable coefficients, their covariance, and the logarithm of the evidence."""

    coefficients: Floats
    covariance: Floats
    evidence: float


def fit(design: Floats, answers: Floats, prior: Prior, slips: float = 0.0) -> Fit:
    """The maximum of the posterior, where each answer is a slip with the probability ``slips``.

    Without slips the posterior is concave. With them it need not be; the search begins where it
    ends without them, so that answers count as slips only where the others outweigh them.
    """
    mean = np.array(prior.mean)
    precision = np.linalg.inv(np.array(prior.covariance))

    def objective(theta: Floats, slips: float) -> float:
        chance = sigmoid(np.where(answers > 0, 1, -1) * (design @ theta))
        off = theta - mean
        likelihood = np.log(slips + (1 - 2 * slips) * chance).sum()
        return float(likelihood - off @ precision @ off / 2)

    def curvature(theta: Floats) -> Floats:
        p = sigmoid(design @ theta)
        bent: Floats = (design.T * (p * (1 - p))) @ design + precision
        return bent

    def climb(theta: Floats, slips: float) -> tuple[Floats, float]:
        best = objective(theta, slips)
        for _ in range(STEPS):
            p = sigmoid(design @ theta)
            meant = _meant(answers, p, slips)
            gradient = design.T @ (meant - p) - precision @ (theta - mean)
            step = np.linalg.solve(curvature(theta), gradient)
            while (new := objective(theta + step, slips)) < best and np.abs(step).max() > CLOSE:
                step = step / 2
            theta, best = theta + step, max(new, best)
            if np.abs(step).max() < CLOSE:
                break
        return theta, best

    theta, best = climb(mean.copy(), 0.0)
    if slips:
        theta, best = climb(theta, slips)
    hessian = curvature(theta)
    determinants = np.linalg.slogdet(precision)[1] - np.linalg.slogdet(hessian)[1]
    covariance = np.linalg.inv(hessian).astype(np.float64)
    return Fit(theta, covariance, best + float(determinants) / 2)


def _meant(answers: Floats, p: Floats, slips: float) -> Floats:
    """How probable it is that yes was meant, by the answer given and what the expert says."""
    yes, no = np.where(answers > 0, 1 - slips, slips) * p, np.where(answers > 0, slips, 1 - slips)
    meant: Floats = yes / (yes + no * (1 - p))
    return meant


def design_of(columns: Mapping[str, Floats], signals: Sequence[str], rows: Ints) -> Floats:
    """A constant and the signals of some pairs, one row per pair."""
    parts = [np.ones(len(rows)), *(columns[name][rows] for name in signals)]
    return np.column_stack(parts)


def judgement_of(priors: Sequence[Prior], fits: Sequence[Fit]) -> Judgement:
    """The experts weighed by their evidence; those that hardly count are left out."""
    evidence = np.array([f.evidence for f in fits]) + np.log([p.weight for p in priors])
    weights = np.exp(evidence - evidence.max())
    weights /= weights.sum()
    weights[weights < SMALL] = 0
    weights = np.round(weights / weights.sum(), DIGITS)
    return Judgement(
        experts=tuple(
            Expert(
                prior.signals,
                tuple(float(value) for value in np.round(fitted.coefficients, DIGITS)),
                float(weight),
            )
            for prior, fitted, weight in zip(priors, fits, weights, strict=True)
            if weight > 0
        )
    )
