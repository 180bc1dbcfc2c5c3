"""Printing: results on stdout, coloured on a terminal only.

Ids and texts come from the documents and are not trusted: ``visible`` shows their control
characters instead of sending them to the terminal.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, TextIO

from twinset import plan
from twinset.errors import ReadError
from twinset.plan.spec import Option
from twinset.system.schemes import masked

if TYPE_CHECKING:
    from rich.console import Console

STDOUT = "-"
# Control characters and the marks that turn the direction of writing.
UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def visible(text: str) -> str:
    """Text that is safe to print."""
    return UNSEEN.sub(lambda match: f"\\x{ord(match.group()):02x}", text)


def one_line(text: str, width: int) -> str:
    """The beginning of a text on one line."""
    flat = " ".join(visible(text[: 4 * width]).split())
    return flat if len(flat) <= width else flat[: width - 1] + "…"


def ensure_read(manifest: Mapping[str, Any], *, as_json: bool = False) -> None:
    """Raise where too little of an input was read: the manifest may be said, nothing is written."""
    shown = {"left": "A", "right": "B"}
    for name, side in (manifest.get("sides") or {"input": manifest}).items():
        if side["unread"]:
            if as_json:
                print_json(manifest)
            raise ReadError(shown.get(name, name), None, side["unread"])


def print_json(value: Any) -> None:
    """One JSON object on stdout."""
    sys.stdout.write(masked(json.dumps(value, ensure_ascii=False)) + "\n")
    sys.stdout.flush()


def write_lines(place: str, lines: Iterable[bytes]) -> int:
    """Write lines to a file, whole or not at all, or to stdout, each at once; counts them."""
    from twinset.result.places import fresh_file

    count = 0
    with ExitStack() as stack:
        file = sys.stdout.buffer
        if place != STDOUT:
            file = stack.enter_context(stack.enter_context(fresh_file(place)).open("wb"))
        for line in lines:
            file.write(line)
            if place == STDOUT:
                file.flush()
            count += 1
    return count


def say(text: str, faint: str = "") -> None:
    """A line on stdout; what is ``faint`` stands back behind the rest where there are colours."""
    coloured = faint and sys.stdout.isatty() and "NO_COLOR" not in os.environ
    end = f"\x1b[2m{visible(faint)}\x1b[0m" if coloured else visible(faint)
    sys.stdout.write(f"{visible(text)}{end}\n")


def size(amount: int) -> str:
    """Bytes in the unit that suits them, with a plain blank."""
    from twinset.pages import language

    return language.size("en", amount).replace(language.SPACE, " ")


def command_line(*words: str, options: Mapping[str, Any] | None = None) -> str:
    """A command to copy: the words after ``twinset``, and options by name as flags."""
    known = plan.options()
    flags: list[str] = []
    for name, value in (options or {}).items():
        option = known.get(name) or Option(name, "", str, None)
        flags += option.words(value) if value is not False else []
    return shlex.join(["twinset", *words, *flags])


def say_next(*commands: str) -> None:
    """The commands to run next, one a line, below each other."""
    for number, command in enumerate(commands):
        say(f"{'      ' if number else 'Next: '}{command}")


def say_table(rows: Sequence[Sequence[str]], right: bool = True) -> None:
    """Print a table; with ``right`` all columns but the first are aligned to the right."""
    widths = [
        max(len(row[place]) for row in rows if place < len(row)) for place in range(len(rows[0]))
    ]
    for row in rows:
        cells = [
            cell.rjust(width) if right and place else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=False))
        ]
        say("  ".join(cells).rstrip())


def console(stream: TextIO | None = None) -> Console:
    """Rich on stdout or a stream: colours on a terminal, plain text and no wrapping elsewhere."""
    from rich.console import Console

    stream = stream or sys.stdout
    wide = None if stream.isatty() else 200
    return Console(file=stream, highlight=False, markup=False, emoji=False, width=wide)
