"""Charts as inline SVG: pure functions from numbers to a string, coloured by the style sheet.

Sizes are in user units at a width of 380, so that on a phone a unit is about a pixel. Classes:
``bar``, ``curve``, ``area``, ``cell``, ``grid``, ``axis``, ``mark`` and plain text.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from html import escape

WIDTH = 380
LEFT, RIGHT, TOP, BOTTOM = 40, 10, 30, 40
Point = tuple[float, float]


def histogram(
    edges: Sequence[float],
    counts: Sequence[int],
    *,
    title: str,
    x_label: str = "similarity",
    y_label: str = "pairs",
    log_label: str = "log scale",
    marks: Sequence[tuple[float, str]] = (),
    height: int = 230,
) -> str:
    """Counts between edges as upright bars, on a logarithmic scale where they differ widely.

    ``marks`` are named upright lines; bars that lie before the first one are paler.
    """
    logarithmic = _wide(counts)
    scale = _Scale(edges[0], edges[-1], height, _top(counts, logarithmic), logarithmic)
    bars = [
        _bar(
            scale.x(low), scale.y(count), scale.x(high), scale.floor, _bin(low, high, count)
        ).replace('"bar"', '"bar out"' if marks and high <= marks[0][0] + 1e-9 else '"bar"')
        for low, high, count in zip(edges, edges[1:], counts, strict=False)
        if count
    ]
    label = f"{y_label}, {log_label}" if logarithmic else y_label
    ticks = _log_ticks(scale.top) if logarithmic else _ticks(0, scale.top, 4)
    named = (_mark(scale, at, text, TOP + 11) for at, text in marks)
    parts = [_y_axis(scale, ticks, label), *bars, *named, _x_axis(scale, scale.floor, x_label)]
    return _svg(
        height, title, f"{sum(counts):,} {y_label} between {edges[0]:g} and {edges[-1]:g}", parts
    )


def line(
    points: Sequence[Point],
    *,
    title: str,
    x_label: str = "similarity",
    y_label: str = "probability",
    marks: Sequence[tuple[float, str]] = (),
    below: tuple[Sequence[float], Sequence[int]] | None = None,
    height: int = 230,
) -> str:
    """A curve over [0, 1] with named upright marks; ``below`` hangs a histogram under its axis."""
    band = 46 if below else 0
    scale = _Scale(points[0][0], points[-1][0], height - band, 1.0, False)
    path = "M" + "L".join(f"{scale.x(x):.1f} {scale.y(y):.1f}" for x, y in points)
    area = f"{path}V{scale.floor}H{scale.x(points[0][0]):.1f}Z"
    parts = [
        _y_axis(scale, [0, 0.2, 0.4, 0.6, 0.8, 1], y_label),
        f'<path class="area" d="{area}"/>',
        *(_mark(scale, at, text) for at, text in marks),
        f'<path class="curve" d="{path}"/>',
    ]
    if below:
        parts += _hanging(scale, *below, band)
    parts.append(_x_axis(scale, scale.floor + band, x_label))
    return _svg(height, title, "; ".join(f"{text} at {at:g}" for at, text in marks), parts)


def bars(rows: Sequence[tuple[str, float]], *, title: str, form: str = "{:,}") -> str:
    """Named amounts as bars that lie, each with its number in the given form."""
    step, gap = 26, 8
    most = max((amount for _, amount in rows), default=0) or 1
    left = 14 + 6.4 * max((len(name) for name, _ in rows), default=0)
    room = WIDTH - left - 64
    parts = []
    for row, (name, amount) in enumerate(rows):
        top, said = 4 + step * row, form.format(amount)
        end = left + max(1.5 if amount else 0, room * amount / most)
        parts += [
            f'<text x="{left - 8:.1f}" y="{top + 13}" text-anchor="end">{escape(name)}</text>',
            _bar(left, top, end, top + step - gap, f"{name}: {said}", space=0),
            f'<text x="{end + 6:.1f}" y="{top + 13}" class="value">{said}</text>',
        ]
    told = "; ".join(f"{name}: {form.format(amount)}" for name, amount in rows)
    return _svg(step * len(rows) + 4, title, told, parts)


def lines(
    series: Sequence[tuple[str, Sequence[Point]]],
    *,
    title: str,
    x_label: str,
    y_label: str = "",
    marks: Sequence[tuple[float, str]] = (),
    height: int = 250,
) -> str:
    """Up to three curves over [0, 1], told apart by colour, by their dashes and by name."""
    every = [x for _, points in series for x, _ in points]
    scale = _Scale(min(every), max(every), height, 1.0, False)
    parts = [_y_axis(scale, [0, 0.2, 0.4, 0.6, 0.8, 1], y_label)]
    parts += [_mark(scale, at, text) for at, text in marks]
    room = (WIDTH - LEFT - RIGHT) / max(len(series), 1)
    for row, (name, points) in enumerate(series):
        look = ("curve", "curve two", "curve three")[row % 3]
        path = "L".join(f"{scale.x(x):.1f} {scale.y(y):.1f}" for x, y in points)
        x = LEFT + room * row
        parts += [
            f'<path class="{look}" d="M{path}"/>',
            f'<path class="{look}" d="M{x:.1f} 9h22"/>',
            f'<text x="{x + 28:.1f}" y="13">{escape(name)}</text>',
        ]
    parts.append(_x_axis(scale, scale.floor, x_label))
    return _svg(height, title, ", ".join(name for name, _ in series), parts)


def heat(names: Sequence[str], values: Sequence[Sequence[float]], *, title: str) -> str:
    """Shares between every two names, shaded from the least to 1; each cell has its hundredths."""
    side, left, top = 26, 30 + 7.2 * max(map(len, names), default=0), 24
    least = min((value for row in values for value in row), default=0.0)
    width = left + side * len(names) + 4
    parts = []
    for row, name in enumerate(names):
        y = top + side * row
        parts.append(
            f'<text x="{left - 6:.1f}" y="{y + 17}" text-anchor="end">'
            f"{row + 1} {escape(name)}</text>"
            f'<text x="{left + side * (row + 0.5):.1f}" y="{top - 8}" text-anchor="middle">'
            f"{row + 1}</text>"
        )
        for column, value in enumerate(values[row]):
            shade = (value - least) / (1 - least) if least < 1 else 1.0
            hint = f"{name}, {names[column]}: {value:.3f}"
            parts.append(_cell(left + side * column, y, side, shade, f"{value * 100:.0f}", hint))
    told = f"{len(names)} by {len(names)} shares from {least:.2f} to 1"
    return _svg(top + side * len(names) + 4, title, told, parts, width)


def _cell(x: float, y: float, side: float, shade: float, said: str, hint: str) -> str:
    on = " on" if shade > 0.55 else ""
    return (
        f'<rect class="cell" x="{x:.1f}" y="{y:.1f}" width="{side}" height="{side}" '
        f'fill-opacity="{shade:.3f}"><title>{escape(hint)}</title></rect>'
        f'<text class="cell-value{on}" x="{x + side / 2:.1f}" y="{y + side / 2 + 3.5:.1f}" '
        f'text-anchor="middle">{said}</text>'
    )


class _Scale:
    """Data to user units for a plot whose y axis starts at nought."""

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


def _wide(counts: Sequence[int]) -> bool:
    some = [count for count in counts if count]
    return bool(some) and max(some) > 100 * sorted(some)[len(some) // 2]


def _top(counts: Sequence[int], logarithmic: bool) -> float:
    most = max(counts, default=0) or 1
    return float(10 ** math.ceil(math.log10(most)) if logarithmic else _ticks(0, most, 4)[-1])


def _ticks(low: float, high: float, about: int) -> list[float]:
    """Round numbers from ``low`` to at least ``high``."""
    rough = (high - low) / about
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 2.5, 5, 10) if power * factor >= rough * 0.999)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(step * number, 10) for number in range(first, last + 1)]


def _log_ticks(top: float) -> list[float]:
    powers = round(math.log10(top))
    return [float(10**power) for power in range(0, powers + 1, max(1, powers // 4))]


def _short(value: float, top: float) -> str:
    """A tick's number, in the unit that suits the highest tick."""
    for limit, unit, suffix in ((1e9, 1e9, "G"), (2e6, 1e6, "M"), (1e4, 1e3, "k")):
        if top >= limit and value >= unit / 10:
            return f"{value / unit:g}{suffix}"
    return f"{value:,g}"


