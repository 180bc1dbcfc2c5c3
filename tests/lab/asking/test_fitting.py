"""The fit of an expert against a general optimiser and against the integral it approximates."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

from twinset.finding.signals.experts import scaled, sigmoid
from twinset.lab.belief import PRIOR_OF_PRESET, Fit, Prior, boundary, fit, judgement_of

RNG = np.random.default_rng(5)
PRIORS = [
    Prior(("lcs",), (-1.0, 2.0), ((2.0, 0.3), (0.3, 1.0))),
    Prior(("lcs", "z5c"), (0.0, 1.0, 0.5), ((1.0, 0.0, 0.2), (0.0, 2.0, 0.1), (0.2, 0.1, 0.7))),
]


def examples(size: int, rows: int = 25) -> tuple[np.ndarray, np.ndarray]:
    """A design with its constant, and answers that follow it loosely."""
    design = np.column_stack([np.ones(rows), RNG.normal(size=(rows, size - 1)) * 2])
    answers = (design[:, 1] + RNG.normal(size=rows) > 0).astype(float)
    return design, answers


def log_posterior(
    theta: np.ndarray, design: np.ndarray, answers: np.ndarray, prior: Prior
) -> float:
    """By the definition, constants included."""
    logit = design @ theta
    likelihood = np.sum(answers * logit - np.log1p(np.exp(logit)))
    off, covariance = theta - np.array(prior.mean), np.array(prior.covariance)
    normal = off @ np.linalg.solve(covariance, off) + np.log(np.linalg.det(2 * np.pi * covariance))
    return float(likelihood - normal / 2)


@pytest.mark.parametrize("prior", PRIORS)
def test_newton_finds_the_maximum(prior: Prior) -> None:
    design, answers = examples(len(prior.mean))
    fitted = fit(design, answers, prior)
    best = minimize(
        lambda theta: -log_posterior(theta, design, answers, prior),
        np.zeros(len(prior.mean)),
        tol=1e-12,
    )
    assert fitted.coefficients == pytest.approx(best.x, abs=1e-4)


def test_the_evidence_is_near_the_integral() -> None:
    prior = PRIORS[0]
    design, answers = examples(2, rows=40)
    axis = np.linspace(-12, 12, 120)
    grid = np.array([(a, b) for a in axis for b in axis])
    values = np.array([log_posterior(theta, design, answers, prior) for theta in grid])
    integral = np.log(np.exp(values - values.max()).sum()) + values.max()
    integral += 2 * np.log(axis[1] - axis[0])
    assert fit(design, answers, prior).evidence == pytest.approx(integral, abs=0.25)


def test_the_evidence_weighs_the_experts() -> None:
    fits = [Fit(np.zeros(2), np.eye(2), np.log(3.0)), Fit(np.zeros(3), np.eye(3), 0.0)]
    judgement = judgement_of(PRIORS, fits)
    assert [expert.weight for expert in judgement.experts] == [0.75, 0.25]
    fits[1] = Fit(np.zeros(3), np.eye(3), -9.0)
    assert [expert.signals for expert in judgement_of(PRIORS, fits).experts] == [("lcs",)]


@pytest.mark.parametrize("prior", PRIORS)
def test_with_slips_too_the_posterior_is_highest_there(prior: Prior) -> None:
    design, answers = examples(len(prior.mean))

    def posterior(theta: np.ndarray) -> float:
        chance = 1 / (1 + np.exp(-design @ theta))
        chance = np.where(answers > 0, chance, 1 - chance)
        off = theta - np.array(prior.mean)
        normal = off @ np.linalg.solve(np.array(prior.covariance), off)
        return float(np.log(0.9 * chance + 0.1 * (1 - chance)).sum() - normal / 2)

    fitted = fit(design, answers, prior, slips=0.1)
    start = fit(design, answers, prior).coefficients
    best = minimize(lambda theta: -posterior(theta), start, tol=1e-12)
    assert fitted.coefficients == pytest.approx(best.x, abs=1e-4)


def test_the_preset_is_an_expert_that_answers_hardly_move() -> None:
    rule = np.array([0.4, 0.5, 0.6])
    design = np.column_stack([np.ones(3), scaled("preset", rule)])
    below, at, above = sigmoid(design @ np.array(PRIOR_OF_PRESET.mean))
    assert below < 0.2
    assert at == pytest.approx(0.5)
    assert above > 0.8
    fitted = fit(design, np.array([1.0, 1.0, 0.0]), PRIOR_OF_PRESET)
    assert fitted.coefficients == pytest.approx(PRIOR_OF_PRESET.mean, abs=0.2)


def plain_boundary(probability: Any, rows: Any, answers: Any) -> float:
    """The calibration by SciPy, and every boundary tried."""
    logit = np.log(probability / (1 - probability))

    def loss(theta: Any) -> float:
        said = 1 / (1 + np.exp(-(theta[0] + theta[1] * logit[rows])))
        fitting = np.log(np.where(answers > 0, said, 1 - said)).sum()
        return float(theta[0] ** 2 / 2 + ((theta[1] - 1) / 0.5) ** 2 / 2 - fitting)

    shift, stretch = minimize(loss, np.array([0.0, 1.0]), tol=1e-10).x
    right = 1 / (1 + np.exp(-(shift + stretch * logit)))

    def expected(bound: float) -> float:
        inside = right >= bound
        return float(2 * right[inside].sum() / (inside.sum() + right.sum()))

    bound = np.clip(max(right.tolist(), key=expected), 1 / 3, 2 / 3)
    found = 1 / (1 + np.exp(-(np.log(bound / (1 - bound)) - shift) / stretch))
    return float(np.clip(found, 1 / 3, 2 / 3))


@pytest.mark.parametrize("seed", range(6))
def test_the_boundary_is_that_of_the_best_expected_f1(seed: int) -> None:
    draw = np.random.default_rng(seed)
    probability = draw.beta(0.3, 0.6, 200).clip(0.001, 0.999)
    rows = draw.choice(200, 25, replace=False)
    answers = (draw.random(25) < probability[rows] ** 2).astype(float)
    expected = plain_boundary(probability, rows, answers)
    assert boundary(probability, rows, answers) == pytest.approx(expected, abs=2e-4)
