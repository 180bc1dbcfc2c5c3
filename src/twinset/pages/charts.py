"""Charts as data: what is shown and what it is called; ``drawing`` makes pictures of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

Point = tuple[float, float]
Mark = tuple[float, str]
"""A named upright line, at a value of the x axis."""


@dataclass(frozen=True, kw_only=True)
class Histogram:
    """Counts between edges as upright bars, on a logarithmic scale where they differ widely.

    Bars that lie before the first mark are paler.
    """

    edges: Sequence[float]
    counts: Sequence[int]
    title: str
    x_label: str
    y_label: str
    marks: Sequence[Mark] = ()
    height: int = 230


@dataclass(frozen=True, kw_only=True)
class Curve:
    """A curve over [0, 1]; ``below`` is a histogram (edges, counts) that hangs under its axis."""

    points: Sequence[Point]
    title: str
    x_label: str
    y_label: str
    marks: Sequence[Mark] = ()
    below: tuple[Sequence[float], Sequence[int]] | None = None
    height: int = 230


@dataclass(frozen=True, kw_only=True)
class Curves:
    """Up to three named curves over [0, 1]."""

    series: Sequence[tuple[str, Sequence[Point]]]
    title: str
    x_label: str
    y_label: str = ""
    marks: Sequence[Mark] = ()
    height: int = 250


@dataclass(frozen=True, kw_only=True)
class Bars:
    """Named amounts as horizontal bars, each with its number and unit beside it."""

    rows: Sequence[tuple[str, float]]
    title: str
    digits: int = 0
    unit: str = ""


@dataclass(frozen=True, kw_only=True)
class Heat:
    """Shares between every two names, shaded from the least to 1, in hundredths.

    With ``columns`` the names across are others than those down; a value of None is left blank.
    """

    names: Sequence[str]
    values: Sequence[Sequence[float | None]]
    title: str
    columns: Sequence[str] = ()


Chart = Histogram | Curve | Curves | Bars | Heat


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A chart with its caption and its numbers as a table, for those who cannot see it."""

    chart: Chart
    caption: str
    head: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    wide: bool = False
