"""``twinset mine FILE --support N`` in its plainest form, before the command line is loaded.

Loading the command line and NumPy takes longer than many a mining. Here are the few options that
need neither; any other option, a file with a flaw, a table for the search and every error are left
to the command itself, which begins anew. Both print the same: a test compares them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from twinset.clusters.mine import LEAST_ITEMS

if TYPE_CHECKING:
    from twinset._kernels import FimiSets
    from twinset.clusters.closed_sets import SetKind

FLAGS = {"--closed": "closed", "--quiet": "quiet", "-q": "quiet"}
NUMBERS = {"--support": "support", "--least-items": "least_items", "--least": "least_items"}
SETS = 200_000
"""Sets that are text at once."""


@dataclass
class PlainOptions:
    """What the plainest form of the command may say."""

    file: str = ""
    support: int = 0
    least_items: int = LEAST_ITEMS
    closed: bool = False
    quiet: bool = False


def plain_options(arguments: list[str]) -> PlainOptions | None:
    """The options if there are no others and none is amiss."""
    options = PlainOptions()
    words = iter(arguments)
    for word in words:
        if word in FLAGS:
            setattr(options, FLAGS[word], True)
        elif word in NUMBERS:
            digits = next(words, "")
            if not (digits.isascii() and digits.isdecimal() and len(digits) <= 9):
                return None
            setattr(options, NUMBERS[word], int(digits))
        elif word.startswith("-") or options.file:
            return None
        else:
            options.file = word
    return options if options.file and options.support and options.least_items else None


def mined_at_once(arguments: list[str]) -> Iterator[bytes] | None:
    """The lines to print; None where the command has to do it."""
    options = plain_options(arguments)
    if options is None:
        return None
    try:
        sets = _mined(options)
    except Exception:  # whatever it is, the command meets it again and says it in a sentence
        return None
    return None if sets is None else _lines(sets)


def _mined(options: PlainOptions) -> FimiSets | None:
    from twinset._kernels import FimiText
    from twinset.clusters.mine.auto import choose_by
    from twinset.clusters.mine.file import whole_file

    table = FimiText(whole_file(options.file)[1])
    if not table.flawless:
        return None
    frequent, together = table.frequent(options.support)
    kind: SetKind = "closed" if options.closed else "maximal"
    algorithm, reason = choose_by(frequent, together, table.lines, options.support, kind)
    if frequent == 0 or algorithm == "search":
        return None
    sets = table.mine(algorithm, options.support, not options.closed, options.least_items)
    if len(sets) == 0:
        return None
    if not options.quiet:
        sys.stderr.write(f"note: algorithm {algorithm}: {reason}\n")
    return sets


def _lines(sets: FimiSets) -> Iterator[bytes]:
    for first in range(0, len(sets), SETS):
        yield sets.text(first, first + SETS)
