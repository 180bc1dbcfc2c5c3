"""Recall by operation: how many generated documents were found, operation by operation.

The log of a generated collection has one JSON object per line for each generated document: its
``id``, the ``source`` it was made from, and ``operations``, each with ``name`` and ``strength``.
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

from twinset.errors import MissingFileError, ReadError
from twinset.lab.evaluation.pair_set import PairSet
from twinset.lab.evaluation.sides import DocumentIds
from twinset.model.columns import text
from twinset.system.bounded import LIST_BYTES, open_regular

LOG_NAME = "log.jsonl"
NO_OPERATION = ("no operation", None)


@dataclass(frozen=True)
class GeneratedDocument:
    """A generated document: what it was made from, and the operations it went through."""

    id: str
    source: str
    operations: tuple[tuple[str, float | None], ...]


@dataclass(frozen=True)
class OperationRecall:
    """How many documents that went through an operation of some strength were found.

    A document is found if it is a pair with its source. The fields ``alone_...`` count only
    documents that went through this operation and no other.
    """

    operation: str
    strength: float | None
    made: int
    found: int
    alone_made: int
    alone_found: int

    @property
    def recall(self) -> float:
        """The share of the generated documents that was found."""
        return self.found / self.made if self.made else 1.0

    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {**vars(self), "recall": self.recall}


def read_log(path: str | os.PathLike[str]) -> list[GeneratedDocument]:
    """The generated documents of a log."""
    return list(_documents(Path(path)))


def _documents(path: Path) -> Iterator[GeneratedDocument]:
    if not path.is_file():
        raise MissingFileError(path, remedy="'twinset generate' writes log.jsonl")
    with TextIOWrapper(open_regular(path, most=LIST_BYTES, buffering=-1), "utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if line.strip():
                yield _document(str(path), number, line)


def _document(path: str, number: int, line: str) -> GeneratedDocument:
    try:
        entry = json.loads(line)
        operations = tuple(
            (str(step["name"]), None if step.get("strength") is None else float(step["strength"]))
            for step in entry["operations"]
        )
        return GeneratedDocument(str(entry["id"]), str(entry["source"]), operations)
    except (ValueError, KeyError, TypeError):
        raise ReadError(
            path,
            number,
            "not an entry with id, source and operations: give the log.jsonl of 'twinset generate'",
        ) from None


def ids_in_log(documents: list[GeneratedDocument]) -> tuple[pa.Array, pa.Array]:
    """The ids of the generated documents, and those of their sources."""
    ids = [document.id for document in documents]
    sources = [document.source for document in documents]
    return text(ids).cast(pa.large_string()), text(sources).cast(pa.large_string())


def recall_by_operation(
    documents: list[GeneratedDocument], pairs: PairSet, ids: DocumentIds
) -> list[OperationRecall]:
    """One row per operation and strength, in the order of names and strengths."""
    left, right = (ids.numbers(column) for column in ids_in_log(documents))
    was_found = pairs.contains(left, right).tolist()
    counts: dict[tuple[str, float | None], list[int]] = {}
    for document, hit in zip(documents, was_found, strict=True):
        operations = dict.fromkeys(document.operations or (NO_OPERATION,))
        alone = len(operations) == 1
        for operation in operations:
            row = counts.setdefault(operation, [0, 0, 0, 0])
            for at, add in enumerate((1, hit, alone, alone and hit)):
                row[at] += int(add)
    order = sorted(counts, key=lambda key: (key[0], -1.0 if key[1] is None else key[1]))
    return [OperationRecall(*key, *counts[key]) for key in order]
