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
CLOSE = 1e-8  # a step of Newton's that is shorter ends the search
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


def fit(design: Floats, answers: Floats, prior: Prior) -> Fit:
    """Newton's method on the logarithm of the posterior, which is concave."""
    mean = np.array(prior.mean)
    precision = np.linalg.inv(np.array(prior.covariance))

    def objective(theta: Floats) -> float:
        logit = design @ theta
        likelihood = (answers * logit - np.logaddexp(0, logit)).sum()
        off = theta - mean
        return float(likelihood - off @ precision @ off / 2)

    theta, best = mean.copy(), objective(mean)
    for _ in range(STEPS):
        p = sigmoid(design @ theta)
        gradient = design.T @ (answers - p) - precision @ (theta - mean)
        hessian = (design.T * (p * (1 - p))) @ design + precision
        step = np.linalg.solve(hessian, gradient)
        while (new := objective(theta + step)) < best and np.abs(step).max() > CLOSE:
            step = step / 2
        theta, best = theta + step, max(new, best)
        if np.abs(step).max() < CLOSE:
            break
    p = sigmoid(design @ theta)
    hessian = (design.T * (p * (1 - p))) @ design + precision
    determinants = np.linalg.slogdet(precision)[1] - np.linalg.slogdet(hessian)[1]
    return Fit(theta, np.linalg.inv(hessian), best + float(determinants) / 2)


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
