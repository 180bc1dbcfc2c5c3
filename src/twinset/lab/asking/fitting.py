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

STEPS = 100
CLOSE = 1e-9  # a step that is shorter ends the search
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
    """The maximum of one expert's posterior, where an answer is a slip by the chance ``slips``."""
    return fit_alike(design[None], answers, [prior], slips)[0]


def fit_all(
    columns: Mapping[str, Floats],
    rows: Ints,
    answers: Floats,
    priors: Sequence[Prior],
    slips: float = 0.0,
) -> list[Fit]:
    """The fits of all experts to the answers about some rows; those of one size at once."""
    fits: dict[int, Fit] = {}
    for size in sorted({len(prior.signals) for prior in priors}):
        places = [at for at, prior in enumerate(priors) if len(prior.signals) == size]
        alike = [priors[at] for at in places]
        designs = np.stack([design_of(columns, prior.signals, rows) for prior in alike])
        fits |= zip(places, fit_alike(designs, answers, alike, slips), strict=True)
    return [fits[at] for at in range(len(priors))]


def fit_alike(
    designs: Floats, answers: Floats, priors: Sequence[Prior], slips: float = 0.0
) -> list[Fit]:
    """The maxima of the posteriors of experts with as many signals each, a design per expert.

    Without slips a posterior is concave. With them it need not be; the search begins where it ends
    without them, so that answers count as slips only where the others outweigh them.
    """
    posterior = _Posterior(designs, answers, priors)
    theta, best = posterior.climb(posterior.mean, 0.0)
    if slips:
        theta, best = posterior.climb(theta, slips)
    hessians = posterior.curvature(theta)
    determinants = np.linalg.slogdet(posterior.precision)[1] - np.linalg.slogdet(hessians)[1]
    evidence = best + determinants / 2
    covariances = np.linalg.inv(hessians).astype(np.float64)
    return [Fit(*row) for row in zip(theta, covariances, evidence.tolist(), strict=True)]


class _Posterior:
    """The posteriors of several experts, as logarithms; the first axis is always the expert."""

    def __init__(self, designs: Floats, answers: Floats, priors: Sequence[Prior]) -> None:
        self.designs, self.answers = designs, answers
        self.mean: Floats = np.array([prior.mean for prior in priors])
        self.precision: Floats = np.linalg.inv(np.array([prior.covariance for prior in priors]))

    def climb(self, theta: Floats, slips: float) -> tuple[Floats, Floats]:
        """Newton's method, each expert's step halved until it climbs."""
        best = self.value(theta, slips)
        for _ in range(STEPS):
            step = self._step(theta, slips)
            new = self.value(theta + step, slips)
            while (falls := (new < best) & (np.abs(step).max(axis=1) > CLOSE)).any():
                step[falls] /= 2
                new = self.value(theta + step, slips)
            theta, best = theta + step, np.maximum(new, best)
            if np.abs(step).max() < CLOSE:
                break
        return theta, best

    def value(self, theta: Floats, slips: float) -> Floats:
        """The logarithm of each posterior, but for what does not depend on the coefficients."""
        chance = sigmoid(np.where(self.answers > 0, 1, -1) * self._logit(theta))
        off = theta - self.mean
        likelihood = np.log(slips + (1 - 2 * slips) * chance).sum(axis=1)
        total: Floats = likelihood - np.einsum("ei,eij,ej->e", off, self.precision, off) / 2
        return total

    def curvature(self, theta: Floats) -> Floats:
        """The negative second derivatives where no answer is a slip: they rise from anywhere."""
        p = sigmoid(self._logit(theta))
        bent: Floats = np.swapaxes(self.designs, 1, 2) @ ((p * (1 - p))[:, :, None] * self.designs)
        return bent + self.precision

    def _step(self, theta: Floats, slips: float) -> Floats:
        p = sigmoid(self._logit(theta))
        off = theta - self.mean
        gradient = np.einsum("enk,en->ek", self.designs, _meant(self.answers, p, slips) - p)
        gradient -= np.einsum("eij,ej->ei", self.precision, off)
        step: Floats = np.linalg.solve(self.curvature(theta), gradient[:, :, None])[:, :, 0]
        return step

    def _logit(self, theta: Floats) -> Floats:
        logit: Floats = np.einsum("enk,ek->en", self.designs, theta)
        return logit


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
