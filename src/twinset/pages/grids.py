"""Charts of the laboratory: several curves, and shares between every two names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from twinset.pages import charts


@dataclass(frozen=True, kw_only=True)
class Curves:
    """Up to three named curves over [0, 1]."""

    series: Sequence[tuple[str, Sequence[charts.Point]]]
    title: str
    x_label: str
    y_label: str = ""
    marks: Sequence[charts.Mark] = ()
    height: int = 250

    def picture(self, pen: charts.Pen) -> charts.Picture:
        """Told apart by colour, by their dashes and by name."""
        every = [x for _, points in self.series for x, _ in points]
        scale = charts.Scale(min(every), max(every), self.height, 1.0, False)
        parts = [pen.y_axis(scale, charts.SHARES, self.y_label)]
        parts += [pen.mark(scale, at, text) for at, text in self.marks]
        room = (charts.WIDTH - charts.LEFT - charts.RIGHT) / max(len(self.series), 1)
        for row, (name, points) in enumerate(self.series):
            look = ("curve", "curve two", "curve three")[row % 3]
            x = charts.LEFT + room * row
            parts += [
                pen.path(look, charts.line_through(scale, points)),
                pen.path(look, f"M{x:.1f} 9h22"),
                pen.text(x + 28, 13, name),
            ]
        parts.append(pen.x_axis(scale, scale.floor, self.x_label))
        return charts.Picture(parts, ", ".join(name for name, _ in self.series), self.height)


@dataclass(frozen=True, kw_only=True)
class Heat:
    """Shares between every two names, shaded from the least to 1, in hundredths.

    With ``columns`` the names across are others than those down; a value of None is left blank.
    """

    names: Sequence[str]
    values: Sequence[Sequence[float | None]]
    title: str
    columns: Sequence[str] = ()

    def picture(self, pen: charts.Pen) -> charts.Picture:
        """Its shapes."""
        names, square = self.names, not self.columns
        across = self.columns or names
        rows = [f"{row} {name}" for row, name in enumerate(names, 1)] if square else names
        columns = [str(column) for column in range(1, len(names) + 1)] if square else across
        side, top = 26.0, 24
        width = side if square else max([side, *(charts.width_of(name) + 10 for name in columns)])
        left = 12 + max(map(charts.width_of, rows), default=0)
        least = min((v for row in self.values for v in row if v is not None), default=0.0)
        parts = [
            pen.text(left + width * (column + 0.5), top - 8, name, "middle")
            for column, name in enumerate(columns)
        ]
        for row, name in enumerate(rows):
            y = top + side * row
            parts.append(pen.text(left - 6, y + 17, name, "end"))
            for column, value in enumerate(self.values[row]):
                if value is None:
                    continue
                shade = (value - least) / (1 - least) if least < 1 else 1.0
                hint = f"{names[row]}, {across[column]}: {pen.number(value, 3)}"
                box = (left + width * column, y, width, side)
                parts.append(_cell(*box, shade, f"{value * 100:.0f}", hint))
        told = pen.say("heat", n=len(names), columns=len(across), least=pen.number(least, 2))
        # Without room beside a small grid its letters would be larger than those of other charts.
        wide = max(left + width * len(across) + 4, charts.WIDTH)
        return charts.Picture(parts, told, top + side * len(names) + 4, wide)


def _cell(
    x: float, y: float, width: float, height: float, shade: float, said: str, hint: str
) -> str:
    look = "cell-value on" if shade > 0.55 else "cell-value"
    middle, foot = x + width / 2, y + height / 2 + 3.5
    box = charts.element(
        "rect",
        charts.element("title", escape(hint)),
        class_="cell",
        x=float(x),
        y=float(y),
        width=width,
        height=height,
        fill_opacity=f"{shade:.3f}",
    )
    return box + charts.element("text", said, class_=look, x=middle, y=foot, text_anchor="middle")
