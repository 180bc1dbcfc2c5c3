"""The words of cleaning: files, groups of copies, and what is to be done with each file.

Everything here is plain data. `Reason` names a sentence and its values, so that a page says it in
the reader's language.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Any, Literal, get_args

from twinset.lazy_dataclass import dataclass
from twinset.model.kinds import KINDS, STAY, Kind

PROPOSED: frozenset[str] = frozenset(KINDS) - STAY
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
    nanoseconds since 1970. ``changes`` are what differs: what the keeper has, and what this file
    has instead; None where nobody has compared them yet. A file
    that is ``protected`` lies in a reference folder or is never to be removed; one that is
    ``linked`` is another name of the keeper's bytes, so that removing it gains nothing. A document
    inside a file, such as an attachment, has the name of that ``part`` and never goes on its own.
    ``settled`` says that a person has decided on the file; ``keeper`` is the document that stays in
    its place.
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
    changes: tuple[tuple[str, str], ...] | None = ()
    protected: bool = False
    linked: bool = False
    part: str | None = None
    settled: bool = False
    keeper: int | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """Copies of one thing: the keeper, which stays, comes first, then the closest kind.

    ``kind`` is the least close one of its members. ``gain`` counts the bytes of the files that are
    to be removed. ``size`` counts all members: ``rows`` may be some of them.
    """

    number: int
    title: str
    kind: Kind
    keeper: FileRow
    rows: tuple[FileRow, ...]
    gain: int
    size: int


@dataclass(frozen=True, slots=True)
class Totals:
    """What is gained as things stand: groups, files to remove and their bytes."""

    groups: int
    files: int
    bytes: int


Column = Literal["gain", "name", "date", "size", "folder", "kind", "count"]
State = Literal["any", "going", "open", "unsettled"]


@dataclass(frozen=True, slots=True)
class GroupQuery:
    """Which groups, in which order.

    ``text`` is looked for in the paths below the root; ``kinds`` are all where empty. Of groups
    that are ``going`` some file goes, of ``open`` ones none; the files of ``unsettled`` ones that
    could go still wait for a person's word. The greatest gain, date, size and count come first, the
    first name and folder, and the closest kind, or the other way round with ``reverse``. Of each
    group up to ``rows`` files are given.
    """

    text: str = ""
    kinds: tuple[Kind, ...] = ()
    state: State = "any"
    sort: Column = "gain"
    reverse: bool = False
    offset: int = 0
    limit: int = 50
    rows: int = 50

    def faults(self) -> list[str]:
        """What is wrong with these options, as sentences."""
        choices: list[tuple[str, tuple[str, ...], tuple[str, ...]]] = [
            ("kinds", self.kinds, KINDS),
            ("state", (self.state,), get_args(State)),
            ("sort", (self.sort,), get_args(Column)),
        ]
        return [
            f"{name} must be one of {', '.join(known)}, not '{value}'"
            for name, values, known in choices
            for value in values
            if value not in known
        ]


@dataclass(frozen=True, slots=True)
class GroupPage:
    """Some groups to a query; ``total`` and ``gain`` are of all that match it."""

    total: int
    gain: int
    offset: int
    groups: tuple[Group, ...]
