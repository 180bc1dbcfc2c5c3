"""Amounts as one reads them: bytes, shares, spans of time, moments."""

from __future__ import annotations

import time

from twinset.pages.language import SPACE, number, say

UNITS = ("B", "kB", "MB", "GB", "TB")


def size(language: str, amount: float) -> str:
    """Bytes in the unit that suits them."""
    power = 0
    while amount >= 1000 and power < len(UNITS) - 1:
        amount, power = amount / 1000, power + 1
    shown = round(amount, 1) if amount < 10 and power else round(amount)
    return f"{number(language, shown)}{SPACE}{say(language, f'unit.{UNITS[power].lower()}')}"


def percent(language: str, share: float) -> str:
    """A share of one, with a decimal only where there is one."""
    shown = round(share * 100, 1)
    return f"{number(language, int(shown) if shown == int(shown) else shown)}{SPACE}%"


def span(language: str, seconds: float) -> str:
    """A span of time in one or two units."""
    if seconds < 1:
        return say(language, "unit.instant")
    whole = round(seconds)
    minutes, rest = divmod(whole, 60)
    hours, left = divmod(minutes, 60)
    if hours:
        parts = [(hours, "hours"), (left, "minutes")]
    elif minutes:
        parts = [(minutes, "minutes"), (rest if minutes < 5 else 0, "seconds")]
    else:
        parts = [(rest, "seconds")]
    told = [f"{n}{SPACE}{say(language, f'unit.{unit}')}" for n, unit in parts if n]
    return " ".join(told)


def moment(seconds: float) -> str:
    """A moment of this machine's clock."""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))
