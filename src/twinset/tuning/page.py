"""A recommendation for notebooks and pages: sentences, a table and pictures."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from twinset.report import charts
from twinset.tuning.words import sentences, table

if TYPE_CHECKING:
    from twinset.tuning.tuned import Tuned


def fragment(tuned: Tuned) -> str:
    """The parts, without a page around them."""
    head, *rows = table(tuned)
    cells = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in head)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    told = "".join(f"<p>{escape(line)}</p>" for line in sentences(tuned))
    return (
        f"<div>{told}<table><thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table>"
        f"{neighbours(tuned)}{edits(tuned)}</div>"
    )


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
    if not tuned.edits:
        return ""
    rows = [(one.edit, 100 * one.recall.value) for one in tuned.edits]
    return charts.bars(rows, title="Edited documents that are found", form="{:.0f} %")
