"""Output that a page shows against output that is printed, where a solver makes the figures.

A solver stops within a tolerance of its own, so its decisions differ a little from processor to
processor: here words must be the same and figures near.
"""

from __future__ import annotations

import re
from itertools import groupby, zip_longest

NUMBER = re.compile(r"(?<![\w.-])\d[\d,]*(?:\.\d+)?(?![\w])")
SHARE, LEAST = 0.03, {True: 0.03, False: 2.0}  # of a figure; of one with decimals, of a count
# Which of two machines is chosen that do almost equally well is the solver's business, too.
CHOSEN = re.compile(r"with C \S+ and gamma \S+;")


def differences(shown: str, printed: str) -> list[tuple[str, str]]:
    """The lines that differ in words, or in figures by more than a solver may make them.

    A shown line that ends with ``...`` says how the line begins.
    """
    pairs = zip_longest(_lines(shown), _lines(printed), fillvalue="")
    return [(one, other) for one, other in pairs if not _alike(one, other)]


def _lines(text: str) -> list[str]:
    """The lines; a list of indented ones by its words, since the figures it is sorted by vary."""
    lines: list[str] = []
    whole = CHOSEN.sub("with the best C and gamma;", text).rstrip("\n").split("\n")
    for indented, group in groupby(whole, key=lambda line: line.startswith("  ")):
        rows = list(group)
        lines += sorted(rows) if indented else rows
    return lines


def _alike(one: str, other: str) -> bool:
    if one.endswith("..."):
        return other.startswith(one.removesuffix("..."))
    if _words(one) != _words(other):
        return False
    figures = zip(NUMBER.findall(one), NUMBER.findall(other), strict=True)
    return all(_near(a, b) for a, b in figures)


def _words(line: str) -> list[str]:
    return NUMBER.sub("#", line).split()


def _near(one: str, other: str) -> bool:
    if ("." in one) != ("." in other):
        return False
    a, b = (float(text.replace(",", "")) for text in (one, other))
    return abs(a - b) <= max(LEAST["." in one], SHARE * abs(a))
