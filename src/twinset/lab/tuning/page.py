"""A recommendation for notebooks and pages: sentences, a table and pictures."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from twinset.lab.tuning.words import sentences, table
from twinset.pages import charts
from twinset.report import shell

if TYPE_CHECKING:
    from twinset.lab.tuning.tuned import Tuned


def fragment(tuned: Tuned) -> str:
    """The parts, without a page around them."""
    head, *rows = table(tuned)
    told = "".join(f"<p>{escape(line)}</p>" for line in sentences(tuned))
    figures = [
        shell.figure(neighbours(tuned), "Documents by the similarity of their nearest neighbour.")
    ]
    if tuned.edits:
        figures.append(shell.figure(edits(tuned), "Edited documents that the plan finds."))
    body = f"{told}{shell.table(head, rows)}{''.join(figures)}"
    return shell.fragment(f'<div class="page">{body}</div>')


def neighbours(tuned: Tuned) -> str:
    """Documents by the similarity of their nearest neighbour."""
    edges, documents = tuned.nearest
    return charts.histogram(
        edges,
        documents,
        title=f"Nearest neighbours by {tuned.best.view}",
        x_label="similarity of the nearest neighbour",
        y_label="documents",
    )


def edits(tuned: Tuned) -> str:
    """How many documents of each edit are found."""
    rows = [(one.edit, 100 * one.recall.value) for one in tuned.edits]
    return charts.bars(rows, title="Edited documents that are found", form="{:.0f} %")
