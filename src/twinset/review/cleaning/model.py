"""The words of cleaning: files, groups of copies, and what is to be done with each file.

Everything here is plain data. `Reason` names a sentence and its values, so that a page says it in
the reader's language.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

Kind = Literal["equal-bytes", "equal-words", "equal-layout", "revision", "part", "same-form"]
"""What a document is to the one that stays, the closest first."""
PROPOSED: frozenset[str] = frozenset({"equal-bytes", "equal-words", "equal-layout", "revision"})
"""Kinds of copies that are proposed for removal; the others stay unless a person says so."""
Action = Literal["keep", "remove"]


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a file stays or goes: the name of a sentence and its values."""

    name: str
    values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FileRow:
    """A file of a group.

    ``kind`` and ``score`` are those to the keeper, None for the keeper itself. ``modified`` is in
    nanoseconds since 1970. ``changes`` are what differs from the keeper, before and after. A file
    that is ``protected`` lies in a reference folder or is never to be removed; one that is
    ``linked`` is another name of the keeper's bytes, so that removing it gains nothing.
    """

    document: int
    id: str
    path: Path
    bytes: int
    modified: int
    action: Action
    reason: Reason
    kind: Kind | None = None
    score: float | None = None
    changes: tuple[tuple[str, str], ...] = ()
    protected: bool = False
    linked: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """Copies of one thing: the keeper first, then the others, the closest kind first.

    ``kind`` is the least close one of its members. ``gain`` counts the bytes of the files that are
    to be removed.
    """

    number: int
    title: str
    kind: Kind
    rows: tuple[FileRow, ...]
    gain: int

    @property
    def keeper(self) -> FileRow:
        """The file that is proposed to stay."""
        return self.rows[0]


@dataclass(frozen=True, slots=True)
class Totals:
    """What is gained as things stand: groups, files to remove and their bytes."""

    groups: int
    files: int
    bytes: int
