"""Draws docs/pictures/terminal.svg: what the first commands print, as a terminal shows it.

Run ``python docs/make_terminal.py`` after the words of a command have changed; a test compares.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import tempfile
import textwrap
from collections.abc import Iterator
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs" / "pictures" / "terminal.svg"
COMMANDS = (
    "twinset dedup examples/collection -o clean --threshold 0.75 -q",
    "twinset show clean --pair html/bridge-courier.html html/bridge-courier-update.html",
)
COLUMNS, ROWS = 100, 30
WIDTH, HEIGHT, MARGIN = 8.4, 19, 18  # of a character, of a line, around all
COLOURS = {"$": "#7fd6c2", "text": "#d8dee9", "ground": "#1d2329"}


def picture() -> str:
    """The whole picture."""
    with _clone():
        lines = [line for command in COMMANDS for line in _lines(command)][:ROWS]
    drawn = "\n".join(_drawn(number, line) for number, line in enumerate(lines))
    width, height = COLUMNS * WIDTH + 2 * MARGIN, len(lines) * HEIGHT + 2 * MARGIN
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" '
        'font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="14" role="img">\n'
        "<title>twinset dedup and twinset show in a terminal</title>\n"
        f'<rect width="100%" height="100%" rx="8" fill="{COLOURS["ground"]}"/>\n{drawn}\n</svg>\n'
    )


@contextlib.contextmanager
def _clone() -> Iterator[None]:
    """A folder that looks like a clone, and that the commands may write in."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "examples").symlink_to(ROOT / "examples")
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


def _lines(command: str) -> list[str]:
    """The command and what it prints, broken as a terminal breaks lines."""
    from click.testing import CliRunner

    from twinset.cli import app

    result = CliRunner().invoke(app, shlex.split(command)[1:], prog_name="twinset")
    assert result.exit_code == 0, result.output
    printed = [
        piece
        for line in result.stdout.splitlines()
        for piece in textwrap.wrap(line, COLUMNS, subsequent_indent="  ") or [""]
    ]
    return [f"$ {command}", *printed, ""]


def _drawn(number: int, line: str) -> str:
    colour = COLOURS["$" if line.startswith("$") else "text"]
    place = f'x="{MARGIN}" y="{MARGIN + HEIGHT * (number + 0.75):.2f}"'
    return f'<text {place} fill="{colour}" xml:space="preserve">{escape(line)}</text>'


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
    print(PICTURE)
