"""What counts as the same output of a solver, and what does not."""

from __future__ import annotations

import pytest

from tests.shown import differences

SHOWN = """Kernel rbf with C 100 and gamma 0.1; in cross-validation of 5 folds F1 is 0.891.
the model              72      3  1,347      0.960
What F1 loses:
  words.jaccard          0.32
  words.dice             0.19
"""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("0.891", "0.892"),
        ("gamma 0.1", "gamma 0.3"),
        ("72      3", "70      5"),
        ("1,347", "1,350"),
        ("0.960", "0.947"),
        (
            "jaccard          0.32\n  words.dice             0.19",
            "dice  0.21\n  words.jaccard  0.30",
        ),
    ],
)
def test_small_differences_of_a_solver_are_none(before: str, after: str) -> None:
    printed = SHOWN.replace(before, after)
    assert printed != SHOWN
    assert differences(SHOWN, printed) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("0.891", "0.791"),
        ("0.891", "1"),
        ("72 ", "62 "),
        ("1,347", "1,447"),
        ("of 5 folds", "of 5 parts"),
        ("words.dice", "words.cosine"),
        ("  words.dice             0.19\n", ""),
        ("What F1 loses:\n", "What F1 loses:\n\n"),
    ],
)
def test_other_words_and_other_figures_are_differences(before: str, after: str) -> None:
    assert before in SHOWN
    assert differences(SHOWN, SHOWN.replace(before, after)) != []
