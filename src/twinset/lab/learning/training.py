"""Training of the support vector machine: scaling, folds, and the choice of C and gamma."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from twinset.errors import MissingExtraError, PlanError
from twinset.lab.learning.figures import Bools, Confusion, Threshold, best_cut, best_threshold
from twinset.lab.learning.options import Choice, Training
from twinset.model import Floats, Ints
from twinset.verify.svm import Svm

_STEPS = 300_000  # of the solver; a machine that has not settled by then is judged as it is


@dataclass(frozen=True, slots=True)
class Trained:
    """A decision, what was chosen for it, and how it and others did on pairs they had not seen.

    ``f1`` is that of the decision. ``single`` is the similarity that alone does better, where it
    took the machine's place. ``machine`` has the F1 of the machine at g(x) >= 0, ``moved`` that at
    g(x) >= ``cut``, and ``alone`` that of ``best``, the best single similarity.
    """

    svm: Svm
    c: float
    gamma: float
    f1: float
    by: Literal["documents", "pairs"]
    machine: float
    cut: float
    moved: float
    best: Threshold
    alone: float
    single: Threshold | None = None


@dataclass(frozen=True, slots=True)
class Examples:
    """Similarity vectors with labels; pairs of one ``group`` share documents."""

    x: Floats
    y: Bools
    group: Ints

    def __len__(self) -> int:
        return len(self.y)

    def of(self, rows: Ints) -> Examples:
        """Some of them."""
        return Examples(self.x[rows], self.y[rows], self.group[rows])


def train(features: Sequence[str], examples: Examples, options: Training) -> Trained:
    """The machine that does best in cross-validation, trained on all examples.

    With ``options.improve``, where one similarity with a threshold does better than any machine, it
    is the decision.
    """
    numbers, by = fold_numbers(examples, options.folds, options.seed)
    ranked: tuple[float, float, Choice, Floats] | None = None
    for choice in options.choices():
        held = _held_out(examples, numbers, options, choice)
        f1 = Confusion.of(examples.y, held >= 0).f1
        # of choices that do equally well the one that is surer of the right side
        margin = float(np.where(examples.y, held, -held).clip(-1, 1).mean())
        if ranked is None or (f1, margin) > ranked[:2]:
            ranked = (f1, margin, choice, held)
    assert ranked is not None, "there are choices"
    machine, _, choice, held = ranked
    svm = fit(examples, options, choice)
    cut, moved = _shift(held, examples.y)
    best = best_threshold(features, examples.x, examples.y)
    alone = _f1_of_thresholds(features, examples, numbers)
    shift, f1 = (cut, moved) if options.improve else (0.0, machine)
    svm = _finished(svm, shift, held, examples.y)
    trained = Trained(svm, *choice, f1, by, machine, cut, moved, best, alone)
    if options.improve and alone > moved:
        svm = _alone(features, best, examples)
        return dataclasses.replace(trained, svm=svm, f1=alone, single=best)
    return trained


def fold_numbers(
    examples: Examples, folds: int, seed: int
) -> tuple[Ints, Literal["documents", "pairs"]]:
    """The fold of each example, both classes in each, and what is kept together in one.

    Pairs that share documents are kept in one fold, unless there are too few such groups.
    """
    sklearn = require_sklearn()
    classes = np.bincount(examples.y.astype(int), minlength=2)
    if classes.min() < folds:
        raise PlanError(
            [
                f"{classes[1]:,} positive and {classes[0]:,} negative pairs are too few for "
                f"cross-validation in {folds} folds: label at least {folds} of each, or give "
                "fewer --folds"
            ]
        )
    groups = [len(np.unique(examples.group[examples.y == side])) for side in (False, True)]
    number = np.zeros(len(examples), np.int64)
    if min(groups) >= folds:
        cutter = sklearn.StratifiedGroupKFold(folds, shuffle=True, random_state=seed)
        parts = list(cutter.split(examples.x, examples.y, examples.group))
        if all(0 < examples.y[rows].sum() < len(rows) for _, rows in parts):
            for fold, (_, rows) in enumerate(parts):
                number[rows] = fold
            return number, "documents"
    cutter = sklearn.StratifiedKFold(folds, shuffle=True, random_state=seed)
    for fold, (_, rows) in enumerate(cutter.split(examples.x, examples.y)):
        number[rows] = fold
    return number, "pairs"


def _held_out(examples: Examples, numbers: Ints, options: Training, choice: Choice) -> Floats:
    """g(x) of each example by a machine that was trained without its fold."""
    held = np.empty(len(examples))
    for fold in range(options.folds):
        inside = numbers == fold
        svm = fit(examples.of(np.flatnonzero(~inside)), options, choice)
        held[inside] = svm.decide(examples.x[inside])
    return held


def fit(examples: Examples, options: Training, choice: Choice) -> Svm:
    """One machine, trained on scaled vectors."""
    from sklearn.svm import SVC

    c, gamma = choice
    mean, scale = _scaling(examples.x)
    machine: Any = SVC(
        kernel=options.kernel,
        C=c,
        gamma=gamma,
        degree=options.degree,
        coef0=options.coef0,
        class_weight="balanced" if options.class_weight == "balanced" else None,
        cache_size=500,
        max_iter=_STEPS,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a solver that was stopped
        machine.fit((examples.x - mean) / scale, examples.y)
    vectors, coefficients = machine.support_vectors_, machine.dual_coef_[0]
    if options.kernel == "linear":
        vectors, coefficients = machine.coef_, np.ones(1)
    coef0, intercept = options.coef0, float(machine.intercept_[0])
    shape = (options.kernel, gamma, coef0, options.degree, mean, scale)
    return Svm(*shape, np.array(vectors), np.array(coefficients), intercept)


def _shift(held: Floats, y: Bools) -> tuple[float, float]:
    """How far the boundary is moved so that F1 on unseen pairs is greatest, and that F1."""
    cut, f1 = best_cut(held, y)
    plain = Confusion.of(y, held >= 0).f1
    return (cut, f1) if f1 > plain else (0.0, plain)


def _f1_of_thresholds(features: Sequence[str], examples: Examples, numbers: Ints) -> float:
    """F1 where each fold is judged by the one similarity that divides the others best."""
    said = np.zeros(len(examples), bool)
    for fold in range(int(numbers.max()) + 1):
        inside = numbers == fold
        single = best_threshold(features, examples.x[~inside], examples.y[~inside])
        said[inside] = single.accepts(examples.x[inside][:, list(features).index(single.feature)])
    return Confusion.of(examples.y, said).f1


def _alone(features: Sequence[str], single: Threshold, examples: Examples) -> Svm:
    """A linear machine with one weight, whose boundary is the threshold."""
    column = list(features).index(single.feature)
    mean, scale = _scaling(examples.x)
    weights = np.zeros((1, len(mean)))
    weights[0, column] = 1.0 if single.rises else -1.0
    intercept = -weights[0, column] * (single.threshold - mean[column]) / scale[column]
    svm = Svm("linear", 1.0, 0.0, 1, mean, scale, weights, np.ones(1), float(intercept))
    return _finished(svm, 0.0, svm.decide(examples.x), examples.y)


def _scaling(x: Floats) -> tuple[Floats, Floats]:
    """Mean and deviation of each component; one that never changes is left as it is."""
    scale = x.std(axis=0)
    return x.mean(axis=0), np.where(scale > 1e-9, scale, 1.0)


def _finished(svm: Svm, shift: float, held: Floats, y: Bools) -> Svm:
    return dataclasses.replace(svm, intercept=svm.intercept - shift, slope=_slope(held - shift, y))


def _slope(decided: Floats, y: Bools) -> float:
    """The slope of greatest likelihood of 1/(1+exp(−slope·g)), kept between 0.1 and 100."""
    signed = np.where(y, decided, -decided)

    def loss(slope: float) -> float:
        return float(np.logaddexp(0, -slope * signed).mean())

    low, high = np.log(0.1), np.log(100.0)
    for _ in range(60):  # the loss has one minimum
        a, b = low + (high - low) / 3, high - (high - low) / 3
        low, high = (low, b) if loss(np.exp(a)) <= loss(np.exp(b)) else (a, high)
    return round(float(np.exp((low + high) / 2)), 6)


def require_sklearn() -> Any:
    """What folds are cut by; an error that says how to install it where it is missing."""
    try:
        import sklearn.model_selection
    except ImportError:
        raise MissingExtraError("scikit-learn", "learn") from None
    return sklearn.model_selection
