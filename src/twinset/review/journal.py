"""The journal of decisions: one line each, only ever appended to, beside the tables of the report.

How lines are written and read again, `twinset.system.lines` says.
"""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import field
from pathlib import Path

from twinset.errors import PlanError, ReportError
from twinset.lazy_dataclass import dataclass
from twinset.report.places import DECISIONS
from twinset.review.decisions import Decision, Decisions, Verdict
from twinset.system.lines import AppendedLines, Entry

NAME = DECISIONS


@dataclass
class Journal:
    """The journal of one report folder; several processes may use it at the same time."""

    folder: Path
    _lines: AppendedLines = field(init=False, repr=False)

    def __post_init__(self) -> None:
        remedy = "remove it, or put the journal of the report there"
        self._lines = AppendedLines(self.path, _accepted, "decision", remedy)

    @property
    def path(self) -> Path:
        """The file."""
        return self.folder / NAME

    def add(self, ids: Sequence[str], verdict: Verdict, keep: str | None = None) -> Decision:
        """Write a decision down; it replaces an earlier one on the same documents."""
        decision = Decision(tuple(ids), verdict, keep, now())
        if faults := decision.faults():
            raise PlanError(faults)
        entry: Entry = {"at": decision.at, "verdict": verdict, "ids": list(ids)}
        if keep is not None:
            entry["keep"] = keep
        self._ensure_folder()
        with self._lines.writing() as append:
            line = append(entry)
        return Decision(decision.ids, verdict, keep, decision.at, line)

    def undo(self) -> Decision | None:
        """Take the last standing entry back; None where there is nothing left."""
        self._ensure_folder()
        with self._lines.writing() as append:
            last = self.read().last
            if last is not None:
                append({"at": now(), "undo": last.line})
        return last

    def read(self) -> Decisions:
        """The current decisions; only lines written since the last call are read."""
        return self._lines.folded(_fold)

    def _ensure_folder(self) -> None:
        if not self.folder.is_dir():
            raise ReportError(
                f"the report folder {self.folder} is gone: nothing was saved; "
                "put it back, or run again"
            )


def _accepted(entry: Entry) -> bool:
    """Whether an object of the file is a decision or the undoing of one."""
    if isinstance(entry.get("undo"), int):
        return True
    ids = entry.get("ids")
    if not isinstance(ids, list) or not all(isinstance(id, str) for id in ids):
        return False
    return not _decision(entry, 0).faults()


def _decision(entry: Entry, line: int) -> Decision:
    return Decision(
        tuple(entry["ids"]),
        entry.get("verdict", ""),
        entry.get("keep"),
        str(entry.get("at", "")),
        line,
    )


def _fold(entries: dict[int, Entry]) -> Decisions:
    undone = {entry["undo"] for entry in entries.values() if "undo" in entry}
    decisions = [
        _decision(entry, line)
        for line, entry in entries.items()
        if "undo" not in entry and line not in undone
    ]
    by_subject: dict[frozenset[str], Decision] = {}
    for decision in decisions:
        by_subject.pop(decision.subject, None)
        by_subject[decision.subject] = decision
    return Decisions(tuple(by_subject.values()), by_subject, decisions[-1] if decisions else None)


def now() -> str:
    """The time of an entry, in UTC."""
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
