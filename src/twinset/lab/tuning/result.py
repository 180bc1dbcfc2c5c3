"""What `tune` recommends, and what that rests on."""

from __future__ import annotations

import dataclasses
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from twinset.lab.tuning.edits import EditRecall
from twinset.lab.tuning.estimate import Estimate
from twinset.lab.tuning.looks import Looks
from twinset.lab.tuning.situations import Situation
from twinset.lab.tuning.workshop import Histogram
from twinset.plan import Plan
from twinset.report.files import write_file

if TYPE_CHECKING:
    from twinset.pages.charts import Figure

ASK = "twinset ask IN -o plan.toml"


@dataclass(frozen=True, slots=True)
class Candidate:
    """One way to compare documents, with its threshold and what to expect of it.

    Precision, recall and F1 are None where there is no evidence for them. ``light`` and ``edits``
    are the shares of the light and the medium edits that it finds. Without labels ``name`` is what
    the plan is called and ``cohesion`` says how well its pairs agree with each other.
    """

    view: str
    threshold: float
    precision: Estimate | None
    recall: Estimate | None
    f1: float | None
    found: int
    edits: float
    light: float
    name: str = ""
    cohesion: float | None = None

    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        return dataclasses.asdict(self)


@dataclass(frozen=True)
class Tuned:
    """A plan for a collection, what to expect of it, and the others that were looked at.

    ``candidates`` has the recommended one first; ``edits`` is what the plan finds of documents that
    were edited on purpose; ``nearest`` counts documents by the similarity of their nearest
    neighbour; ``seconds`` is the time that the plan will take; ``notes`` tell what of the truth was
    left out. Without labels, ``rule`` names the rule that decided, ``situations`` what kind of
    collection it is, and ``ask`` says that the evidence is thin and the owner's answers are worth
    more than it.
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
    rule: str = "labels"
    ask: bool = False
    situations: tuple[Situation, ...] = ()

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
            "rule": self.rule,
            "ask": self.ask,
            "situations": [dataclasses.asdict(each) for each in self.situations],
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
    """What is recommended, what to expect, what is seen, and on what that rests."""
    best = tuned.best
    preset = " (the preset)" if best.name == "preset" else ""
    lines = [
        f"Compare by {best.view}, from {best.threshold:g} on{preset}.",
        tuned.why,
        _expected(tuned),
    ]
    if tuned.ask:
        lines.append(
            "I cannot tell from the documents alone what you would call a copy here: ask me to "
            f"show you some pairs ({ASK})."
        )
    lines.extend(f"It looks like {each.sentence}." for each in tuned.situations)
    if tuned.edits:
        lines.append(
            f"Of documents edited on purpose, {best.light:.0%} are found after light edits and "
            f"{best.edits:.0%} after medium ones."
        )
    if tuned.labelled and tuned.runner_up is not None:
        second = tuned.runner_up
        lines.append(
            f"Runner-up: {second.view}, from {second.threshold:g} on: F1 {second.f1:.2f} against "
            f"{best.f1:.2f}, {second.edits:.0%} of the medium edits found."
        )
    lines.append(f"Looked at {tuned.sampled:,} of {tuned.looks.sentence()}.")
    return lines


def _expected(tuned: Tuned) -> str:
    """What to expect, as far as it can be told."""
    best = tuned.best
    if tuned.labelled:
        return (
            f"Expect precision {best.precision} and recall {best.recall}, measured by the labels."
        )
    known = {"precision": best.precision, "recall": best.recall}
    parts = [f"{name} {value}" for name, value in known.items() if value is not None]
    unknown = [name for name, value in known.items() if value is None]
    told = f"Expect {' and '.join(parts)}, estimated without labels. " if parts else ""
    if unknown:
        told += f"There is no evidence for the {' and the '.join(unknown)} to expect."
    return told.strip()


def table(tuned: Tuned) -> list[tuple[str, ...]]:
    """A row for each candidate, the header first."""
    own = "F1" if tuned.labelled else "agreement"
    head = (
        "compared by",
        "threshold",
        "precision",
        "recall",
        own,
        "pairs",
        "light",
        "medium edits",
    )
    rows = [
        (
            f"{candidate.view} ({candidate.name})" if candidate.name else candidate.view,
            f"{candidate.threshold:g}",
            _known(candidate.precision),
            _known(candidate.recall),
            _known(candidate.f1 if tuned.labelled else candidate.cohesion),
            f"{candidate.found:,}",
            f"{candidate.light:.0%}",
            f"{candidate.edits:.0%}",
        )
        for candidate in tuned.candidates
    ]
    return [head, *rows]


def _known(value: Estimate | float | None) -> str:
    if value is None:
        return "-"
    return f"{value:.2f}" if isinstance(value, float) else str(value)
