"""The journals of what a person has decided: lines that are only appended, so that none is lost.

How lines are written and read again, `twinset.system.lines` says. An entry is taken back by
another one that names its line.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Generic, TypeVar

from twinset.errors import ReportError
from twinset.system.lines import AppendedLines, Entry

Folded = TypeVar("Folded")


class EntryJournal(Generic[Folded]):
    """Entries that can be taken back; several processes may use the file at the same time.

    ``accepts`` says what is an entry, ``fold`` what the standing ones, by line, come to.
    """

    def __init__(
        self,
        path: Path,
        noun: str,
        accepts: Callable[[Entry], bool],
        fold: Callable[[dict[int, Entry]], Folded],
    ) -> None:
        self.path = path
        self._fold = lambda entries: fold(_standing(entries))
        self._lines = AppendedLines(
            path,
            lambda entry: isinstance(entry["undo"], int) if "undo" in entry else accepts(entry),
            noun,
            f"remove it, or put the {noun}s of the report there",
        )

    def read(self) -> Folded:
        """What stands; only lines written since the last call are read."""
        return self._lines.folded(self._fold)

    def write(self, entries: Iterable[Entry]) -> int:
        """Append entries with the time; gives the line of the last one."""
        line = 0
        self._ensure_folder()
        with self._lines.writing() as append:
            for entry in entries:
                line = append({"at": now(), **entry})
        return line

    def take_back(self) -> tuple[int, Entry] | None:
        """Take the last standing entry back and say which it was; None where there is none."""
        self._ensure_folder()
        with self._lines.writing() as append:
            standing = self._lines.folded(_standing)
            if not standing:
                return None
            last = max(standing)
            append({"at": now(), "undo": last})
            return last, standing[last]

    def _ensure_folder(self) -> None:
        if not self.path.parent.is_dir():
            raise ReportError(
                f"the report folder {self.path.parent} is gone: nothing was saved; "
                "put it back, or run again"
            )


def _standing(entries: dict[int, Entry]) -> dict[int, Entry]:
    undone = {entry["undo"] for entry in entries.values() if "undo" in entry}
    return {n: entry for n, entry in entries.items() if "undo" not in entry and n not in undone}


def are_texts(values: object) -> bool:
    """Whether something out of a file is a list of texts."""
    return isinstance(values, list) and all(isinstance(value, str) for value in values)


def now() -> str:
    """The time of an entry, in UTC."""
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
