"""What a JSON value must look like, put together from small checks.

A check takes a value and the name of its place (``plan.threshold``) and gives sentences.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

Check = Callable[[Any, str], Iterator[str]]
LONG = 40


def text(value: Any, place: str) -> Iterator[str]:
    """A string."""
    if not isinstance(value, str):
        yield _other(place, "a text", value)


def number(value: Any, place: str) -> Iterator[str]:
    """A number, whole or not, but not infinite."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        yield _other(place, "a number", value)


def flag(value: Any, place: str) -> Iterator[str]:
    """True or false."""
    if not isinstance(value, bool):
        yield _other(place, "true or false", value)


def whole(least: int = 0, most: int = 2**63 - 1) -> Check:
    """A whole number between bounds."""

    def check(value: Any, place: str) -> Iterator[str]:
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            yield _other(place, f"a whole number from {least} on", value)

    return check


def between(low: float, high: float) -> Check:
    """A number between two others, both included."""

    def check(value: Any, place: str) -> Iterator[str]:
        if any(number(value, place)) or not low <= value <= high:
            yield _other(place, f"a number between {low:g} and {high:g}", value)

    return check


def one_of(*known: str) -> Check:
    """One of some words."""

    def check(value: Any, place: str) -> Iterator[str]:
        if value not in known:
            yield _other(place, " or ".join(known), value)

    return check


def maybe(check: Check) -> Check:
    """What the check asks for, or null."""
    return lambda value, place: iter(()) if value is None else check(value, place)


def listed(check: Check, count: int | None = None, least: int = 0) -> Check:
    """A list of such values, of so many where a count is given."""

    def all_of(value: Any, place: str) -> Iterator[str]:
        if not isinstance(value, list):
            yield _other(place, "a list", value)
        elif len(value) < least or (count is not None and len(value) != count):
            yield _other(place, f"a list of {count or least} or more", value)
        else:
            for row, inner in enumerate(value):
                yield from check(inner, f"{place}[{row}]")

    return all_of


def named(check: Check) -> Check:
    """An object whose values all pass the check, whatever their names."""

    def all_of(value: Any, place: str) -> Iterator[str]:
        if not isinstance(value, dict):
            yield _other(place, "an object", value)
        else:
            for key, inner in value.items():
                yield from check(inner, f"{place}.{key}")

    return all_of


def entry(needed: Mapping[str, Check], more: Mapping[str, Check] | None = None) -> Check:
    """An object with these keys, and perhaps with more; keys of neither kind are let pass."""

    def check(value: Any, place: str) -> Iterator[str]:
        if not isinstance(value, dict):
            yield _other(place, "an object", value)
            return
        for key, inner in {**needed, **(more or {})}.items():
            inside = f"{place}.{key}" if place else key
            if key in value:
                yield from inner(value[key], inside)
            elif key in needed:
                yield f"it lacks {inside}"

    return check


def both(*checks: Check) -> Check:
    """What all of the checks ask for; a later one may rely on those before it."""

    def check(value: Any, place: str) -> Iterator[str]:
        for inner in checks:
            faults = list(inner(value, place))
            yield from faults
            if faults:
                return

    return check


def _other(place: str, expected: str, value: Any) -> str:
    shown = repr(value)
    shown = shown if len(shown) <= LONG else f"{shown[:LONG]}…"
    return f"{place or 'it'} must be {expected}, not {shown}"
