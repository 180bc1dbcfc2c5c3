"""Numbers as people and programs write them: ASCII digits, nothing that only looks like some.

``str.isdigit`` is true of superscripts, which ``int`` then refuses; ``int`` takes underscores and
the digits of every script, and refuses thousands of digits with an error of its own.
"""

from __future__ import annotations

import math
import re
from numbers import Integral, Rational, Real
from typing import Any

WHOLE = re.compile(r"[+-]?[0-9]{1,18}")
_SOME = "[0-9]{1,300}"
DECIMAL = re.compile(rf"[+-]?(?:{_SOME}(?:\.(?:{_SOME})?)?|\.{_SOME})(?:[eE][+-]?[0-9]{{1,3}})?")


def counted(count: int, noun: str) -> str:
    """A count with thousands separated and its noun in the right number: 1 row, 1,000 rows."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def plain_value(value: Any) -> Any:
    """A number or text of NumPy, say, as Python's own types have it; anything else as it is.

    A short float means the number that it is written as: 0.8 in 32 bits is a little more than 0.8.
    """
    if isinstance(value, str) and type(value) is not str:
        return str.__str__(value)
    if type(value) in (bool, int, float):
        return value
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return float(value) if isinstance(value, Rational) else float(str(value))
    is_truth = getattr(getattr(value, "dtype", None), "kind", "") == "b" and value.ndim == 0
    return bool(value) if is_truth else value


def spelt(number: float) -> str:
    """A number with all its digits, and without a point where it is whole."""
    is_whole = number.is_integer() and abs(number) < 1e15
    return repr(int(number)) if is_whole else repr(number)


def is_count(text: str) -> bool:
    """Whether a text is a whole number without a sign."""
    return text[:1] not in ("+", "-") and WHOLE.fullmatch(text) is not None


def whole(text: str) -> int:
    """A whole number; raises ValueError for anything else."""
    if not WHOLE.fullmatch(text.strip()):
        raise ValueError(f"'{text[:40]}' is not a whole number")
    return int(text)


def decimal(text: str, *, finite: bool = True) -> float:
    """A number; raises ValueError for anything else, and for nan and inf where it is ``finite``."""
    if not finite and text.strip().lower().lstrip("+-") in ("nan", "inf"):
        return float(text)
    if not DECIMAL.fullmatch(text.strip()):
        raise ValueError(f"'{text[:40]}' is not a number")
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"'{text[:40]}' is too large a number")
    return value
