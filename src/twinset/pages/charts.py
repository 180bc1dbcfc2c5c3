"""Charts as data, and the one place that draws them: inline SVG, coloured by the style sheet.

Sizes are in user units at a width of 380, so that on a phone a unit is about a pixel. Classes:
``bar``, ``curve``, ``area``, ``cell``, ``gridline``, ``axis``, ``mark`` and plain text.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, Protocol

from twinset.pages.language import exact, number, speaker

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

    def picture(self, pen: Pen) -> Picture:
        """Its shapes."""
        edges, counts = self.edges, self.counts
        logarithmic = _differ_widely(counts)
        scale = Scale(edges[0], edges[-1], self.height, _top(counts, logarithmic), logarithmic)
        out = self.marks[0][0] + 1e-9 if self.marks else -math.inf
        bars = [
            pen.bar(
                scale.x(low),
                scale.y(count),
                scale.x(high) - 1,
                scale.floor,
                pen.bin(low, high, count),
                "bar out" if high <= out else "bar",
            )
            for low, high, count in zip(edges, edges[1:], counts, strict=False)
            if count
        ]
        label = pen.say("log_scale", label=self.y_label) if logarithmic else self.y_label
        heights = _log_ticks(scale.top) if logarithmic else ticks(0, scale.top, 4)
        parts = [
            pen.y_axis(scale, heights, label),
            *bars,
            *(pen.mark(scale, at, text, TOP + 11) for at, text in self.marks),
            pen.x_axis(scale, scale.floor, self.x_label),
        ]
        low, high = pen.exact(edges[0]), pen.exact(edges[-1])
        told = pen.say("histogram", n=sum(counts), what=self.y_label, low=low, high=high)
        return Picture(parts, told, self.height)


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

    def picture(self, pen: Pen) -> Picture:
        """Its shapes."""
        band = 46 if self.below else 0
        points = self.points
        scale = Scale(points[0][0], points[-1][0], self.height - band, 1.0, False)
        way = line_through(scale, points)
        parts = [
            pen.y_axis(scale, SHARES, self.y_label),
            pen.path("area", f"{way}V{scale.floor}H{scale.x(points[0][0]):.1f}Z"),
            *(pen.mark(scale, at, text) for at, text in self.marks),
            pen.path("curve", way),
        ]
        if self.below:
            parts += _hanging(scale, *self.below, band, pen)
        parts.append(pen.x_axis(scale, scale.floor + band, self.x_label))
        marks = [pen.say("mark", text=text, at=pen.exact(at)) for at, text in self.marks]
        return Picture(parts, "; ".join(marks), self.height)


@dataclass(frozen=True, kw_only=True)
class Bars:
    """Named amounts as horizontal bars, each with its number and unit beside it."""

    rows: Sequence[tuple[str, float]]
    title: str
    digits: int = 0
    unit: str = ""

    def picture(self, pen: Pen) -> Picture:
        """Its shapes."""
        step, gap, lift = 26, 8, 0
        most = max((amount for _, amount in self.rows), default=0) or 1
        left = 14 + max((width_of(name) for name, _ in self.rows), default=0)
        if left > MOST_LEFT:  # long names stand above their bars
            left, step, lift = 0, 44, 18
        room = WIDTH - left - 64
        parts, described = [], []
        for row, (name, amount) in enumerate(self.rows):
            top = 4 + step * row
            said = f"{pen.number(amount, self.digits)} {self.unit}".rstrip()
            end = left + max(1.5 if amount else 0, room * amount / most)
            described.append(f"{name}: {said}")
            parts += [
                pen.text(0 if lift else left - 8, top + 13, name, "start" if lift else "end"),
                pen.bar(left, top + lift, end, top + step - gap, described[-1]),
                pen.text(end + 6, top + lift + 13, said, look="value"),
            ]
        return Picture(parts, "; ".join(described), step * len(self.rows) + 4)


class Chart(Protocol):
    """What can be drawn: these, and those of ``grids``."""

    @property
    def title(self) -> str:
        """What it shows."""

    def picture(self, pen: Pen) -> Picture:
        """Its shapes."""


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A chart with its caption and its numbers as a table, for those who cannot see it."""

    chart: Chart
    caption: str
    head: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    wide: bool = False


WIDTH = 380
LEFT, RIGHT, TOP, BOTTOM = 40, 10, 30, 40
MOST_LEFT = 180
"""What names may take beside their bars."""
SHARES = (0, 0.2, 0.4, 0.6, 0.8, 1)
NAMESPACE = "http://www.w3.org/2000/svg"


def draw(chart: Chart, language: str = "en", style: str = "") -> str:
    """The chart as SVG: a part of a page or, with a style sheet, a file of its own."""
    picture = chart.picture(Pen(language))
    alone = {"xmlns": NAMESPACE} if style else {}
    inside = (element("style", escape(style, quote=False)) if style else "") + "".join(
        picture.parts
    )
    return element(
        "svg",
        inside,
        **alone,
        class_="chart",
        viewBox=f"0 0 {picture.width:g} {picture.height:g}",
        width=f"{picture.width:g}" if picture.width > WIDTH else None,
        role="img",
        aria_label=f"{chart.title}. {picture.description}",
    )


def element(tag: str, inside: str = "", /, **attributes: Any) -> str:
    """An element; ``inside`` is SVG already, attributes are escaped (``class_`` is ``class``)."""
    named = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{escape(_spelt(value))}"'
        for name, value in attributes.items()
        if value is not None
    )
    return f"<{tag}{named}>{inside}</{tag}>" if inside else f"<{tag}{named}/>"


def _spelt(value: Any) -> str:
    return f"{value:.1f}" if isinstance(value, float) else str(value)


