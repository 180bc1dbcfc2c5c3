"""Recall by operation: what of a generated collection was found again, by what was done to it.

The log of a generated collection has one JSON object a line for each made document: its ``id``, the
``source`` it was made from, and ``operations``, each with its ``name`` and ``strength``.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from io import TextIOWrapper
from pathlib import Path
from typing import Any

import pyarrow as pa

from twinset.errors import ReadError
from twinset.lab.evaluation.pair_set import Relation
from twinset.lab.evaluation.sides import Ids
from twinset.system.bounded import LIST_BYTES, open_regular

NAME = "log.jsonl"
NONE = "no operation"


@dataclass(frozen=True)
class Made:
    """A made document: where it came from and which operations it went through."""

    id: str
    source: str
    operations: tuple[tuple[str, float | None], ...]


@dataclass(frozen=True)
class OperationRecall:
    """How many documents that went through an operation of some strength were found again.

    A document is found if it is a pair with its source. ``alone`` counts only documents that went
    through this operation and no other.
    """

    operation: str
    strength: float | None
    made: int
    found: int
    alone_made: int
    alone_found: int

    @property
    def recall(self) -> float:
        """Found of made."""
        return self.found / self.made if self.made else 1.0

    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {**vars(self), "recall": self.recall}


def read_log(path: str | os.PathLike[str]) -> list[Made]:
    """The made documents of a log."""
    return list(_made(Path(path)))


def _made(path: Path) -> Iterator[Made]:
    if not path.is_file():
        raise ReadError(str(path), None, "there is no such log; 'twinset generate' writes one")
    with TextIOWrapper(open_regular(path, most=LIST_BYTES, buffering=-1), "utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if line.strip():
                yield _entry(str(path), number, line)


def _entry(path: str, number: int, line: str) -> Made:
    try:
        entry = json.loads(line)
        operations = tuple(
            (str(one["name"]), None if one.get("strength") is None else float(one["strength"]))
            for one in entry["operations"]
        )
        return Made(str(entry["id"]), str(entry["source"]), operations)
    except (ValueError, KeyError, TypeError):
        raise ReadError(
            path,
            number,
            "not an entry with id, source and operations: give the log.jsonl of 'twinset generate'",
        ) from None


def made_ids(made: list[Made]) -> list[pa.Array]:
    """The ids of the made documents, and those of their sources."""
    sides = ([one.id for one in made], [one.source for one in made])
    return [pa.array(side, pa.large_string()) for side in sides]


def recall_by_operation(made: list[Made], found: Relation, ids: Ids) -> list[OperationRecall]:
    """One row for each operation and strength, in the order of names and strengths."""
    left, right = (ids.numbers(side) for side in made_ids(made))
    hit = found.contains(left, right).tolist()
    counts: dict[tuple[str, float | None], list[int]] = {}
    for one, there in zip(made, hit, strict=True):
        operations = dict.fromkeys(one.operations or ((NONE, None),))
        for operation in operations:
            row = counts.setdefault(operation, [0, 0, 0, 0])
            alone = len(operations) == 1
            for place, add in enumerate((1, there, alone, alone and there)):
                row[place] += int(add)
    order = sorted(counts, key=lambda key: (key[0], -1.0 if key[1] is None else key[1]))
    return [OperationRecall(*key, *counts[key]) for key in order]
