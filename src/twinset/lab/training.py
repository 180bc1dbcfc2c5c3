"""Training of the support vector machine, and what it is worth on pairs that were held out."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from twinset.errors import MissingExtraError, PlanError
from twinset.finding.methods.profiles import rises
from twinset.finding.methods.similarity_model import Svm
from twinset.lab.options import Choice, Training
from twinset.model import Floats, Ints

Bools = NDArray[np.bool_]


def f1_of(truth: Bools, said: Bools) -> float:
    """F1 of pairs that are said to be near-duplicates; 0 where none of them is one."""
    both = int(truth.sum()) + int(said.sum())
    return 2 * int((truth & said).sum()) / both if both else 0.0


def confusion(truth: Bools, said: Bools) -> dict[str, float]:
    """Pairs by what they are and what they were taken for, and the measures of that."""
    hits, reported, there = (int(rows.sum()) for rows in (truth & said, said, truth))
    return {
        "true_positive": hits,
        "false_positive": reported - hits,
        "false_negative": there - hits,
        "true_negative": len(truth) - reported - there + hits,
        "precision": hits / reported if reported else 0.0,
        "recall": hits / there if there else 0.0,
        "f1": f1_of(truth, said),
    }


@dataclass(frozen=True, slots=True)
class Threshold:
    """One similarity with the threshold that divides the training pairs best."""

    feature: str
    threshold: float
    f1: float

    def accepts(self, values: Floats) -> Bools:
        """Which pairs it takes for near-duplicates; the threshold is inclusive."""
        good: Bools = values >= self.threshold if self.rises else values <= self.threshold
        return good

    @property
    def rises(self) -> bool:
        return rises(self.feature)


def best_cut(values: Floats, truth: Bools) -> tuple[float, float]:
    """The least value to accept for the greatest F1, midway between two values, and that F1."""
    order = np.argsort(-values, kind="stable")
    falling, right = values[order], truth[order]
    hits = np.cumsum(right)
    f1 = 2 * hits / (np.arange(1, len(values) + 1) + max(int(right.sum()), 1))
    last = np.append(falling[1:] < falling[:-1], True)  # equal values are accepted together
    f1[~last] = -1.0
    best = int(np.argmax(f1))
    if best + 1 == len(falling):
        return float(falling[best]), float(f1[best])
    middle = (falling[best] + falling[best + 1]) / 2
    # the middle of two neighbouring floats may be the lower one, which is not to be accepted
    cut = middle if middle > falling[best + 1] else falling[best]
    return float(cut), float(f1[best])


def best_threshold(features: Sequence[str], x: Floats, truth: Bools) -> Threshold:
    """The single similarity that divides the pairs best; of equal ones the first."""
    best: Threshold | None = None
    for column, feature in enumerate(features):
        sign = 1.0 if rises(feature) else -1.0
        cut, f1 = best_cut(sign * x[:, column], truth)
        if best is None or f1 > best.f1:
            best = Threshold(feature, sign * cut, f1)
    assert best is not None, "there are features"
    return best


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
        f1 = f1_of(examples.y, held >= 0)
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
    plain = f1_of(y, held >= 0)
    return (cut, f1) if f1 > plain else (0.0, plain)


def _f1_of_thresholds(features: Sequence[str], examples: Examples, numbers: Ints) -> float:
    """F1 where each fold is judged by the one similarity that divides the others best."""
    said = np.zeros(len(examples), bool)
    for fold in range(int(numbers.max()) + 1):
        inside = numbers == fold
        single = best_threshold(features, examples.x[~inside], examples.y[~inside])
        said[inside] = single.accepts(examples.x[inside][:, list(features).index(single.feature)])
    return f1_of(examples.y, said)


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


SHUFFLES = 10


def judged(
    features: Sequence[str], examples: Examples, options: Training, final: Trained
) -> dict[str, Any]:
    """Figures of one fold that was held out, and what each feature does.

    A linear machine tells the latter itself, by the weights of the ``final`` one.
    """
    number, by = fold_numbers(examples, options.folds, options.seed)
    inside, outside = (examples.of(np.flatnonzero(rows)) for rows in (number != 0, number == 0))
    trained = train(features, inside, options)
    single = best_threshold(features, inside.x, inside.y)
    said = single.accepts(outside.x[:, list(features).index(single.feature)])
    return {
        "kept_together": by,
        "pairs": len(outside),
        "model": confusion(outside.y, trained.svm.decide(outside.x) >= 0),
        "baseline": {
            "feature": single.feature,
            "threshold": single.threshold,
            "rises": single.rises,
            **confusion(outside.y, said),
        },
        "learnt": learnt(features, final, trained, outside, options),
    }


def check_enough(examples: Examples, folds: int) -> None:
    """Enough pairs of both classes to hold some out and to cross-validate on the rest."""
    positive = int(examples.y.sum())
    negative = len(examples) - positive
    if min(positive, negative) < 2 * folds:
        raise PlanError(
            [
                f"{positive:,} positive and {negative:,} negative pairs are too few for "
                f"cross-validation in {folds} folds: label at least {2 * folds} of each, or give "
                "fewer --folds (at least 2)"
            ]
        )


def learnt(
    features: Sequence[str],
    final: Trained,
    trained: Trained,
    held: Examples,
    options: Training,
) -> dict[str, Any]:
    """What each feature does: its weight in a linear machine, else what F1 loses without it."""
    if final.svm.kernel == "linear":
        kind, values = "weight", final.svm.vectors[0] * final.svm.coefficients[0]
    else:
        kind, values = "importance", importance(trained.svm, held, options.seed)
    order = np.argsort(-np.abs(values), kind="stable")
    return {
        "by": kind,
        "features": [{"feature": features[i], "value": float(values[i])} for i in order],
    }


def importance(svm: Svm, held: Examples, seed: int) -> Floats:
    """The loss of F1 when the values of one feature are shuffled, the mean of some shuffles."""
    rng = np.random.default_rng(seed)
    whole = f1_of(held.y, svm.decide(held.x) >= 0)
    losses = np.zeros(held.x.shape[1])
    for feature in range(held.x.shape[1]):
        for _ in range(SHUFFLES):
            shuffled = held.x.copy()
            shuffled[:, feature] = rng.permutation(shuffled[:, feature])
            losses[feature] += whole - f1_of(held.y, svm.decide(shuffled) >= 0)
    return losses / SHUFFLES
