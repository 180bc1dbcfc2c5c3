"""A recommendation for notebooks and pages: sentences, a table and pictures."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from twinset.pages import charts
from twinset.report import shell


def fragment(
    sentences: Sequence[str],
    table: Sequence[tuple[str, ...]],
    view: str,
    nearest: tuple[list[float], list[int]],
    edits: Sequence[tuple[str, float]],
) -> str:
    """The parts, without a page around them; ``edits`` are those found, in per cent."""
    head, *rows = table
    paragraphs = "".join(f"<p>{escape(line)}</p>" for line in sentences)
    neighbours = charts.histogram(
        *nearest,
        title=f"Nearest neighbours by {view}",
        x_label="similarity of the nearest neighbour",
        y_label="documents",
    )
    figures = [shell.figure(neighbours, "Documents by the similarity of their nearest neighbour.")]
    if edits:
        found = charts.bars(edits, title="Edited documents that are found", form="{:.0f} %")
        figures.append(shell.figure(found, "Edited documents that the plan finds."))
    body = f"{paragraphs}{shell.table(head, rows)}{''.join(figures)}"
    return shell.fragment(f'<div class="page">{body}</div>')
