"""A curve in characters: braille dots, or asterisks where the terminal has no Unicode."""

from __future__ import annotations

from collections.abc import Callable

DOTS = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))


def curve(
    function: Callable[[float], float],
    mark: float,
    *,
    width: int = 60,
    height: int = 12,
    unicode: bool = True,
) -> list[str]:
    """Lines that show a function from [0, 1] to [0, 1], with a vertical line at ``mark``."""
    across, down = (2, 4) if unicode else (1, 1)
    columns, rows = width * across, height * down
    lit = set(_curve_dots(function, columns, rows))
    lit |= {(round(mark * (columns - 1)), row) for row in range(0, rows, 2)}
    cells = [
        "".join(_cell(lit, column, row, unicode) for column in range(width)).rstrip()
        for row in range(height)
    ]
    wall, floor, corner = ("│", "─", "└") if unicode else ("|", "-", "+")
    labels = {0: "1.0", height // 2: "0.5", height - 1: "0.0"}
    lines = [f"{labels.get(row, ''):>4} {wall}{cell}" for row, cell in enumerate(cells)]
    return [*lines, f"     {corner}{floor * width}", "     " + _ruler(width)]


def _curve_dots(
    function: Callable[[float], float], columns: int, rows: int
) -> list[tuple[int, int]]:
    """Dots of the curve, joined vertically where it is steep."""
    dots = []
    before = None
    for column in range(columns):
        value = min(1.0, max(0.0, function(column / (columns - 1))))
        row = round((1 - value) * (rows - 1))
        low, high = sorted((row, row if before is None else before))
        dots += [(column, between) for between in range(low, high + 1)]
        before = row
    return dots


def _cell(lit: set[tuple[int, int]], column: int, row: int, unicode: bool) -> str:
    if not unicode:
        return "*" if (column, row) in lit else " "
    code = sum(
        DOTS[x][y] for x in range(2) for y in range(4) if (column * 2 + x, row * 4 + y) in lit
    )
    return chr(0x2800 + code) if code else " "


def _ruler(width: int) -> str:
    """Numbers under the axis, each below its place."""
    line = [" "] * (width + 4)
    for tenth in range(0, 11, 2):
        start = round(tenth / 10 * (width - 1))
        for place, mark in enumerate(f"{tenth / 10:g}"):
            line[start + place] = mark
    return "".join(line).rstrip()
