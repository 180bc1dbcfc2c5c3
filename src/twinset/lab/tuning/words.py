"""A recommendation in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from twinset.lab.tuning.intervals import Estimate
    from twinset.lab.tuning.result import Candidate, Tuned


def sentences(tuned: Tuned) -> list[str]:
    """What is recommended, what to expect, what came second."""
    best = tuned.best
    told = [
        f"Compare by {best.view}, from {best.threshold:g} on.",
        _expected(tuned),
        tuned.why,
    ]
    if tuned.edits:
        told.append(
            f"Of documents edited on purpose ({', '.join(one.edit for one in tuned.edits)}) "
            f"{best.edits:.0%} are found."
        )
    if tuned.runner_up is not None:
        told.append(_second(tuned, tuned.runner_up))
    told.append(f"Looked at {tuned.sampled:,} of {tuned.looks.sentence()}.")
    return told


def _expected(tuned: Tuned) -> str:
    """What to expect; where the collection does not tell, that it does not."""
    best = tuned.best
    if tuned.by_edits:
        return (
            f"What precision and recall to expect cannot be told without labels here (precision "
            f"{_bounds(best.precision)}, recall {_bounds(best.recall)}): judge some pairs and give "
            "them with --truth FILE --only-judged."
        )
    basis = "measured by the labels" if tuned.labelled else "estimated without labels"
    return f"Expect precision {best.precision} and recall {best.recall}, {basis}."


def _bounds(estimate: Estimate) -> str:
    return f"{estimate.low:.2f} to {estimate.high:.2f}"


def _second(tuned: Tuned, second: Candidate) -> str:
    best = tuned.best
    if tuned.by_edits:
        return (
            f"Runner-up: {second.view}, from {second.threshold:g} on: {second.edits:.0%} of the "
            "edits found."
        )
    told = (
        f"Runner-up: {second.view}, from {second.threshold:g} on: F1 {second.f1:.2f} against "
        f"{best.f1:.2f}, {second.edits:.0%} of the edits found"
    )
    if tuned.labelled or second.f1 <= best.f1:
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
            _bounds(one.precision) if tuned.by_edits else str(one.precision),
            _bounds(one.recall) if tuned.by_edits else str(one.recall),
            "" if tuned.by_edits else f"{one.f1:.2f}",
            f"{one.found:,}",
            f"{one.edits:.0%}",
        )
        for one in tuned.candidates
    ]
    return [head, *rows]