@dataclass(frozen=True)
class Picture:
    """The parts of a chart as SVG, and what it shows in words."""

    parts: list[str]
    description: str
    height: float
    width: float = WIDTH


class Pen:
    """Shapes with texts in one language."""

    def __init__(self, language: str) -> None:
        self.language = language
        self.say: Callable[..., str] = speaker(language, "chart")

    def number(self, value: float, digits: int = 0) -> str:
        return number(self.language, value, digits)

    def exact(self, value: float, digits: int = 6) -> str:
        return exact(self.language, float(f"{value:.{digits}g}"))

    def text(self, x: float, y: float, text: str, anchor: str = "", look: str = "") -> str:
        return element(
            "text",
            escape(text),
            class_=look or None,
            x=float(x),
            y=float(y),
            text_anchor=anchor or None,
        )

    def path(self, look: str, way: str) -> str:
        return element("path", class_=look, d=way)

    def bar(self, x0: float, y0: float, x1: float, y1: float, hint: str, look: str = "bar") -> str:
        return element(
            "rect",
            element("title", escape(hint)),
            class_=look,
            x=float(x0),
            y=float(y0),
            width=float(max(x1 - x0, 0.8)),
            height=float(max(y1 - y0, 0)),
        )

    def bin(self, low: float, high: float, count: int) -> str:
        return self.say("bin", low=self.exact(low, 3), high=self.exact(high, 3), n=count)

    def mark(self, scale: Scale, at: float, text: str, y: float | None = None) -> str:
        x = scale.x(at)
        anchor, shift = ("end", -5) if x > WIDTH / 2 else ("start", 5)
        line = self.path("mark", f"M{x:.1f} {TOP}V{scale.floor}")
        height = scale.floor - 8 if y is None else y
        return line + self.text(x + shift, height, text, anchor, "mark")

    def y_axis(self, scale: Scale, ticks: Iterable[float], label: str) -> str:
        lines = []
        for tick in ticks:
            y = scale.y(tick)
            lines.append(self.path("gridline", f"M{LEFT} {y:.1f}H{WIDTH - RIGHT}"))
            lines.append(self.text(LEFT - 7, y + 4, self.short(tick, scale.top), "end"))
        return "".join([*lines, self.text(0, 13, label, look="label")])

    def x_axis(self, scale: Scale, y: float, label: str) -> str:
        lines = [self.path("axis", f"M{LEFT} {scale.floor}H{WIDTH - RIGHT}")]
        for tick in ticks(scale.low, scale.high, 5):
            if scale.low - 1e-9 <= tick <= scale.high + 1e-9:
                lines.append(self.text(scale.x(tick), y + 17, self.exact(tick), "middle"))
        middle = (LEFT + WIDTH - RIGHT) / 2
        return "".join([*lines, self.text(middle, y + 34, label, "middle", "label")])

    def short(self, value: float, top: float) -> str:
        """A tick's number, in the unit that suits the highest tick."""
        for limit, unit, suffix in ((1e9, 1e9, "G"), (2e6, 1e6, "M"), (1e4, 1e3, "k")):
            if top >= limit and value >= unit / 10:
                return f"{self.exact(value / unit)}{suffix}"
        return number(self.language, int(value) if value == int(value) else value)


class Scale:
    """Data to user units for a plot whose y axis starts at zero."""

    def __init__(self, low: float, high: float, height: int, top: float, logarithmic: bool) -> None:
        self.low, self.high = low, high if high > low else low + 1
        self.floor, self.top, self.logarithmic = height - BOTTOM, top, logarithmic

    def x(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return LEFT + share * (WIDTH - LEFT - RIGHT)

    def y(self, value: float) -> float:
        # The logarithmic scale starts at 1/2 so that a single pair still shows.
        share = (
            math.log(2 * max(value, 0.5)) / math.log(2 * self.top)
            if self.logarithmic
            else value / self.top
        )
        return self.floor - share * (self.floor - TOP)


def _hanging(
    scale: Scale, edges: Sequence[float], counts: Sequence[int], band: float, pen: Pen
) -> list[str]:
    """The histogram as a reflection under the axis; roots, so that few still show beside many."""
    most = math.sqrt(max(counts, default=0) or 1)
    top = scale.floor + 1
    return [
        pen.bar(
            scale.x(low),
            top,
            scale.x(high) - 1,
            top + (band - 6) * math.sqrt(count) / most,
            pen.bin(low, high, count),
            "bar seen",
        )
        for low, high, count in zip(edges, edges[1:], counts, strict=False)
        if count and low >= scale.low - 1e-9 and high <= scale.high + 1e-9
    ]


def width_of(text: str) -> float:
    """About how wide a text is; letters beyond Latin take more room."""
    return sum(7.2 if letter.isascii() else 8.2 for letter in text)


def line_through(scale: Scale, points: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{scale.x(x):.1f} {scale.y(y):.1f}" for x, y in points)


def _differ_widely(counts: Sequence[int]) -> bool:
    some = [count for count in counts if count]
    return bool(some) and max(some) > 100 * sorted(some)[len(some) // 2]


def _top(counts: Sequence[int], logarithmic: bool) -> float:
    most = max(counts, default=0) or 1
    return float(10 ** math.ceil(math.log10(most)) if logarithmic else ticks(0, most, 4)[-1])


def ticks(low: float, high: float, about: int) -> list[float]:
    """Round numbers from ``low`` to at least ``high``."""
    rough = (high - low) / about
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 2.5, 5, 10) if power * factor >= rough * 0.999)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(step * number, 10) for number in range(first, last + 1)]


def _log_ticks(top: float) -> list[float]:
    powers = round(math.log10(top))
    return [float(10**power) for power in range(0, powers + 1, max(1, powers // 4))]
