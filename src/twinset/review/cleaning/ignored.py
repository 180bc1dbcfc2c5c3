"""Pairs of files that a person has said are no copies, kept for the next search.

A pair is known by the contents of its files, so that it holds wherever these files go; by their
paths where a content was never looked at.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from twinset.errors import ReportError
from twinset.lazy_dataclass import dataclass
from twinset.review.journal import now
from twinset.system.lines import AppendedLines, Entry

NAME = "ignored.jsonl"
Keys = tuple[str, str]


@dataclass(frozen=True, slots=True)
class IgnoredPair:
    """A pair that is no pair of copies; ``line`` is where it stands in the file."""

    line: int
    keys: Keys
    names: tuple[str, str]
    at: str


class IgnoreList:
    """The pairs in the home folder of the page; several processes may use it at the same time."""

    def __init__(self, home: Path) -> None:
        self.path = home / NAME
        remedy = "remove it, or put the list of ignored pairs there"
        self._lines = AppendedLines(self.path, _accepted, "pair", remedy)

    def add(self, keys: Keys, names: tuple[str, str]) -> None:
        """Note a pair."""
        self._append([{"at": now(), "keys": list(keys), "names": list(names)}])

    def remove(self, lines: Sequence[int]) -> None:
        """Take pairs back, by their lines."""
        self._append([{"at": now(), "undo": line} for line in lines])

    def pairs(self) -> Mapping[Keys, IgnoredPair]:
        """The pairs that stand, each once; the same object while nothing has changed."""
        return self._lines.folded(_fold)

    def _append(self, entries: Sequence[Entry]) -> None:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as fault:
            raise ReportError(
                f"{self.path}: the pair was not saved ({fault.strerror}); check the rights"
            ) from None
        with self._lines.writing() as append:
            for entry in entries:
                append(entry)


def _accepted(entry: Entry) -> bool:
    if "undo" in entry:
        return isinstance(entry["undo"], int)
    return all(
        isinstance(values := entry.get(name), list)
        and len(values) == 2
        and all(isinstance(value, str) for value in values)
        for name in ("keys", "names")
    )


def _fold(entries: dict[int, Entry]) -> Mapping[Keys, IgnoredPair]:
    undone = {entry["undo"] for entry in entries.values() if "undo" in entry}
    pairs: dict[Keys, IgnoredPair] = {}
    for line, entry in entries.items():
        if "undo" not in entry and line not in undone:
            first, second = sorted(entry["keys"])
            left, right = entry["names"]
            at = str(entry.get("at", ""))
            pairs[first, second] = IgnoredPair(line, (first, second), (left, right), at)
    return pairs
