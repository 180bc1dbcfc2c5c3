"""A recommendation as a part of a notebook: sentences, a table and pictures."""

from __future__ import annotations

from collections.abc import Sequence

from twinset.pages.charts import Bars, Figure, Histogram
from twinset.pages.engine import page
from twinset.pages.language import speaker


def fragment(
    sentences: Sequence[str],
    table: Sequence[tuple[str, ...]],
    view: str,
    nearest: tuple[list[float], list[int]],
    edits: Sequence[tuple[str, float]],
) -> str:
    """The parts, without a page around them; ``edits`` are those found, in per cent."""
    say = speaker("en", "tuning")
    head, *rows = table
    edges, documents = nearest
    neighbours = Histogram(
        edges=edges,
        counts=documents,
        title=say("nearest", view=view),
        x_label=say("similarity"),
        y_label=say("documents"),
    )
    figures = [Figure(chart=neighbours, caption=say("nearest_caption"))]
    if edits:
        found = Bars(rows=edits, title=say("edits"), unit="%")
        figures.append(Figure(chart=found, caption=say("edits_caption")))
    return page(
        "paper/tuning.html", "en", sentences=sentences, head=head, rows=rows, figures=figures
    )
