"""Experts say what their formula says, with every sign where it belongs."""

from __future__ import annotations

import math

import numpy as np
import pytest

from twinset.finding.signals.experts import Expert, Judgement, scaled


def logit(share: float) -> float:
    return math.log(share / (1 - share))


def test_a_similarity_is_seen_as_its_logit_within_bounds() -> None:
    column = np.array([0.0, 0.2, 0.9, 1.0])
    expected = [logit(share) for share in (0.01, 0.2, 0.9, 0.99)]
    assert scaled("lcs", column).tolist() == pytest.approx(expected)


@pytest.mark.parametrize(
    ("name", "column", "expected"),
    [
        ("z5c", [-3.0, 8.0, 100.0], [0.0, 2.0, 5.0]),
        ("gap2", [-2.0, -0.5, 0.25, 3.0], [-4.0, -2.0, 1.0, 4.0]),
        ("density", [0.0, 0.4], [0.0, 0.4]),
        ("idf_of_differences", [0.0, 4.0, 20.0], [0.0, 2.0, 6.0]),
    ],
)
def test_other_signals_keep_their_direction(
    name: str, column: list[float], expected: list[float]
) -> None:
    assert scaled(name, np.array(column)).tolist() == pytest.approx(expected)


def test_both_signals_of_an_expert_add_to_its_constant() -> None:
    expert = Expert(("lcs", "gap2"), (-1.0, 2.0, 0.5), 1.0)
    columns = {"lcs": np.array([1.0, -1.0]), "gap2": np.array([3.0, -2.0])}
    assert expert.logit(columns).tolist() == [-1 + 2 + 1.5, -1 - 2 - 1]


def test_a_judgement_weighs_its_experts() -> None:
    experts = (Expert(("lcs",), (0.0, 1.0), 0.75), Expert(("gap2",), (1.0, -2.0), 0.25))
    table = np.array([[0.5, 0.8], [0.25, 0.3]])
    judged = Judgement(experts).probability(table, ["gap2", "lcs"])
    expected = [
        0.75 * share + 0.25 / (1 + math.exp(-(1 - 2 * 4 * gap))) for gap, share in table.tolist()
    ]
    assert judged.tolist() == pytest.approx(expected, abs=1e-6)