def _y_axis(scale: _Scale, ticks: Iterable[float], label: str) -> str:
    lines = []
    for tick in ticks:
        y = scale.y(tick)
        lines.append(f'<path class="grid" d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}"/>')
        said = _short(tick, scale.top)
        lines.append(f'<text x="{LEFT - 7}" y="{y + 4:.1f}" text-anchor="end">{said}</text>')
    lines.append(f'<text class="label" x="0" y="13">{escape(label)}</text>')
    return "".join(lines)


def _x_axis(scale: _Scale, y: float, label: str) -> str:
    lines = [f'<path class="axis" d="M{LEFT} {scale.floor}H{WIDTH - RIGHT}"/>']
    for tick in _ticks(scale.low, scale.high, 5):
        if scale.low - 1e-9 <= tick <= scale.high + 1e-9:
            lines.append(
                f'<text x="{scale.x(tick):.1f}" y="{y + 17}" text-anchor="middle">{tick:g}</text>'
            )
    middle = (LEFT + WIDTH - RIGHT) / 2
    lines.append(
        f'<text class="label" x="{middle}" y="{y + 34}" text-anchor="middle">{escape(label)}</text>'
    )
    return "".join(lines)


def _bar(x0: float, y0: float, x1: float, y1: float, hint: str, space: float = 1) -> str:
    width = max(x1 - x0 - space, 0.8)
    return (
        f'<rect class="bar" x="{x0:.1f}" y="{y0:.1f}" width="{width:.1f}" '
        f'height="{max(y1 - y0, 0):.1f}"><title>{escape(hint)}</title></rect>'
    )


