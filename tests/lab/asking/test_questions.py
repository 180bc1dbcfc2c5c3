"""Which pair is asked about next."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from twinset.lab.ask import LEAST, SMALL, Chooser, paying


@given(st.lists(st.floats(0, 1).map(lambda p: round(p, 4)), min_size=1, max_size=40))
def test_accepting_from_there_on_has_the_highest_expected_f1(values: list[float]) -> None:
    p = np.array(values)
    copies = p[p >= SMALL].sum()

    def f1(goal: float) -> float:
        accepted = p[p >= goal]
        return float(2 * accepted.sum() / (len(accepted) + copies)) if len(accepted) else 0.0

    best = max(f1(goal) for goal in (*p[(p >= LEAST) & (p <= 0.5)], 0.5))
    assert f1(paying(p)) >= best - 0.02


def test_two_of_five_questions_look_below_the_boundary() -> None:
    p = np.concatenate([np.full(30, 0.5), np.full(200, 0.26), np.full(300, 0.01)])
    left = np.arange(len(p)) * 2
    chooser = Chooser(left, left + 1, np.arange(2 * len(p)), seed=1)
    none = np.array([], np.int64)
    chosen = [p[chooser.row(p, none, number)] for number in range(5, 10)]
    assert [value == 0.26 for value in chosen[:4]] == [False, True, False, True]
