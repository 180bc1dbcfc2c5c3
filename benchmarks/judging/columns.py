"""What is measured on each collection.

Each function takes the name of a collection and gives plain data for its row. What is learnt from
other collections never comes from this one or from one of its kind.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import twinset
from judging import collections, settings
from judging.asking import Asking
from judging.compared import compared
from judging.labelled import Collection, Pair, f1
from twinset.plan.presets import preset_of

COUNTS = (0, 10, 20, 30)
SEEDS = (1, 2, 3, 4, 5)
WRONG = 0.05  # the share of answers that are wrong in the runs that try this


def pairs_found(collection: Collection, **options: Any) -> set[Pair]:
    """The pairs that `find` gives with these options."""
    pairs = twinset.find(collection.table(), max_pairs=50_000_000, **options).pairs
    ids = zip(pairs["left"].to_pylist(), pairs["right"].to_pylist(), strict=True)
    return collection.numbers(ids)


def found_by(collection: Collection, **options: Any) -> dict[str, float]:
    """Precision, recall and F1 of these pairs."""
    figures = f1(pairs_found(collection, **options), collection)
    return {name: round(getattr(figures, name), 4) for name in ("precision", "recall", "f1")}


def default(name: str) -> dict[str, Any]:
    """`find` as it is without options."""
    return found_by(collections.collection(name))


def preset(name: str) -> dict[str, Any]:
    """`find --preset text` as it is shipped."""
    options = preset_of("text").options
    plan = f"{options['method']} from {options['threshold']}"
    return {"plan": plan, **found_by(collections.collection(name), preset="text")}


def tuned(name: str) -> dict[str, Any]:
    """The plan that `tune` recommends without labels, run by `find`."""
    collection = collections.collection(name)
    result = twinset.tune(collection.table())
    figures = found_by(collection, plan=result.plan)
    plan = f"{result.plan.method} from {result.plan.threshold:g}"
    return {"plan": plan, **figures}


def fixed(name: str) -> dict[str, Any]:
    """Cosine and containment at every setting, single views, and what the labels would choose."""
    pairs = compared(name)
    return {
        "candidates": len(pairs.left),
        "candidate_recall": round(pairs.recall, 4),
        "grid": settings.grid(pairs),
        "single": settings.single(pairs),
    }


def asked(name: str) -> dict[str, Any]:
    """Thirty questions with five seeds: answers honoured or not, and some of them wrong."""
    asking = Asking.of(collections.collection(name), _left_out(name))
    return {
        "candidates": len(asking.material),
        "right": [asking.run(seed, COUNTS) for seed in SEEDS],
        "wrong": [asking.run(seed, COUNTS, WRONG) for seed in SEEDS],
    }


COLUMNS: dict[str, Callable[[str], dict[str, Any]]] = {
    "default": default,
    "preset": preset,
    "fixed": fixed,
    "tuned": tuned,
    "asked": asked,
}


def _left_out(name: str) -> list[str]:
    """The collections that something may be learnt from for this one."""
    kind = collections.kind_of(name)
    return [other for other in collections.names() if collections.kind_of(other) != kind]
