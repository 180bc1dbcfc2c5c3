"""The plots of a task, drawn from the numbers that its command has printed and written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from twinset.pages import charts
from twinset.system.bounded import LIST_BYTES, open_for_arrow

Numbers = dict[str, Any]
Words = Callable[..., str]
Plots = list[tuple[str, str]]


def plots(kind: str, numbers: Numbers, folder: Path, t: Words) -> Plots:
    """(picture, caption) of a finished task; none where there is nothing to draw."""
    draw = {"compare": _compared, "generate": _generated, "tune": _tuned}.get(kind)
    return draw(numbers, folder, t) if draw and numbers else []


def _compared(numbers: Numbers, folder: Path, t: Words) -> Plots:
    methods = [row for row in numbers.get("methods", []) if row.get("f") is not None]
    if not methods:
        return []
    names = [row["method"] for row in methods]
    best = charts.bars([(row["method"], row["f"]) for row in methods], title="F", form="{:.3f}")
    spent = [(row["method"], row["seconds"]) for row in methods]
    times = charts.bars(spent, title=t("plot.time"), form="{:,.2f}")
    dice = {row["method"]: row for row in numbers.get("dice", [])}
    shares = [[dice[one][other] for other in names] for one in names if one in dice]
    made = [(best, t("plot.f")), (times, t("plot.time"))]
    if len(shares) == len(names):
        made.append((charts.heat(names, shares, title="Dice"), t("plot.dice")))
    return made


def _generated(numbers: Numbers, folder: Path, t: Words) -> Plots:
    """How alike the made pairs are."""
    from pyarrow import csv

    file = folder / "truth.csv"
    if not file.is_file():
        return []
    with open_for_arrow(file, most=LIST_BYTES) as opened:
        found = csv.read_csv(
            opened, convert_options=csv.ConvertOptions(include_columns=["jaccard"])
        )
    counts, edges = np.histogram(found["jaccard"].to_numpy(), bins=20, range=(0.0, 1.0))
    picture = charts.histogram(
        edges.tolist(),
        counts.tolist(),
        title=t("plot.similarities"),
        x_label=t("image.similarity"),
        y_label=t("plot.pairs"),
    )
    return [(picture, t("plot.similarities"))]


def _tuned(numbers: Numbers, folder: Path, t: Words) -> Plots:
    if numbers.get("by_edits"):  # then an expected F1 means nothing
        return []
    rows = [(row["view"], row["f1"]) for row in numbers.get("candidates", [])[:10]]
    return [(charts.bars(rows, title="F1", form="{:.3f}"), t("plot.expected"))] if rows else []
