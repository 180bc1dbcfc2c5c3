"""Recall and precision of pairs against a truth file, whoever found them."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

Pair = tuple[str, str]


@dataclass(frozen=True)
class Quality:
    """Recall: how much of the truth was found. Precision: how much of the found is true."""

    recall: float
    precision: float
    found: int
    true: int


def ordered(left: object, right: object) -> Pair:
    """A pair of ids with the lesser string first, so that equal pairs compare equal."""
    first, second = sorted((str(left), str(right)))
    return first, second


def truth_of(corpus: Path) -> dict[Pair, float] | None:
    """Similarity by pair out of ``CORPUS.truth.csv``, None when the corpus has none."""
    path = corpus.with_name(corpus.name + ".truth.csv")
    if not path.is_file():
        return None
    with path.open(newline="", encoding="utf-8") as file:
        rows = csv.reader(file)
        next(rows)
        return {ordered(left, right): float(score) for left, right, score in rows}


def judge(found: Iterable[Pair], true: set[Pair]) -> Quality:
    """Quality of the found pairs; nothing found is precise, nothing to find is complete."""
    pairs = set(found)
    common = len(pairs & true)
    recall = common / len(true) if true else 1.0
    precision = common / len(pairs) if pairs else 1.0
    return Quality(recall, precision, len(pairs), len(true))


def reported_pairs(report: Path) -> list[Pair]:
    import pyarrow.parquet as pq

    table = pq.read_table(report / "pairs.parquet", columns=["left", "right"])
    columns = (table[name].to_pylist() for name in ("left", "right"))
    return [ordered(left, right) for left, right in zip(*columns, strict=True)]
