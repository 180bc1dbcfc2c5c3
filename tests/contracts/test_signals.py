"""What every signal keeps: one finite number per pair, whichever way round and on any threads."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from twinset.finding.signals import NAMES, SIGNALS, Profiles, signal_table

TEXTS = [
    "",
    "word",
    "word",
    "The committee of 12 members met on 3 May and agreed to the plan for the new harbour.",
    "The committee of 12 members met on 3 May and agreed to the plan for the new harbour.",
    "The committee of 14 members met on 7 June and agreed to the plan for the old harbour.",
    "Сегодня совет из 12 членов собрался и принял план новой гавани, о котором спорили год.",
    "Сегодня совет из 15 членов собрался и принял план старой гавани, о котором спорили год.",
    "委员会今天开会通过了新港口的计划",
    "委员会昨天开会通过了旧港口的计划",
    "   \n ...  ",
    *(f"a form filled in by person number {n} of the town of {n * 7}" for n in range(30)),
]


@pytest.fixture(scope="module")
def profiles() -> Profiles:
    return Profiles.of([pa.array(TEXTS[:5]), pa.array(TEXTS[5:])], 2)


def every_pair() -> tuple[np.ndarray, np.ndarray]:
    left, right = np.triu_indices(len(TEXTS), 1)
    return left.astype(np.int64), right.astype(np.int64)


@pytest.mark.parametrize("name", NAMES)
def test_a_signal_is_a_finite_column(name: str, profiles: Profiles) -> None:
    column = SIGNALS[name].column(profiles, *every_pair(), 1)
    assert column.shape == every_pair()[0].shape
    assert column.dtype == np.float64
    assert np.isfinite(column).all()
    assert SIGNALS[name].name == name
    assert SIGNALS[name].says


@pytest.mark.parametrize("name", NAMES)
def test_a_similarity_lies_between_0_and_1_and_is_1_for_equal_documents(
    name: str, profiles: Profiles
) -> None:
    column = SIGNALS[name].column(profiles, *every_pair(), 1)
    if not SIGNALS[name].logit:
        pytest.skip("no similarity")
    assert (column >= 0).all()
    assert (column <= 1).all()
    equal = SIGNALS[name].column(profiles, np.array([3]), np.array([4]), 1)
    assert equal == pytest.approx([1.0], abs=1e-6)


@pytest.mark.parametrize("name", NAMES)
def test_left_and_right_may_be_swapped(name: str, profiles: Profiles) -> None:
    left, right = every_pair()
    column = SIGNALS[name].column(profiles, left, right, 1)
    assert np.array_equal(column, SIGNALS[name].column(profiles, right, left, 1))


@pytest.mark.parametrize("name", NAMES)
def test_threads_batches_and_other_pairs_do_not_show(name: str, profiles: Profiles) -> None:
    left, right = every_pair()
    column = SIGNALS[name].column(profiles, left, right, 1)
    other = Profiles.of([pa.array(TEXTS, pa.large_string())], 3)
    assert np.array_equal(column, SIGNALS[name].column(other, left, right, 3))
    some = SIGNALS[name].column(other, left[::7], right[::7], 2)
    assert np.array_equal(column[::7], some)


def test_a_table_has_the_columns(profiles: Profiles) -> None:
    left, right = every_pair()
    names = ("lcs", "gap2")
    table = signal_table(profiles, left, right, names)
    for place, name in enumerate(names):
        assert np.array_equal(table[:, place], SIGNALS[name].column(profiles, left, right, 1))
    assert signal_table(profiles, left[:0], right[:0]).shape == (0, len(NAMES))


@pytest.mark.parametrize("texts", [[], [""], ["", ""], ["a"], ["a", "a"]])
def test_few_documents_make_few_pairs(texts: list[str]) -> None:
    profiles = Profiles.of([pa.array(texts, pa.string())])
    left, right = profiles.pairs
    assert len(left) == (texts == ["a", "a"])
    assert np.isfinite(signal_table(profiles, left, right)).all()
