"""The plots of an experiment: measures over one option, F1 over two, and the time of each row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from twinset.pages.charts import Bars, Curves, Figure, Heat
from twinset.pages.language import number, speaker

Row = Mapping[str, Any]
MEASURES = ("precision", "recall", "f1")
MOST_BARS = 40
LONGEST_NAME = 24
"""Longer names leave no room for bars."""
MOST_CELLS = 30
"""Values of an option that a heat map shows along one side."""


def figures(rows: Sequence[Row], options: Sequence[str], language: str) -> list[Figure]:
    """Plots of the finished rows over the columns of the swept ``options``."""
    say = speaker(language, "experiment")
    varied = [name for name in options if len(_values(rows, name)) > 1]
    shown = [_over_option(rows, name, language) for name in varied]
    if len(varied) > 1:
        down, across = sorted(varied, key=lambda name: -len(_values(rows, name)))[:2]
        shown.append(_heat_map(rows, down, across, language))
    if len(rows) <= MOST_BARS:
        short = all(len(row["name"]) <= LONGEST_NAME for row in rows)
        times = [
            (row["name"] if short else say("row", n=row["row"]), float(row["seconds"]))
            for row in rows
        ]
        bars = Bars(rows=times, title=say("time_by_row"), digits=2, unit=say("second"))
        shown.append(Figure(chart=bars, caption=say("time_caption"), wide=True))
    return shown


def _over_option(rows: Sequence[Row], option: str, language: str) -> Figure:
    """The best row at each value: curves over numbers, bars over names."""
    say = speaker(language, "experiment")
    best = {value: _best(rows, {option: value}) for value in _values(rows, option)}
    head = [option, *(say(f"head_{name}") for name in MEASURES)]
    cells = [
        [str(value), *(number(language, row[name], 4) for name in MEASURES)]
        for value, row in best.items()
        if row is not None
    ]
    points = [(value, row) for value, row in best.items() if row is not None]
    chart: Curves | Bars
    if all(isinstance(value, int | float) for value, _ in points):
        series = [
            (say(f"head_{name}"), [(float(value), row[name]) for value, row in points])
            for name in MEASURES
        ]
        chart = Curves(series=series, title=say("over", option=option), x_label=option)
    else:
        bars = [(_short(str(value)), float(row["f1"])) for value, row in points]
        chart = Bars(rows=bars, title=say("over", option=option), digits=3)
    return Figure(chart=chart, caption=say("over_caption", option=option), head=head, rows=cells)


def _heat_map(rows: Sequence[Row], down: str, across: str, language: str) -> Figure:
    say = speaker(language, "experiment")
    sides = [_values(rows, name)[:MOST_CELLS] for name in (down, across)]
    values = [
        [None if row is None else row["f1"] for row in line]
        for line in (
            [_best(rows, {down: first, across: second}) for second in sides[1]]
            for first in sides[0]
        )
    ]
    names, columns = ([str(value) for value in side] for side in sides)
    cells = [
        [name, *("" if value is None else number(language, value, 4) for value in line)]
        for name, line in zip(names, values, strict=True)
    ]
    return Figure(
        chart=Heat(
            names=names,
            columns=columns,
            values=values,
            title=say("heat", down=down, across=across),
        ),
        caption=say("heat_caption", down=down, across=across),
        head=[f"{down} \\ {across}", *columns],
        rows=cells,
        wide=True,
    )


def _values(rows: Sequence[Row], option: str) -> list[Any]:
    """The values of an option, numbers in their order and names in that of the rows."""
    values = list(dict.fromkeys(row[option] for row in rows if row[option] is not None))
    is_numeric = all(isinstance(value, int | float) for value in values)
    return sorted(values) if is_numeric else values


def _short(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"


def _best(rows: Sequence[Row], fixed: Mapping[str, Any]) -> Row | None:
    """The first row of the highest F1 among those with these values."""
    here = [row for row in rows if all(row[name] == value for name, value in fixed.items())]
    return max(here, key=lambda row: float(row["f1"]), default=None)
