"""The journals of operations: a file each, one line before and one after every step.

They lie in the user's own folder and not in the report, so that an operation can be undone when the
report is gone. A line reaches the disk before the step it announces; so whenever a process ends,
the journal names every file that may have been touched. The line before a step and the one after it
both say everything of the step, so that a damaged line costs nothing: lines are sealed, and what is
whole was written here.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from twinset.errors import ReportError
from twinset.plan.spec import is_count
from twinset.review.cleaning.actions.checks import Digest, How
from twinset.review.journal import now
from twinset.system.bounded import JOURNAL_BYTES
from twinset.system.files import sync_folder
from twinset.system.lines import AppendedLines, Entry
from twinset.system.temporary import lock

FOLDER = "operations"
SUFFIX = ".jsonl"
MOST_BYTES = JOURNAL_BYTES // 2
"""Of the steps of one operation, some 80,000 files; the rest is for undoing them."""
State = Literal["begun", "done", "failed", "undoing", "undone"]
UNDOING = ("undoing", "undone")
_NUMBERS = ("bytes", "device", "inode")
_PATHS = ("path", "root", "to", "target")


@dataclass(frozen=True, slots=True)
class StepRecord:
    """What the journal says of one file: all that undoing needs.

    ``root`` is the searched folder and ``target`` that of a move: no link below them is followed.
    ``to`` is where the file goes.
    """

    number: int
    how: How
    path: Path
    root: Path
    bytes: int
    digest: Digest
    device: int
    inode: int
    to: Path
    target: Path | None = None
    state: State = "begun"

    @property
    def info(self) -> Path:
        """The file of the trash that says where this one came from."""
        return self.to.parent.parent / "info" / f"{self.to.name}.trashinfo"

    def is_at(self, path: Path) -> bool:
        """Whether the file itself has this name."""
        try:
            status = os.lstat(path)
        except OSError:
            return False
        return (status.st_dev, status.st_ino) == (self.device, self.inode)

    @property
    def touched(self) -> list[Path]:
        """The paths that undoing reads or writes, besides those of the trash."""
        return [self.path] if self.how == "trash" else [self.path, self.to]

    def entry(self) -> Entry:
        """The line that announces the step, or says that it is done."""
        numbers = {name: getattr(self, name) for name in _NUMBERS}
        places = {name: str(place) for name in _PATHS if (place := getattr(self, name))}
        about = {"step": self.number, "state": self.state, "how": self.how}
        return {**about, **numbers, **places, "digest": self.digest.hex()}


@dataclass(frozen=True)
class PastOperation:
    """An operation as its journal tells it; ``damaged`` lines cannot be read."""

    id: str
    how: How
    at: str
    report: str
    target: Path | None
    made_target: bool
    steps: tuple[StepRecord, ...]
    ended: bool
    damaged: int

    @property
    def standing(self) -> tuple[StepRecord, ...]:
        """Steps that have happened, or may have, and were not undone."""
        return tuple(step for step in self.steps if step.state in ("begun", "done", "undoing"))

    @property
    def state(self) -> str:
        """In a word: done, interrupted, undone, or partly undone."""
        if any(step.state in ("undone", "undoing") for step in self.steps):
            return "partly-undone" if self.standing else "undone"
        return "done" if self.ended else "interrupted"

    @property
    def bytes(self) -> int:
        """The bytes of the files that are gone from their places."""
        return sum(step.bytes for step in self.standing)


@dataclass
class OperationJournal:
    """The journal of one operation."""

    path: Path
    _lines: AppendedLines = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._lines = AppendedLines(
            self.path, lambda entry: True, "step", "it is left alone", sealed=True
        )

    @property
    def id(self) -> str:
        """The name of the operation: its number."""
        return self.path.name.removesuffix(SUFFIX)

    @property
    def is_full(self) -> bool:
        """Whether another step could make it too long to be read when the steps are undone."""
        return os.stat(self.path).st_size > MOST_BYTES

    def write(self, entry: Entry) -> None:
        """Append a line with the time; it is on the disk when this returns."""
        with self._lines.writing() as append:
            append({"at": now(), **entry})

    def read(self) -> PastOperation | None:
        """The operation; None where nothing of it can be read."""
        return self._lines.folded(lambda entries: _fold(self.id, entries, self._lines.unread))

    @property
    def is_lost(self) -> bool:
        """Whether there are lines, and none of them says what was done."""
        return self.read() is None and bool(self._lines.unread)


def new_journal(home: Path, header: Entry) -> OperationJournal:
    """The journal of a new operation, whose first line is the header."""
    folder = home / FOLDER
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    known = journals(home)
    # Numbers and no times: the order must be true when clocks are set back.
    number = int(known[-1].id) + 1 if known else 1
    journal = OperationJournal(folder / f"{number}{SUFFIX}")
    os.close(os.open(journal.path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    journal.write(header)
    sync_folder(folder)
    return journal


def journals(home: Path) -> list[OperationJournal]:
    """The journals of a home folder, the oldest first."""
    try:
        names = [name.removesuffix(SUFFIX) for name in os.listdir(home / FOLDER)]
    except FileNotFoundError:
        return []
    numbers = sorted(int(name) for name in names if is_count(name))
    return [OperationJournal(home / FOLDER / f"{number}{SUFFIX}") for number in numbers]


@contextmanager
def alone(home: Path) -> Iterator[None]:
    """Let one process at a time touch files: two could take each other's keepers."""
    folder = home / FOLDER
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    file = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if lock(file) is False:
            raise ReportError(
                "files are being cleaned or brought back by another process of yours; "
                "wait until it is done"
            )
        yield
    finally:
        os.close(file)


def _fold(id: str, entries: dict[int, Entry], unread: Sequence[int]) -> PastOperation | None:
    header: Entry = {}
    steps: dict[int, StepRecord] = {}
    ended, last = False, 0
    for line, entry in entries.items():
        if "operation" in entry:
            header = entry
        elif "path" in entry:
            steps[entry["step"]] = _record(entry)
        elif entry.get("step") in steps:
            steps[entry["step"]] = replace(steps[entry["step"]], state=entry["state"])
        ended = ended or "end" in entry
        if entry.get("state") not in UNDOING:
            last = line
    one = next(iter(steps.values()), None)
    if one is not None and not header:
        header = {"operation": one.how, "target": one.target}
    if not header:
        return None
    return PastOperation(
        id,
        header["operation"],
        str(next(iter(entries.values())).get("at", "")),
        str(header.get("report", "")),
        Path(header["target"]) if header.get("target") else None,
        header.get("made_target") is True,
        tuple(steps[number] for number in sorted(steps)),
        ended,
        sum(line < last for line in unread),  # a kill may have cut the last one short
    )


def _record(entry: Entry) -> StepRecord:
    values = {name: entry[name] for name in ("how", "state", *_NUMBERS)}
    values |= {name: Path(entry[name]) for name in _PATHS if name in entry}
    return StepRecord(entry["step"], digest=bytes.fromhex(entry["digest"]), **values)
