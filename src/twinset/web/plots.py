"""The charts of finished tasks: the numbers that a command printed, as data to draw."""

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
FEATURES = 12  # bars that a chart of similarities has


def plots(kind: str, numbers: Numbers, folder: Path, t: Words) -> Plots:
    """(chart, caption) of a finished task; none where there is nothing to draw."""
    draw = DRAWN.get(kind)
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
    shares = [[dice[row][column] for column in names] for row in names if row in dice]
    charts: Plots = [(best, t("plot.f")), (times, t("plot.time"))]
    if len(shares) == len(names):
        charts.append((Heat(names=names, values=shares, title="Dice"), t("plot.dice")))
    return charts


def _generated(numbers: Numbers, folder: Path, t: Words) -> Plots:
    """The similarities of the generated pairs."""
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
    """F1 by the labels; without them, how well pairs agree and how many light edits are found."""
    candidates = numbers.get("candidates", [])[:10]
    if numbers.get("labelled"):
        rows = [(row["view"], row["f1"]) for row in candidates]
        return [(Bars(rows=rows, title="F1", digits=3), t("plot.expected"))] if rows else []
    columns = (("cohesion", "plot.cohesion"), ("edits", "plot.edits"))
    plots: Plots = []
    for column, title in columns:
        rows = [(f"{row['view']} ({row['threshold']:g})", 100 * row[column]) for row in candidates]
        if rows:
            plots.append((Bars(rows=rows, title=t(title), unit="%"), t(f"{title}_caption")))
    return plots


def _learnt(numbers: Numbers, folder: Path, t: Words) -> Plots:
    """How much each similarity matters to the model, the most important first."""
    learnt = numbers.get("held_out", {}).get("learnt", {})
    # A weight may be negative: its size is what matters here.
    rows = [(row["feature"], abs(row["value"])) for row in learnt.get("features", [])]
    rows = sorted(rows, key=lambda row: -row[1])[:FEATURES]
    title = t("plot.weight" if learnt.get("by") == "weight" else "plot.importance")
    return [(Bars(rows=rows, title=title, digits=2), title)] if rows else []


def _mined(numbers: Numbers, folder: Path, t: Words) -> Plots:
    """The times of the algorithms that finished."""
    runs = [run for run in numbers.get("runs", []) if run.get("seconds") is not None]
    rows = [(run["algorithm"], run["seconds"]) for run in runs]
    return [(Bars(rows=rows, title=t("plot.cpu"), digits=2), t("plot.cpu"))] if rows else []


DRAWN: dict[str, Callable[[Numbers, Path, Words], Plots]] = {
    "compare": _compared,
    "generate": _generated,
    "tune": _tuned,
    "learn": _learnt,
    "mine": _mined,
}
