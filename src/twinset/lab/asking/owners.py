"""Owners who answer from labels: for replays, tests and benchmarks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa

from twinset.lab.asking.belief import Answer
from twinset.lab.evaluation.list_columns import ListFormat
from twinset.lab.evaluation.list_files import read_list
from twinset.lab.learning.labels import labelled

Owner = Callable[[str, str], Answer]


def owner_of(truth: Any, ids: Sequence[str], grade: float | None = None) -> Owner:
    """Answers yes where the labels have the pair, no elsewhere."""
    column = pa.array(ids, pa.large_string())
    listed = read_list(truth, ListFormat("--truth", known=column))
    known = labelled(listed, column, grade, 1, "the truth")
    count = len(ids)
    true = set(known.true.tolist())
    numbers = {name: number for number, name in enumerate(ids)}

    def answer(left: str, right: str) -> Answer:
        low, high = sorted((numbers[left], numbers[right]))
        return "yes" if low * count + high in true else "no"

    return answer
