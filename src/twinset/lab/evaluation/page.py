"""An evaluation as a page, as a part of a notebook, and its curve as a picture."""

from __future__ import annotations

from typing import Any, Protocol

import pyarrow as pa

from twinset.lab.evaluation.measures import best_of
from twinset.pages import engine
from twinset.pages.charts import Curves, Figure
from twinset.pages.drawing import draw
from twinset.pages.language import exact, number, speaker

SHOWN = 12
"""Rows of the curve that are shown as numbers."""
OPERATIONS = ("operation", "strength", "made", "found", "recall", "alone_made", "alone_found")


class Evaluated(Protocol):
    """What the page shows of an evaluation."""

    @property
    def reference(self) -> int:
        """Pairs of the truth."""

    @property
    def found(self) -> int:
        """Pairs found."""

    @property
    def only_in_found(self) -> int:
        """Pairs found that are not in the truth."""

    @property
    def common(self) -> int:
        """Pairs found that are in the truth."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader has to know."""

    @property
    def curve(self) -> pa.Table | None:
        """Precision and recall over the threshold."""

    @property
    def operations(self) -> tuple[Any, ...]:
        """Recall by operation."""

    def rows(self, language: str) -> list[tuple[str, str, str]]:
        """Name, value and definition of each number."""


def page(evaluation: Evaluated, language: str = "en") -> str:
    """The whole page."""
    return _rendered(evaluation, "paper/page.html", language)


def fragment(evaluation: Evaluated) -> str:
    """The numbers and the picture for a notebook."""
    return _rendered(evaluation, "paper/part.html", "en")


def _rendered(evaluation: Evaluated, layout: str, language: str) -> str:
    head, *rows = operations_table(evaluation.operations, language)
    return engine.page(
        "paper/evaluation.html",
        language,
        layout=layout,
        headline=headline(evaluation, language),
        notes=evaluation.notes,
        rows=evaluation.rows(language),
        curve=None if evaluation.curve is None else _figure(evaluation.curve, language),
        operations_head=head,
        operations=rows,
    )


def headline(evaluation: Evaluated, language: str = "en") -> str:
    """The result in a sentence."""
    return speaker(language, "evaluation")(
        "headline",
        common=evaluation.common,
        reference=evaluation.reference,
        extra=evaluation.only_in_found,
        found=evaluation.found,
    )


def curve_picture(curve: pa.Table, language: str = "en") -> str:
    """Precision, recall and F1 over the threshold, as an SVG file."""
    return draw(_chart(curve, language), language, style=engine.style())


def operations_table(operations: Any, language: str = "en") -> list[tuple[str, ...]]:
    """Each operation and strength as texts, the header first; thousands separated."""
    say = speaker(language, "evaluation")
    rows = [
        (
            one.operation,
            "" if one.strength is None else exact(language, one.strength),
            number(language, one.made),
            number(language, one.found),
            number(language, one.recall, 4),
            number(language, one.alone_made),
            number(language, one.alone_found),
        )
        for one in operations
    ]
    return [tuple(say(f"head_{name}") for name in OPERATIONS), *rows]


def _figure(curve: pa.Table, language: str) -> Figure:
    say = speaker(language, "evaluation")
    step = max(1, curve.num_rows // SHOWN)
    some = curve.take(list(range(0, curve.num_rows, step))).to_pylist()
    heads = {"threshold": say("threshold")}
    return Figure(
        chart=_chart(curve, language),
        caption=say("curve_caption"),
        head=[heads[name] if name in heads else say(f"name_{name}") for name in curve.column_names],
        rows=[[exact(language, float(f"{v:.4g}")) for v in row.values()] for row in some],
    )


def _chart(curve: pa.Table, language: str) -> Curves:
    say = speaker(language, "evaluation")
    threshold = curve["threshold"].to_pylist()
    at, best = best_of(curve)
    said = say("best", f1=number(language, best, 3), t=exact(language, float(f"{at:.3g}")))
    return Curves(
        series=[
            (say(f"name_{name}"), list(zip(threshold, curve[name].to_pylist(), strict=True)))
            for name in ("precision", "recall", "f1")
        ],
        title=say("curve"),
        x_label=say("threshold"),
        marks=[(at, said)],
    )
