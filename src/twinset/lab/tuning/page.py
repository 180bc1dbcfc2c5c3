"""A recommendation as a part of a notebook: sentences, a table and pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from twinset.lab.tuning.words import sentences, table
from twinset.pages.charts import Bars, Figure, Histogram
from twinset.pages.engine import page
from twinset.pages.language import speaker

if TYPE_CHECKING:
    from twinset.lab.tuning.tuned import Tuned


def fragment(tuned: Tuned) -> str:
    """The parts, without a page around them."""
    head, *rows = table(tuned)
    figures = [_neighbours(tuned), *([_edits(tuned)] if tuned.edits else [])]
    values = {"sentences": sentences(tuned), "head": head, "rows": rows, "figures": figures}
    return page("paper/tuning.html", "en", **values)


def _neighbours(tuned: Tuned) -> Figure:
    """Documents by the similarity of their nearest neighbour."""
    say = speaker("en", "tuning")
    edges, documents = tuned.nearest
    chart = Histogram(
        edges=edges,
        counts=documents,
        title=say("nearest", view=tuned.best.view),
        x_label=say("similarity"),
        y_label=say("documents"),
    )
    return Figure(chart=chart, caption=say("nearest_caption"))


def _edits(tuned: Tuned) -> Figure:
    """How many documents of each edit are found."""
    say = speaker("en", "tuning")
    rows = [(one.edit, 100 * one.recall.value) for one in tuned.edits]
    chart = Bars(rows=rows, title=say("edits"), unit="%")
    return Figure(chart=chart, caption=say("edits_caption"))
