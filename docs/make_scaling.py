"""Draws the figures of ``benchmarks/results/scaling.json`` for the page on scaling.

Two panels: how many times as fast as one thread a run is, and how time and memory grow with the
documents, both on logarithmic scales.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
WIDTH, HEIGHT, LEFT, TOP, PANEL, ROOM = 860, 360, 60, 46, 320, 250
INK, GREY, COLOURS = "#3b3b3b", "#9a9a9a", ("#1f6fb2", "#c4501b", "#4b8b3b")


class Panel:
    """A square of the picture with logarithmic scales."""

    def __init__(self, left: float, title: str, x: Sequence[float], y: Sequence[float]) -> None:
        self.left, self.x, self.y = left, (min(x), max(x)), (min(y), max(y))
        self.parts = [self.text(left, TOP - 22, title, anchor="start", weight="bold")]

    def place(self, x: float, y: float) -> tuple[float, float]:
        """Where a point lies in the picture."""
        across = math.log(x / self.x[0]) / math.log(self.x[1] / self.x[0])
        up = math.log(y / self.y[0]) / math.log(self.y[1] / self.y[0])
        return round(self.left + across * PANEL, 1), round(TOP + ROOM - up * ROOM, 1)

    @staticmethod
    def text(x: float, y: float, words: str, anchor: str = "middle", **more: str) -> str:
        """Words at a place."""
        style = "".join(f' font-{name}="{value}"' for name, value in more.items())
        return f'<text x="{x}" y="{y}" text-anchor="{anchor}"{style}>{words}</text>'

    def grid(self, x: Sequence[tuple[float, str]], y: Sequence[tuple[float, str]]) -> None:
        """Lines with their numbers."""
        for value, words in x:
            at, _ = self.place(value, self.y[0])
            self.parts.append(f'<path d="M{at} {TOP}V{TOP + ROOM}" class="grid"/>')
            self.parts.append(self.text(at, TOP + ROOM + 18, words))
        for value, words in y:
            _, at = self.place(self.x[0], value)
            self.parts.append(f'<path d="M{self.left} {at}H{self.left + PANEL}" class="grid"/>')
            self.parts.append(self.text(self.left - 6, at + 4, words, anchor="end"))

    def line(
        self,
        points: Sequence[tuple[float, float]],
        colour: str,
        name: str,
        below: int,
        dashed: bool = False,
    ) -> None:
        """A line through points, with its name so far below its end."""
        places = [self.place(*point) for point in points]
        way = "L".join(f"{x} {y}" for x, y in places)
        dash = ' stroke-dasharray="5 4"' if dashed else ""
        self.parts.append(f'<path d="M{way}" fill="none" stroke="{colour}"{dash}/>')
        if not dashed:
            self.parts += [f'<circle cx="{x}" cy="{y}" r="3" fill="{colour}"/>' for x, y in places]
        x, y = places[-1]
        self.parts.append(
            f'<text x="{x - 8}" y="{y + below}" text-anchor="end" fill="{colour}">{name}</text>'
        )


def threads_panel(series: dict[str, Any]) -> Panel:
    """Speed over threads."""
    runs = series["runs"]
    most = max(run["threads"] for run in runs)
    size = series["bytes"] / 1e9
    panel = Panel(LEFT, f"times as fast as one thread, {size:.1f} GB", (1, most), (0.9, 1.1 * most))
    steps = [(run["threads"], str(run["threads"])) for run in runs]
    panel.grid(steps, steps)
    panel.line([(1, 1), (most, most)], GREY, "as many times as threads", -4, dashed=True)
    first = runs[0]
    arrow = [(r["threads"], first["pyarrow_json"] / r["pyarrow_json"]) for r in runs]
    panel.line(arrow, COLOURS[1], "pyarrow.json, reading alone", -8)
    panel.line([(r["threads"], first["wall"] / r["wall"]) for r in runs], COLOURS[0], "find", 20)
    return panel


def documents_panel(series: dict[str, Any]) -> Panel:
    """Time and memory over documents."""
    runs = series["runs"]
    numbers = [run["documents"] for run in runs]
    seconds = [(run["documents"], run["wall"]) for run in runs]
    memory = [(run["documents"], run["peak_mb"] / 1000) for run in runs]
    values = [value for _, value in seconds + memory]
    low, high = 10 ** math.floor(math.log10(min(values))), 10 ** math.ceil(math.log10(max(values)))
    title = f"seconds and GB over documents, --memory {series['memory']}"
    panel = Panel(LEFT + PANEL + 100, title, numbers, (low, high))
    decades = [10.0**e for e in range(round(math.log10(low)), round(math.log10(high)) + 1)]
    panel.grid([(n, short(n)) for n in numbers], [(value, f"{value:g}") for value in decades])
    panel.line(seconds, COLOURS[0], "seconds", -8)
    panel.line(memory, COLOURS[2], "GB of memory", 22)
    return panel


def short(number: int) -> str:
    """20k, 1M."""
    return f"{number // 1_000_000}M" if number >= 1_000_000 else f"{number // 1000}k"


def main() -> None:
    """Draw and say where the picture is."""
    results = json.loads((ROOT / "benchmarks" / "results" / "scaling.json").read_text())
    panels = threads_panel(results["threads"]), documents_panel(results["documents"])
    style = (
        f"text{{font:12px sans-serif;fill:{INK}}}.grid{{stroke:#dddddd}}"
        "path{stroke-width:1.6}path.grid{stroke-width:1}"
    )
    inside = "\n".join(part for panel in panels for part in panel.parts)
    path = ROOT / "docs" / "pictures" / "scaling.svg"
    path.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}">'
        f'<style>{style}</style><rect width="100%" height="100%" fill="white"/>\n{inside}\n'
        "</svg>\n",
        encoding="utf-8",
    )
    print(path)


if __name__ == "__main__":
    main()
