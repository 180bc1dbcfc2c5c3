"""A recommendation in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from twinset.tuning.tuned import Candidate, Tuned


def sentences(tuned: Tuned) -> list[str]:
    """What is recommended, what to expect, what came second."""
    best = tuned.best
    told = [
        f"Compare by {best.view}, from {best.threshold:g} on.",
        f"Expect precision {best.precision} and recall {best.recall}, {_basis(tuned)}.",
        tuned.why,
    ]
    if tuned.edits:
        told.append(
            f"Of documents edited on purpose ({', '.join(one.edit for one in tuned.edits)}) "
            f"{best.edits:.0%} are found."
        )
    if tuned.runner_up is not None:
        told.append(_second(best, tuned.runner_up, tuned.labelled))
    told.append(f"Looked at {tuned.sampled:,} of {tuned.looks.sentence()}.")
    return told


def _basis(tuned: Tuned) -> str:
    return "measured by the labels" if tuned.labelled else "estimated without labels"


def _second(best: Candidate, second: Candidate, labelled: bool) -> str:
    told = (
        f"Runner-up: {second.view}, from {second.threshold:g} on: F1 {second.f1:.2f} against "
        f"{best.f1:.2f}, {second.edits:.0%} of the edits found"
    )
    if labelled or second.f1 <= best.f1:
        return f"{told}."
    return (
        f"{told}; its F1 is higher by what it sees itself, but not by what all views together see."
    )


def table(tuned: Tuned) -> list[tuple[str, ...]]:
    """A row for each candidate, the header first."""
    head = ("compared by", "threshold", "precision", "recall", "F1", "pairs", "edits found")
    rows = [
        (
            one.view,
            f"{one.threshold:g}",
            str(one.precision),
            str(one.recall),
            f"{one.f1:.2f}",
            f"{one.found:,}",
            f"{one.edits:.0%}",
        )
        for one in tuned.candidates
    ]
    return [head, *rows]
