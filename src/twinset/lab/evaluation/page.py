"""An evaluation as a page, as a part of a notebook, and its curve as a picture."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from twinset.pages import charts
from twinset.report import shell

if TYPE_CHECKING:
    from twinset.lab.evaluation.result import Evaluation

SHOWN = 12  # rows of the curve in words


def page(evaluation: Evaluation) -> str:
    """The whole page."""
    from importlib.metadata import version

    header = (
        '<header>\n<p class="kicker">Found pairs against the truth</p>\n'
        f"<h1>{escape(headline(evaluation))}</h1>\n{_notes(evaluation)}</header>"
    )
    footer = shell.footer({"twinset": version("twinset")})
    return shell.page(headline(evaluation), header, _sections(evaluation), footer)


def fragment(evaluation: Evaluation) -> str:
    """The numbers and the picture for a notebook."""
    body = shell.table(("", "value", "definition"), evaluation.rows())
    if evaluation.curve is not None:
        body += shell.figure(curve_picture(evaluation.curve), CAPTION)
    return shell.fragment(f'<div class="page">{body}</div>')


def headline(evaluation: Evaluation) -> str:
    """The result in a sentence."""
    return (
        f"{evaluation.common:,} of {evaluation.reference:,} true pairs were found; "
        f"{evaluation.only_in_found:,} of {evaluation.found:,} found pairs are not true"
    )


CAPTION = "What a higher threshold on the score would give; the lowest is what was found."


def curve_picture(curve: pa.Table, alone: bool = False) -> str:
    """Precision, recall and F1 over the threshold; ``alone`` makes it a file of its own."""
    threshold = curve["threshold"].to_pylist()
    names = (("precision", "precision"), ("recall", "recall"), ("F1", "f1"))
    series = [
        (title, list(zip(threshold, curve[name].to_pylist(), strict=True))) for title, name in names
    ]
    best = max(zip(curve["f1"].to_pylist(), threshold, strict=True))
    chart = charts.lines(
        series,
        title="Precision and recall over the threshold",
        x_label="threshold",
        marks=[(best[1], f"best F1 {best[0]:.3f} at {best[1]:.3g}")],
    )
    return shell.picture(chart) if alone else chart


def _sections(evaluation: Evaluation) -> list[str]:
    rows = evaluation.rows()
    sections = [shell.section("The numbers", shell.table(("", "value", "definition"), rows))]
    if evaluation.curve is not None:
        chart = curve_picture(evaluation.curve)
        step = max(1, evaluation.curve.num_rows // SHOWN)
        some = evaluation.curve.take(list(range(0, evaluation.curve.num_rows, step))).to_pylist()
        told = [[f"{value:.4g}" for value in row.values()] for row in some]
        figure = shell.figure(chart, CAPTION, evaluation.curve.column_names, told)
        sections.append(shell.section("Over the threshold", figure))
    if evaluation.operations:
        sections.append(shell.section("Recall by operation", operations_table(evaluation)))
    return sections


def operations_table(evaluation: Evaluation) -> str:
    """Recall by operation and strength."""
    return shell.table(OPERATIONS, operation_rows(evaluation.operations))


OPERATIONS = ("operation", "strength", "made", "found", "recall", "alone made", "alone found")


def operation_rows(operations: Any) -> list[tuple[str, ...]]:
    """Each operation and strength as texts."""
    return [
        (
            one.operation,
            "" if one.strength is None else f"{one.strength:g}",
            f"{one.made:,}",
            f"{one.found:,}",
            f"{one.recall:.4f}",
            f"{one.alone_made:,}",
            f"{one.alone_found:,}",
        )
        for one in operations
    ]


def _notes(evaluation: Evaluation) -> str:
    return "".join(f"<p>{escape(note)}</p>\n" for note in evaluation.notes)
