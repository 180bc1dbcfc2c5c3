"""Training: our own application of a machine, folds, thresholds, figures."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import f1_score, precision_score, recall_score
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from tests.kernels import examples as profile
from twinset.errors import MissingExtraError
from twinset.finding.methods.similarity_model import Svm
from twinset.lab.learn import (
    Examples,
    Learning,
    best_cut,
    confusion,
    f1_of,
    fit,
    fold_numbers,
    importance,
    train,
)
from twinset.lab.options import Training

NAMES = ["a.cosine", "b.cosine", "c.cosine"]


def examples(count: int = 120, seed: int = 2, features: int = 3) -> Examples:
    """Two clouds; the first component tells them apart, the second does so less well."""
    chance = np.random.default_rng(seed)
    y = np.arange(count) % 3 == 0
    x = chance.normal(size=(count, features))
    x[:, 0] += 2.6 * y
    x[:, 1] += 2.0 * y
    return Examples(x, y, np.arange(count) // 2)


@pytest.mark.parametrize("weight", ["none", "balanced"])
@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf", "sigmoid"])
def test_a_machine_decides_as_scikit_learn_does(kernel, weight):
    data = examples()
    ours = fit(data, Training(kernel=kernel, class_weight=weight), (2.0, 0.2))
    scaled = StandardScaler().fit(data.x)
    theirs = SVC(
        kernel=kernel,
        C=2.0,
        gamma=0.2,
        coef0=1.0,
        degree=3,
        class_weight=None if weight == "none" else weight,
    ).fit(scaled.transform(data.x), data.y)
    new = np.random.default_rng(9).normal(size=(50, 3)) * 2
    expected = theirs.decision_function(scaled.transform(new))
    assert ours.decide(new) == pytest.approx(expected, abs=1e-9)


@profile.examples(60)
@given(st.lists(st.tuples(st.integers(0, 6), st.booleans()), min_size=1, max_size=25))
def test_the_best_cut_is_the_best_of_all(rows):
    values, truth = np.array([v for v, _ in rows], float), np.array([t for _, t in rows])
    cut, f1 = best_cut(values, truth)
    tried = [f1_of(truth, values >= value) for value in np.unique(values)]
    assert f1 == pytest.approx(max(tried))
    assert f1_of(truth, values >= cut) == pytest.approx(f1)


@profile.examples(40)
@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=30))
def test_figures_equal_scikit_learns(rows):
    truth, said = (np.array(side) for side in zip(*rows, strict=True))
    found = confusion(truth, said)
    assert found["precision"] == precision_score(truth, said, zero_division=0)
    assert found["recall"] == recall_score(truth, said, zero_division=0)
    assert found["f1"] == pytest.approx(f1_score(truth, said, zero_division=0))
    assert sum(list(found.values())[:4]) == len(rows)


def test_folds_keep_groups_together_and_hold_both_classes():
    data = examples()
    number, by = fold_numbers(data, 4, 1)
    assert by == "documents"
    assert set(number) == {0, 1, 2, 3}
    for group in np.unique(data.group):
        assert len(np.unique(number[data.group == group])) == 1
    for fold in range(4):
        assert 0 < data.y[number == fold].sum() < (number == fold).sum()


def test_a_shuffled_feature_that_is_not_used_loses_nothing():
    data = examples()
    svm = Svm(
        "linear",
        1.0,
        0.0,
        3,
        np.zeros(3),
        np.ones(3),
        np.array([[1.0, 0.0, 0.0]]),
        np.ones(1),
        -1.5,
    )
    losses = importance(svm, data, 1)
    assert losses[0] > 0.2
    assert losses[1:].tolist() == [0.0, 0.0]


def test_without_scikit_learn_the_remedy_is_reported(monkeypatch):
    import sys

    from twinset.lab.learn import learn

    monkeypatch.setitem(sys.modules, "sklearn.model_selection", None)
    message = r"scikit-learn is not installed: pip install 'scikit-learn>=\d"
    with pytest.raises(MissingExtraError, match=message):
        learn(["a"], [("0", "1", 1)])


def one_feature_decides() -> tuple[list[str], Examples]:
    """Pairs that a threshold divides without a fault, and that a small sigmoid machine does not."""
    chance = np.random.default_rng(3)
    x = chance.normal(size=(200, 4))
    x[:, 1] = chance.random(200)
    return ["x.dice", "a.cosine", "y.dice", "z.dice"], Examples(x, x[:, 1] > 0.7, np.arange(200))


def test_a_machine_that_was_asked_for_is_kept_as_it_was_trained():
    from sklearn.svm import SVC

    names, data = one_feature_decides()
    asked = {"kernel": "sigmoid", "c": 0.1, "gamma": 0.01}
    options = Learning.make(**asked).training
    trained = train(names, data, options)
    machine = SVC(kernel="sigmoid", C=0.1, gamma=0.01, coef0=options.coef0)
    scaled = (data.x - data.x.mean(axis=0)) / data.x.std(axis=0)
    expected = machine.fit(scaled, data.y).decision_function(scaled)
    assert trained.single is None
    assert trained.svm.decide(data.x) == pytest.approx(expected, abs=1e-6)
    assert trained.f1 == trained.machine < trained.alone
    assert trained.best.feature == "a.cosine"
    improved = train(names, data, Learning.make(improve=True, **asked).training)
    assert improved.single == trained.best
    assert improved.f1 == improved.alone


@pytest.mark.parametrize("feature", ["a.cosine", "a.euclidean"])
def test_a_threshold_that_no_machine_beats_is_the_decision(feature):
    chance = np.random.default_rng(3)
    x = chance.normal(size=(200, 4))
    x[:, 1] = chance.random(200)
    y = x[:, 1] > 0.7 if feature == "a.cosine" else x[:, 1] < 0.3
    data = Examples(x, y, np.arange(200))
    names = ["x.dice", feature, "y.dice", "z.dice"]
    trained = train(names, data, Training(kernel="sigmoid", c=0.1, gamma=0.01))
    assert trained.single is not None
    assert trained.single.feature == feature
    assert trained.f1 > 0.9
    assert trained.single.f1 == 1.0
    new = np.tile(np.linspace(0, 1, 101)[:, None], 4)
    expected = trained.single.accepts(new[:, 1])
    assert (trained.svm.decide(new) >= 0).tolist() == expected.tolist()
    assert 0 < expected.sum() < 101
