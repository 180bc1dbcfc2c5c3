"""Decisions as labelled pairs, in a form that training and evaluation take."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from twinset.model.spreadsheet import Writer
from twinset.review.journal import Decision, Decisions

WHOLE = 30
"""Documents of a decision up to which all their pairs are labelled; else those with the first."""


@dataclass(frozen=True, slots=True)
class Label:
    """A pair of documents: 1 for copies, 0 for others."""

    left: str
    right: str
    label: int


def labels(decisions: Decisions) -> list[Label]:
    """One label a pair; a later decision overrules an earlier one, unsure leaves a pair out."""
    found: dict[tuple[str, str], int] = {}
    for decision in sorted(decisions.standing, key=lambda decision: decision.line):
        for left, right in pairs_of(decision):
            key = (right, left) if (right, left) in found else (left, right)
            if decision.verdict == "unsure":
                found.pop(key, None)
            else:
                found[key] = int(decision.verdict == "duplicate")
    return [Label(left, right, label) for (left, right), label in found.items()]


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
    made: list[dict[str, Any]] = [
        {"at": d.at, "verdict": d.verdict, "keep": d.keep, "ids": list(d.ids)}
        for d in decisions.standing
    ]
    pairs = [[label.left, label.right, label.label] for label in labels(decisions)]
    return json.dumps({"decisions": made, "labels": pairs}, ensure_ascii=False, indent=1) + "\n"
