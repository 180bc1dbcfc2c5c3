"""Decisions of a person on documents: their journal, what is still open, the labels that follow."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from twinset.errors import PlanError
from twinset.model.spreadsheet import Writer
from twinset.result.places import DECISIONS
from twinset.review.index import Grouping, ReportIndex
from twinset.review.journal import EntryJournal, are_texts, now
from twinset.system.lines import Entry

NAME = DECISIONS
Verdict = Literal["duplicate", "not", "unsure"]
WHOLE = 30
"""Documents of a decision up to which all their pairs are labelled; else those with the first."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What a person says of some documents: all copies of one, none of another, or unsure.

    ``keep`` is the copy to keep; ``line`` is where the decision stands in the journal.
    """

    ids: tuple[str, ...]
    verdict: Verdict
    keep: str | None = None
    at: str = ""
    line: int = 0

    def faults(self) -> list[str]:
        """What is wrong with this decision, as sentences."""
        faults = []
        if self.verdict not in get_args(Verdict):
            faults.append(f"a decision is duplicate, not or unsure, not '{self.verdict}'")
        if len(self.ids) < 2 or len(set(self.ids)) < len(self.ids):
            faults.append(f"a decision needs two or more different documents, not {len(self.ids)}")
        if self.keep is not None and self.keep not in self.ids:
            faults.append(f"the copy to keep, '{self.keep}', is not among the documents decided on")
        if self.keep is not None and self.verdict != "duplicate":
            faults.append(f"a copy is kept of duplicates, not where the verdict is {self.verdict}")
        return faults

    @property
    def subject(self) -> frozenset[str]:
        """The documents, in no order: a later decision on the same ones replaces this."""
        return frozenset(self.ids)


@dataclass(frozen=True)
class Decisions:
    """The decisions that stand, in the order they were made."""

    standing: tuple[Decision, ...]
    by_subject: dict[frozenset[str], Decision]

    def __len__(self) -> int:
        return len(self.standing)

    def on(self, ids: Sequence[str]) -> Decision | None:
        """The decision on exactly these documents."""
        return self.by_subject.get(frozenset(ids))

    def counts(self) -> dict[str, int]:
        """How many decisions there are of each kind."""
        verdicts = [decision.verdict for decision in self.standing]
        return {name: verdicts.count(name) for name in get_args(Verdict)}


class Journal(EntryJournal[Decisions]):
    """The decisions on the documents of one report folder."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder / NAME, "decision", _is_decision, _decisions)
        self.folder = folder

    def add(self, ids: Sequence[str], verdict: Verdict, keep: str | None = None) -> Decision:
        """Write a decision down; it replaces an earlier one on the same documents."""
        entry: Entry = {"at": now(), "verdict": verdict, "ids": list(ids)}
        if keep is not None:
            entry["keep"] = keep
        if faults := _decision(entry).faults():
            raise PlanError(faults)
        return _decision(entry, self.write([entry]))

    def undo(self) -> Decision | None:
        """Take the last standing decision back; None where there is nothing left."""
        last = self.take_back()
        return None if last is None else _decision(last[1], last[0])


def _is_decision(entry: Entry) -> bool:
    return are_texts(entry.get("ids")) and not _decision(entry).faults()


def _decision(entry: Entry, line: int = 0) -> Decision:
    ids, verdict, keep = tuple(entry["ids"]), entry.get("verdict", ""), entry.get("keep")
    return Decision(ids, verdict, keep, str(entry.get("at", "")), line)


def _decisions(entries: dict[int, Entry]) -> Decisions:
    by_subject: dict[frozenset[str], Decision] = {}
    for line, entry in entries.items():
        decision = _decision(entry, line)
        by_subject.pop(decision.subject, None)
        by_subject[decision.subject] = decision
    return Decisions(tuple(by_subject.values()), by_subject)


class Label(NamedTuple):
    """A pair of documents: 1 for copies, 0 for others."""

    left: str
    right: str
    label: int


def labels(decisions: Decisions) -> list[Label]:
    """One label a pair; a later decision overrules an earlier one, unsure leaves a pair out."""
    verdicts: dict[tuple[str, str], int] = {}
    for decision in sorted(decisions.standing, key=lambda decision: decision.line):
        for left, right in pairs_of(decision):
            key = (right, left) if (right, left) in verdicts else (left, right)
            if decision.verdict == "unsure":
                verdicts.pop(key, None)
            else:
                verdicts[key] = int(decision.verdict == "duplicate")
    return [Label(left, right, label) for (left, right), label in verdicts.items()]


def pairs_of(decision: Decision) -> Iterator[tuple[str, str]]:
    """The pairs that a decision speaks of."""
    if len(decision.ids) <= WHOLE:
        yield from combinations(decision.ids, 2)
        return
    first = decision.keep or decision.ids[0]
    yield from ((first, id) for id in decision.ids if id != first)


def as_csv(decisions: Decisions) -> str:
    """``left,right,label`` with a header; ids that a spreadsheet would run are marked."""
    out = io.StringIO()
    writer = Writer(out)
    writer.writerow(["left", "right", "label"])
    writer.writerows(labels(decisions))
    return out.getvalue()


def as_json(decisions: Decisions) -> str:
    """The decisions themselves and the labels that follow from them."""
    rows: list[dict[str, Any]] = [
        {"at": d.at, "verdict": d.verdict, "keep": d.keep, "ids": list(d.ids)}
        for d in decisions.standing
    ]
    found = {"decisions": rows, "labels": labels(decisions)}
    return json.dumps(found, ensure_ascii=False, indent=1) + "\n"


def cluster_decisions(
    index: ReportIndex, clusters: Grouping, decisions: Decisions
) -> dict[int, Decision]:
    """Decisions on whole clusters, by the place of the cluster."""
    known = index.numbers_of(id for d in decisions.standing for id in d.ids)
    by_row: dict[int, Decision] = {}
    for decision in decisions.standing:
        members = {known[id] for id in decision.ids if id in known}
        if len(members) != len(decision.ids):
            continue
        for row in clusters.rows_with(min(members)):
            if set(clusters.document[clusters.members(row)].tolist()) == members:
                by_row[row] = decision
    return by_row


def open_clusters(
    clusters: Grouping, decided: dict[int, Decision], verdict: str = ""
) -> NDArray[np.bool_]:
    """For each cluster whether it has this verdict; without one, whether it has none."""
    chosen = [row for row, decision in decided.items() if verdict in ("", decision.verdict)]
    flags = np.full(len(clusters), not verdict)
    flags[chosen] = bool(verdict)
    return flags
