"""What does the work of an index: over a store at hand, or behind a service."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol

import pyarrow as pa

from twinset.engine.documents import ids_of
from twinset.errors import PlanError
from twinset.index.answers import Added, QueryAnswer
from twinset.model import Batch
from twinset.plan import Plan, Resources

TOP = 1000
"""Matches of a document that are listed unless others are asked for."""


def ensure_strings(values: Sequence[Any], what: str) -> None:
    """Raise where these are no list of strings."""
    if isinstance(values, str) or not all(isinstance(value, str) for value in values):
        raise PlanError([f"{what} are a list of strings: give no single string, number or None"])


class IndexWork(Protocol):
    """The same for all places."""

    place: str
    plan: Plan

    def add_texts(
        self, ids: Sequence[str], texts: Sequence[str], *, replace: bool, dedup: bool
    ) -> Added:
        """Take in documents that are at hand, all or none; they are safe when this returns."""
        ...

    def add_batches(
        self, batches: Iterable[Batch], *, replace: bool, dedup: bool, resources: Resources
    ) -> Added:
        """Take in documents that are read, part by part."""
        ...

    def query_texts(
        self, ids: Sequence[str | None], texts: Sequence[str], *, top: int, passages: bool
    ) -> list[QueryAnswer]:
        """The matches of texts that are at hand; ``top`` 0 lists all."""
        ...

    def remove(self, ids: Sequence[str]) -> int:
        """Take documents out; how many were there."""
        ...

    def text(self, id: str) -> str | None:
        """The text of a document; None where it is not there or not kept."""
        ...

    def has(self, id: str) -> bool:
        """Whether there is a document of this id."""
        ...

    def documents(self, on_fault: Callable[[str], None] | None = None) -> Iterator[tuple[str, str]]:
        """All documents, id and text, in the order in which they were added.

        With ``on_fault`` what is damaged is passed over, and said.
        """
        ...

    def info(self) -> dict[str, Any]:
        """What the index is made by, counts and sizes."""
        ...

    def compact(self) -> None:
        """Rewrite everything without what was removed."""
        ...

    def check(self) -> list[str]:
        """What is damaged, a sentence each."""
        ...

    def close(self) -> None:
        """Let go of files and connections."""
        ...


def readable(batch: Batch) -> tuple[Any, Any]:
    """The ids and texts of a batch, as Arrow arrays, without documents that could not be read."""
    ids = ids_of(batch).cast(pa.large_string())
    texts = batch.texts
    if texts.null_count:
        there = texts.is_valid()
        ids, texts = ids.filter(there), texts.filter(there)
    return ids, texts
