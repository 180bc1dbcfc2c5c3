"""What a training is worth: pairs that were held out, judged by a model trained without them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from twinset.errors import PlanError
from twinset.lab.learning.figures import Confusion, best_threshold
from twinset.lab.learning.options import Training
from twinset.lab.learning.training import Examples, Trained, fold_numbers, train
from twinset.model import Floats
from twinset.verify.svm import Svm

SHUFFLES = 10


def judged(
    features: Sequence[str], examples: Examples, options: Training, final: Trained
) -> dict[str, Any]:
    """Figures of one fold that was held out, and what each feature does.

    A linear machine tells the latter itself, by the weights of the ``final`` one.
    """
    check_enough(examples, options.folds)
    number, by = fold_numbers(examples, options.folds, options.seed)
    inside, outside = (examples.of(np.flatnonzero(rows)) for rows in (number != 0, number == 0))
    trained = train(features, inside, options)
    single = best_threshold(features, inside.x, inside.y)
    said = single.accepts(outside.x[:, list(features).index(single.feature)])
    return {
        "kept_together": by,
        "pairs": len(outside),
        "model": Confusion.of(outside.y, trained.svm.decide(outside.x) >= 0).as_dict(),
        "baseline": {
            "feature": single.feature,
            "threshold": single.threshold,
            "rises": single.rises,
            **Confusion.of(outside.y, said).as_dict(),
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
    whole = Confusion.of(held.y, svm.decide(held.x) >= 0).f1
    losses = np.zeros(held.x.shape[1])
    for feature in range(held.x.shape[1]):
        for _ in range(SHUFFLES):
            shuffled = held.x.copy()
            shuffled[:, feature] = rng.permutation(shuffled[:, feature])
            losses[feature] += whole - Confusion.of(held.y, svm.decide(shuffled) >= 0).f1
    return losses / SHUFFLES
