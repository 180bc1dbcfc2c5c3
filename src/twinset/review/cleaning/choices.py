"""What a person has chosen, in a journal beside the tables of the report: nothing is ever lost.

An entry holds the documents that are to stay and to go, by id, whatever made them: a click, a rule
or a folder. So an entry means the same after a restart, and undoing one brings back exactly what
was there before.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset.errors import ReportError
from twinset.lazy_dataclass import dataclass
from twinset.model import Ints
from twinset.review.cleaning.files import Marks
from twinset.review.index import ReportIndex
from twinset.review.journal import now
from twinset.system.lines import AppendedLines, Entry

NAME = "cleaning.jsonl"
KEEP, REMOVE, OPEN = 0, 1, -1
LISTS = ("keep", "remove")


@dataclass(frozen=True)
class ChosenMarks:
    """For each document `KEEP`, `REMOVE` or `OPEN`; those that go although no copy stays.

    ``keepers`` has, by the number of a group, the document that was chosen to stay; ``policies``
    are the keep policies, where a person has chosen others than those of the search; ``last`` is
    the line of the last entry that stands, and what made it.
    """

    actions: NDArray[np.int8]
    insisted: Marks
    keepers: dict[int, int]
    policies: tuple[str, ...] | None
    last: tuple[int, str] | None


@dataclass(eq=False)
class ChoiceJournal:
    """The choices on one report; several processes may use it at the same time."""

    index: ReportIndex
    _lines: AppendedLines = field(init=False, repr=False)
    _numbers: dict[int, tuple[Entry, dict[str, Ints]]] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        remedy = "remove it, or put the choices of the report there"
        self._lines = AppendedLines(self.path, _accepted, "choice", remedy)

    @property
    def path(self) -> Path:
        """The file."""
        return self.index.report.folder / NAME

    def add(
        self,
        what: str,
        keep: Iterable[int],
        remove: Iterable[int],
        *,
        keepers: Iterable[tuple[int, int]] = (),
        policies: Sequence[str] = (),
        insist: bool = False,
    ) -> None:
        """Write down which documents stay and go, and who was chosen to stay of which groups."""
        id_of = self.index.id
        entry: Entry = {"at": now(), "what": what}
        entry["keep"], entry["remove"] = self._ids(keep), self._ids(remove)
        chosen = [[id_of(number // 3), number % 3, id_of(keeper)] for number, keeper in keepers]
        if chosen:
            entry["keepers"] = chosen
        if policies:
            entry["policies"] = list(policies)
        if insist:
            entry["insist"] = True
        self._ensure_folder()
        with self._lines.writing() as append:
            append(entry)

    def undo(self) -> str | None:
        """Take the last standing entry back and say what made it; None where there is none."""
        self._ensure_folder()
        with self._lines.writing() as append:
            last = self.read().last
            if last is None:
                return None
            append({"at": now(), "undo": last[0]})
            return last[1]

    def read(self) -> ChosenMarks:
        """The choices that stand."""
        return self._lines.folded(self._fold)

    def _fold(self, entries: dict[int, Entry]) -> ChosenMarks:
        undone = {entry["undo"] for entry in entries.values() if "undo" in entry}
        actions = np.full(len(self.index), OPEN, np.int8)
        insisted = np.zeros(len(self.index), bool)
        keepers: dict[int, int] = {}
        policies = last = None
        for line, entry in entries.items():
            if "undo" in entry or line in undone:
                continue
            documents = self._documents(line, entry)
            actions[documents["keep"]], actions[documents["remove"]] = KEEP, REMOVE
            insisted[documents["keep"]] = False
            insisted[documents["remove"]] = bool(entry.get("insist"))
            for lead, sort, keeper in documents["keepers"].reshape(-1, 3).tolist():
                keepers[lead * 3 + sort] = keeper
            if entry.get("policies"):
                policies = tuple(entry["policies"])
            last = (line, str(entry["what"]))
        return ChosenMarks(actions, insisted, keepers, policies, last)

    def _documents(self, line: int, entry: Entry) -> dict[str, Ints]:
        """The numbers of an entry's documents, looked up once; ids of another report are left."""
        known = self._numbers.get(line)
        if known is not None and known[0] is entry:
            return known[1]
        documents = {name: self._numbers_of(entry.get(name, [])) for name in LISTS}
        named = entry.get("keepers", [])
        numbers = self.index.numbers_of(id for lead, _, keeper in named for id in (lead, keeper))
        rows = [
            (numbers[lead], sort, numbers[keeper])
            for lead, sort, keeper in named
            if lead in numbers and keeper in numbers
        ]
        documents["keepers"] = np.array(rows, np.int64).ravel()
        self._numbers[line] = (entry, documents)
        return documents

    def _ids(self, documents: Iterable[int]) -> list[str]:
        ids: list[str] = self.index.ids.take(pa.array(list(documents), pa.int64())).to_pylist()
        return ids

    def _numbers_of(self, ids: list[str]) -> Ints:
        return np.array(list(self.index.numbers_of(ids).values()), np.int64)

    def _ensure_folder(self) -> None:
        folder = self.index.report.folder
        if not Path(folder).is_dir():
            raise ReportError(
                f"the report folder {folder} is gone: nothing was saved; put it back, or run again"
            )


def _accepted(entry: Entry) -> bool:
    """Whether an object of the file is a choice or the undoing of one."""
    if "undo" in entry:
        return isinstance(entry["undo"], int)
    lists = [entry.get(name, []) for name in (*LISTS, "policies")]
    if not isinstance(entry.get("what"), str) or not all(map(_are_texts, lists)):
        return False
    keepers = entry.get("keepers", [])
    return isinstance(keepers, list) and all(map(_is_keeper, keepers))


def _are_texts(values: Any) -> bool:
    return isinstance(values, list) and all(isinstance(value, str) for value in values)


def _is_keeper(value: Any) -> bool:
    if not isinstance(value, list) or len(value) != 3:
        return False
    return _are_texts([value[0], value[2]]) and value[1] in (0, 1, 2)
