"""What an index answers.

These are plain data, the same from a folder, a database and a service.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from twinset.errors import PlanError, ReportError
from twinset.model import Batch
from twinset.run.documents import ids_of
from twinset.text.encoding import HALF, has_half

TOP = 1000
"""Matches of a document that are listed unless others are asked for."""


@dataclass(frozen=True, slots=True)
class QueryMatch:
    """A document of the index that is near the one asked about.

    ``shared`` counts common features; ``containment_left`` is their share of the document asked
    about, ``containment_right`` that of the match. They are None where scores are not made of
    features.
    """

    id: str
    score: float
    shared: int | None = None
    containment_left: float | None = None
    containment_right: float | None = None

    def as_dict(self) -> dict[str, Any]:
        """The fields that are known, for JSON."""
        values = ((name, getattr(self, name)) for name in self.__slots__)
        return {name: value for name, value in values if value is not None}


@dataclass(frozen=True, slots=True)
class QueryAnswer:
    """The matches of one document, best first, equal scores by id.

    ``more`` says how many matches beyond those asked for are left out, ``unread`` how many
    documents of the index may match and are damaged, ``uncompared`` how many of a crowd were left
    out since they share fewer keys than those compared. ``recall`` is the chance that a match of
    the least similarity asked for is found, where that is below the threshold and known.
    """

    id: str | None
    matches: tuple[QueryMatch, ...] = ()
    more: int = 0
    unread: int = 0
    recall: float | None = None
    uncompared: int = 0

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        matches = [match.as_dict() for match in self.matches]
        values: dict[str, Any] = {"id": self.id, "matches": matches}
        if self.recall is not None:
            values["recall"] = self.recall
        counts = {"more": self.more, "unread": self.unread, "uncompared": self.uncompared}
        return values | {name: count for name, count in counts.items() if count}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> QueryAnswer:
        """What `as_dict` has written."""
        matches = tuple(QueryMatch(**each) for each in values["matches"])
        more, unread = values.get("more", 0), values.get("unread", 0)
        uncompared = values.get("uncompared", 0)
        return cls(values["id"], matches, more, unread, values.get("recall"), uncompared)


@dataclass(slots=True)
class Added:
    """What became of documents: how many are new, replaced an older text, or were there already.

    ``duplicates`` are documents that were not added since the index has near-duplicates of them,
    where that was asked for; ``unread`` counts those that could not be read.
    """

    added: int = 0
    replaced: int = 0
    unchanged: int = 0
    unread: int = 0
    duplicates: list[QueryAnswer] = field(default_factory=list)

    def include(self, other: Added) -> None:
        """Count those of another batch as well."""
        self.added += other.added
        self.replaced += other.replaced
        self.unchanged += other.unchanged
        self.unread += other.unread
        self.duplicates += other.duplicates

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        values = {name: getattr(self, name) for name in ("added", "replaced", "unchanged")}
        duplicates = [answer.as_dict() for answer in self.duplicates]
        others = {"unread": self.unread, "duplicates": duplicates}
        return values | {name: value for name, value in others.items() if value}


def ensure_strings(values: Sequence[Any], what: str) -> None:
    """Raise where these are no list of strings."""
    if isinstance(values, str) or not all(isinstance(value, str) for value in values):
        raise PlanError([f"{what} are a list of strings: give no single string, number or None"])
    for number, value in enumerate(values, 1):
        if has_half(value):
            raise PlanError([f"number {number:,} of the {what} holds {HALF}"])


def ensure_all_read(unread: int) -> None:
    """Raise where documents of the index that may match are damaged."""
    if unread:
        raise ReportError(
            f"documents of the index that may match are damaged, and were not compared ({unread:,} "
            "times): 'twinset index check' names them; remove these, and add them again"
        )


def readable(batch: Batch) -> tuple[Any, Any]:
    """The ids and texts of a batch, as Arrow arrays, without documents that could not be read."""
    ids = ids_of(batch).cast(pa.large_string())
    texts = batch.texts
    if texts.null_count:
        there = texts.is_valid()
        ids, texts = ids.filter(there), texts.filter(there)
    return ids, texts
