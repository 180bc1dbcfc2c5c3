"""The charts of a task, from the numbers that its command has printed and written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from twinset.pages.charts import Bars, Chart, Heat, Histogram
from twinset.system.bounded import LIST_BYTES, open_for_arrow

Numbers = dict[str, Any]
Words = Callable[..., str]
Plots = list[tuple[Chart, str]]


def plots(kind: str, numbers: Numbers, folder: Path, t: Words) -> Plots:
    """(chart, caption) of a finished task; none where there is nothing to draw."""
    draw = {"compare": _compared, "generate": _generated, "tune": _tuned}.get(kind)
    return draw(numbers, folder, t) if draw and numbers else []


def _compared(numbers: Numbers, folder: Path, t: Words) -> Plots:
    methods = [row for row in numbers.get("methods", []) if row.get("f") is not None]
    if not methods:
        return []
    names = [row["method"] for row in methods]
    best = Bars(rows=[(row["method"], row["f"]) for row in methods], title="F", digits=3)
    spent = [(row["method"], row["seconds"]) for row in methods]
    times = Bars(rows=spent, title=t("plot.time"), digits=2)
    dice = {row["method"]: row for row in numbers.get("dice", [])}
    shares = [[dice[one][other] for other in names] for one in names if one in dice]
    plots: Plots = [(best, t("plot.f")), (times, t("plot.time"))]
    if len(shares) == len(names):
        plots.append((Heat(names=names, values=shares, title="Dice"), t("plot.dice")))
    return plots


def _generated(numbers: Numbers, folder: Path, t: Words) -> Plots:
    """How alike the made pairs are."""
    from pyarrow import csv

    file = folder / "truth.csv"
    if not file.is_file():
        return []
    with open_for_arrow(file, most=LIST_BYTES) as opened:
        table = csv.read_csv(
            opened, convert_options=csv.ConvertOptions(include_columns=["jaccard"])
        )
    counts, edges = np.histogram(table["jaccard"].to_numpy(), bins=20, range=(0.0, 1.0))
    chart = Histogram(
        edges=edges.tolist(),
        counts=counts.tolist(),
        title=t("plot.similarities"),
        x_label=t("image.similarity"),
        y_label=t("plot.pairs"),
    )
    return [(chart, t("plot.similarities"))]


def _tuned(numbers: Numbers, folder: Path, t: Words) -> Plots:
    if numbers.get("by_edits"):  # then an expected F1 means nothing
        return []
    rows = [(row["view"], row["f1"]) for row in numbers.get("candidates", [])[:10]]
    return [(Bars(rows=rows, title="F1", digits=3), t("plot.expected"))] if rows else []
