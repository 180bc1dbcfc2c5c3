"""Decisions of a person on documents, and the labelled pairs that follow from them."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any, Literal, get_args

from twinset.lazy_dataclass import dataclass
from twinset.model.spreadsheet import Writer

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
    last: Decision | None = None

    def __len__(self) -> int:
        return len(self.standing)

    def on(self, ids: Sequence[str]) -> Decision | None:
        """The decision on exactly these documents."""
        return self.by_subject.get(frozenset(ids))

    def counts(self) -> dict[str, int]:
        """How many decisions there are of each kind."""
        verdicts = [decision.verdict for decision in self.standing]
        return {name: verdicts.count(name) for name in get_args(Verdict)}


@dataclass(frozen=True, slots=True)
class Label:
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
    writer.writerows([label.left, label.right, label.label] for label in labels(decisions))
    return out.getvalue()


def as_json(decisions: Decisions) -> str:
    """The decisions themselves and the labels that follow from them."""
    rows: list[dict[str, Any]] = [
        {"at": d.at, "verdict": d.verdict, "keep": d.keep, "ids": list(d.ids)}
        for d in decisions.standing
    ]
    pairs = [[label.left, label.right, label.label] for label in labels(decisions)]
    return json.dumps({"decisions": rows, "labels": pairs}, ensure_ascii=False, indent=1) + "\n"
