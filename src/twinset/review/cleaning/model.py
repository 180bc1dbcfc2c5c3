"""The words of cleaning: files, groups of copies, why a file stays or goes, what is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from twinset.finding.clusters.keep import KeepReason
from twinset.model.flow import KINDS, Kind
from twinset.pages.language import has_sentence, say
from twinset.result.words import reason_in_words
from twinset.review.texts import PlaceInWhole

Action = Literal["keep", "remove"]
Phrases = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a file stays or goes: the name of a sentence and its values."""

    name: str
    values: Mapping[str, Any] = field(default_factory=dict)


def worded(reason: Reason, language: str = "en") -> str:
    """A reason without a full stop; a name without a sentence is shown as it is.

    Other sentences of the list may have the name of a reason, so only refusals stand there by
    their own name.
    """
    key = f"cleaning.reason_{reason.name}"
    if reason.name.startswith("refused_"):
        key = f"cleaning.{reason.name}"
    elif reason.name in KINDS:
        key = f"kinds.{reason.name}"
    if has_sentence(language, key):
        return say(language, key, **reason.values)
    if has_sentence(language, f"keeping.{reason.name}"):  # what a keep policy says
        return reason_in_words(KeepReason(reason.name, dict(reason.values)), language)
    return reason.name.replace("_", " ")


@dataclass(frozen=True, slots=True)
class FileRow:
    """A file of a group.

    ``kind`` and ``score`` are those to the keeper, None for the keeper itself. ``modified`` is in
    nanoseconds since 1970. ``changes`` are what differs: what the keeper has, and what this file
    has instead; None where nobody has compared them yet. A file that is ``protected`` lies in a
    reference folder or is never to be removed; one that is ``linked`` is another name of the
    keeper's bytes, so that removing it gains nothing. ``keeper`` is the document that stays in its
    place, and ``place`` where in that a part of it stands.
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
    changes: Phrases | None = ()
    protected: bool = False
    linked: bool = False
    keeper: int | None = None
    place: PlaceInWhole | None = None


@dataclass(frozen=True, slots=True)
class CopyGroup:
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


Column = Literal["gain", "name", "date", "size", "folder", "kind"]
Shown = Literal["any", "going", "open"]


@dataclass(frozen=True, slots=True)
class GroupQuery:
    """Which groups, in which order.

    ``text`` is looked for in the paths below the root; ``kinds`` are all where empty. Of groups
    that are ``going`` some file goes, of ``open`` ones none. The greatest gain, date and
    size come first, the first name and folder, and the closest kind, or the other way round with
    ``reverse``. Of each group up to ``rows`` files are given.
    """

    text: str = ""
    kinds: tuple[Kind, ...] = ()
    state: Shown = "any"
    sort: Column = "gain"
    reverse: bool = False
    offset: int = 0
    limit: int = 50
    rows: int = 50

    def faults(self) -> list[str]:
        """What is wrong with these options, as sentences."""
        choices: list[tuple[str, tuple[str, ...], tuple[str, ...]]] = [
            ("kinds", self.kinds, KINDS),
            ("state", (self.state,), get_args(Shown)),
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
    groups: tuple[CopyGroup, ...]


@dataclass(frozen=True, slots=True)
class RefusedMark:
    """A document that cannot be marked as asked, and why."""

    document: int
    reason: Reason


@dataclass(frozen=True, slots=True)
class Change:
    """How many files have another mark than before, and what was refused."""

    changed: int
    refused: tuple[RefusedMark, ...] = ()