def _bin(low: float, high: float, count: int) -> str:
    return f"{low:.3g} to {high:.3g}: {count:,}"


def _mark(scale: _Scale, at: float, text: str, y: float | None = None) -> str:
    x = scale.x(at)
    anchor, shift = ("end", -5) if x > WIDTH / 2 else ("start", 5)
    return (
        f'<path class="mark" d="M{x:.1f} {TOP}V{scale.floor}"/>'
        f'<text class="mark" x="{x + shift:.1f}" y="{scale.floor - 8 if y is None else y}" '
        f'text-anchor="{anchor}">'
        f"{escape(text)}</text>"
    )


def _hanging(
    scale: _Scale, edges: Sequence[float], counts: Sequence[int], band: float
) -> list[str]:
    """The histogram as a reflection under the axis; roots, so that few still show beside many."""
    most = math.sqrt(max(counts, default=0) or 1)
    top = scale.floor + 1
    return [
        _bar(
            scale.x(low),
            top,
            scale.x(high),
            top + (band - 6) * math.sqrt(count) / most,
            _bin(low, high, count),
        ).replace('class="bar"', 'class="bar seen"')
        for low, high, count in zip(edges, edges[1:], counts, strict=False)
        if count and low >= scale.low - 1e-9 and high <= scale.high + 1e-9
    ]


def _svg(
    height: int, title: str, description: str, parts: Iterable[str], width: float = WIDTH
) -> str:
    return (
        f'<svg class="chart" viewBox="0 0 {width:g} {height}" role="img" '
        f'aria-label="{escape(title)}. {escape(description)}">{"".join(parts)}</svg>'
    )
