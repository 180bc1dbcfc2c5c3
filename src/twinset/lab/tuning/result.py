"""What `tune` recommends, and what that rests on."""

from __future__ import annotations

import dataclasses
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from twinset.lab.tuning.edits import EditRecall
from twinset.lab.tuning.looks import Looks
from twinset.lab.tuning.tuned_view import Estimate
from twinset.plan import Plan
from twinset.report.files import write_file

if TYPE_CHECKING:
    from twinset.pages.charts import Figure

Histogram = tuple[list[float], list[int]]


@dataclass(frozen=True, slots=True)
class Candidate:
    """One way to compare documents, with its best threshold and what to expect of it."""

    view: str
    threshold: float
    precision: Estimate
    recall: Estimate
    f1: float
    found: int
    edits: float

    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        return dataclasses.asdict(self)


@dataclass(frozen=True)
class Tuned:
    """A plan for a collection, what to expect of it, and the others that were tried.

    ``candidates`` has the recommended one first and the runner-up second; ``edits`` is what the
    plan finds of documents that were edited on purpose; ``nearest`` counts documents by the
    similarity of their nearest neighbour; ``seconds`` is the time that the plan will take;
    ``notes`` tell what of the truth was left out. Where ``by_edits``, the collection did not tell
    copies from others, the threshold is what documents edited on purpose ask for, and of the
    expected precision and recall only the bounds mean anything.
    """

    plan: Plan
    why: str
    candidates: list[Candidate]
    edits: list[EditRecall]
    looks: Looks
    nearest: Histogram
    sampled: int
    labelled: bool
    seconds: float
    notes: tuple[str, ...] = ()
    by_edits: bool = False

    @property
    def best(self) -> Candidate:
        """What is recommended."""
        return self.candidates[0]

    @property
    def runner_up(self) -> Candidate | None:
        """The second best."""
        return self.candidates[1] if len(self.candidates) > 1 else None

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "plan": self.plan.as_dict(),
            "why": self.why,
            "labelled": self.labelled,
            "by_edits": self.by_edits,
            "documents": self.looks.documents,
            "sampled": self.sampled,
            "seconds": round(self.seconds, 3),
            "looks": dataclasses.asdict(self.looks),
            "candidates": [candidate.as_dict() for candidate in self.candidates],
            "edits": [dataclasses.asdict(row) for row in self.edits],
            "notes": list(self.notes),
            "nearest": {"edges": self.nearest[0], "documents": self.nearest[1]},
        }

    def as_toml(self) -> str:
        """The plan as a file for ``--plan``, with what it rests on as comments."""
        comments = "".join(f"# {line}\n" for line in sentences(self))
        return f"{comments}\n{self.plan.as_toml()}"

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the plan to a file, whole or not at all."""
        return write_file(path, self.as_toml().encode())

    def _repr_html_(self) -> str:
        """Sentences, a table and charts, for a notebook."""
        from twinset.pages.engine import page

        head, *rows = table(self)
        return page(
            "paper/tuning.html",
            "en",
            sentences=sentences(self),
            head=head,
            rows=rows,
            figures=_figures(self),
        )


def _figures(tuned: Tuned) -> list[Figure]:
    from twinset.pages.charts import Bars, Figure
    from twinset.pages.charts import Histogram as HistogramChart
    from twinset.pages.language import speaker

    say = speaker("en", "tuning")
    edges, documents = tuned.nearest
    neighbours = HistogramChart(
        edges=edges,
        counts=documents,
        title=say("nearest", view=tuned.best.view),
        x_label=say("similarity"),
        y_label=say("documents"),
    )
    figures = [Figure(chart=neighbours, caption=say("nearest_caption"))]
    if tuned.edits:
        rows = [(row.edit, 100 * row.recall.value) for row in tuned.edits]
        bars = Bars(rows=rows, title=say("edits"), unit="%")
        figures.append(Figure(chart=bars, caption=say("edits_caption")))
    return figures


def sentences(tuned: Tuned) -> list[str]:
    """What is recommended, what to expect, what came second."""
    best = tuned.best
    lines = [
        f"Compare by {best.view}, from {best.threshold:g} on.",
        _expected(tuned),
        tuned.why,
    ]
    if tuned.edits:
        lines.append(
            f"Of documents edited on purpose ({', '.join(row.edit for row in tuned.edits)}) "
            f"{best.edits:.0%} are found."
        )
    if tuned.runner_up is not None:
        lines.append(_second(tuned, tuned.runner_up))
    lines.append(f"Looked at {tuned.sampled:,} of {tuned.looks.sentence()}.")
    return lines


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
    sentence = (
        f"Runner-up: {second.view}, from {second.threshold:g} on: F1 {second.f1:.2f} against "
        f"{best.f1:.2f}, {second.edits:.0%} of the edits found"
    )
    if tuned.labelled or second.f1 <= best.f1:
        return f"{sentence}."
    return (
        f"{sentence}; its F1 is higher by what it sees itself, but not by what all views "
        "together see."
    )


def table(tuned: Tuned) -> list[tuple[str, ...]]:
    """A row for each candidate, the header first."""
    head = ("compared by", "threshold", "precision", "recall", "F1", "pairs", "edits found")
    rows = [
        (
            candidate.view,
            f"{candidate.threshold:g}",
            _bounds(candidate.precision) if tuned.by_edits else str(candidate.precision),
            _bounds(candidate.recall) if tuned.by_edits else str(candidate.recall),
            "" if tuned.by_edits else f"{candidate.f1:.2f}",
            f"{candidate.found:,}",
            f"{candidate.edits:.0%}",
        )
        for candidate in tuned.candidates
    ]
    return [head, *rows]
