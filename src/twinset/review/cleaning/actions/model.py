"""The words of actions: what is to be done with files, what was done, and what was refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, get_args

from twinset.lazy_dataclass import dataclass
from twinset.model.kinds import Kind
from twinset.review.cleaning.model import Reason
from twinset.system.mounts import FolderPlace

How = Literal["trash", "move", "hard-link", "symbolic-link", "script"]
HOWS: tuple[How, ...] = get_args(How)
LINKS: frozenset[str] = frozenset({"hard-link", "symbolic-link"})
Digest = bytes
Progress = Callable[[int, int, Path], None]
"""Is called before each file with the number of those that are over, of all, and its path."""


@dataclass(frozen=True, slots=True)
class KnownFile:
    """A file as the search has seen it; ``digest`` is None where nobody has read the bytes."""

    path: Path
    bytes: int
    modified: int
    digest: Digest | None = None


@dataclass(frozen=True, slots=True)
class FileStep:
    """One file that goes, the one that stays in its place, and why."""

    file: KnownFile
    keeper: KnownFile
    kind: Kind | None
    why: Reason


@dataclass(frozen=True, slots=True)
class Refusal:
    """A file that stays as it is although it was selected, and why."""

    path: Path
    reason: Reason


@dataclass(frozen=True, slots=True)
class ActionPlan:
    """What will happen, and what will not.

    ``root`` is the folder whose relative paths a move keeps. ``places`` are folders to warn of:
    read-only, remote or removable ones.
    """

    how: How
    steps: tuple[FileStep, ...]
    refused: tuple[Refusal, ...]
    home: Path
    root: Path
    target: Path | None = None
    report: str = ""
    places: tuple[tuple[Path, FolderPlace], ...] = ()

    @property
    def bytes(self) -> int:
        """The bytes of the files that go."""
        return sum(step.file.bytes for step in self.steps)


@dataclass(frozen=True, slots=True)
class HandledFile:
    """A file that was handled; ``place`` is where it lies now, None where the system knows."""

    path: Path
    bytes: int
    place: Path | None = None


@dataclass(frozen=True, slots=True)
class ActionOutcome:
    """What an action or its undoing has done; ``operation`` names it for undoing."""

    operation: str
    how: How
    done: tuple[HandledFile, ...]
    refused: tuple[Refusal, ...]

    @property
    def bytes(self) -> int:
        """The bytes of the files that were handled."""
        return sum(file.bytes for file in self.done)


class RefusalError(Exception):
    """Ends the work on one file and says why; the other files go on."""

    def __init__(self, name: str, **values: Any) -> None:
        self.reason = Reason(name, values)
        super().__init__(name)

    @classmethod
    def of(cls, fault: OSError) -> RefusalError:
        """The system's own words."""
        return cls("refused_fault", fault=fault.strerror or str(fault))
