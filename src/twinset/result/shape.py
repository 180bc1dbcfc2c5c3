"""What a JSON value must look like: a pattern, and sentences for what is wrong with a value.

A pattern is ``str``, ``int`` (from zero on), ``float`` or ``bool``; words to choose from
(``"yes|no"``); a list of a pattern, and perhaps of how many there are at least; a dict of names,
where ``name?`` may be missing, others are let pass and ``*`` stands for every name; a `Maybe`;
bounds (`Between`); a function that yields sentences; or a tuple of patterns, of which a later one
may rely on those before it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

LONG = 40
Pattern = Any
_KINDS: dict[type, tuple[str, Callable[[Any], bool]]] = {
    str: ("a text", lambda value: isinstance(value, str)),
    bool: ("true or false", lambda value: isinstance(value, bool)),
    int: ("a whole number from 0 on", lambda value: type(value) is int and 0 <= value < 2**63),
    float: ("a number", lambda value: type(value) in (int, float) and math.isfinite(value)),
}


class Maybe(NamedTuple):
    """What the pattern asks for, or null."""

    pattern: Pattern


class Between(NamedTuple):
    """A number between two others, both included."""

    low: float
    high: float


def faults(value: Any, pattern: Pattern, place: str = "") -> Iterator[str]:
    """What is wrong with a value, which stands at a place such as ``plan.threshold``."""
    if isinstance(pattern, Maybe):
        yield from faults(value, pattern.pattern, place) if value is not None else ()
    elif isinstance(pattern, Between):
        if any(faults(value, float)) or not pattern.low <= value <= pattern.high:
            yield _other(place, f"a number between {pattern.low:g} and {pattern.high:g}", value)
    elif isinstance(pattern, tuple):
        found: list[str] = []
        for each in pattern:
            found = found or list(faults(value, each, place))
        yield from found
    elif isinstance(pattern, dict):
        yield from _of_object(value, pattern, place)
    elif isinstance(pattern, list):
        least = pattern[1] if len(pattern) > 1 else 0
        if isinstance(value, list) and len(value) >= least:
            for row, inner in enumerate(value):
                yield from faults(inner, pattern[0], f"{place}[{row}]")
        else:
            yield _other(place, f"a list of {least} or more" if least else "a list", value)
    elif isinstance(pattern, str):
        if value not in pattern.split("|"):
            yield _other(place, pattern.replace("|", " or "), value)
    elif pattern not in _KINDS:
        yield from pattern(value, place)
    elif not _KINDS[pattern][1](value):
        yield _other(place, _KINDS[pattern][0], value)


def _of_object(value: Any, pattern: dict[str, Pattern], place: str) -> Iterator[str]:
    if not isinstance(value, dict):
        yield _other(place, "an object", value)
        return
    for name, inner in (dict.fromkeys(value, pattern["*"]) if "*" in pattern else pattern).items():
        key = name if name in value else name.removesuffix("?")
        inside = f"{place}.{key}" if place else key
        if key in value:
            yield from faults(value[key], inner, inside)
        elif key == name:
            yield f"it lacks {inside}"


def _other(place: str, expected: str, value: Any) -> str:
    shown = repr(value)
    shown = shown if len(shown) <= LONG else f"{shown[:LONG]}…"
    return f"{place or 'it'} must be {expected}, not {shown}"
