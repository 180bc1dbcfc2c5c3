"""Lines that many texts have in common: notices of a licence, the print of a form.

What everybody says tells no document from another. Two sources below one notice, or two forms that
were filled in, share most of their words without being versions of each other; what else they say
has to tell. Many versions of one document share lines, too. They differ in a small rest, or in
lines that some of them have: where this is so, the whole texts count.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from twinset import _kernels
from twinset.model.columns import byte_rows

MANY, FEW = 20, 5
"""Texts that share a line which tells none of them from another, and those that share their own."""
LOOKED_AT, LINES = 2_000, 500
"""Texts, and the first lines of each, that are looked at: lines of a notice stand in front."""
LEAST, MOSTLY = 0.1, 0.5
"""Of a text what is not too little to tell, and of its rest what is most of it."""
_NONE: NDArray[np.uint64] = np.empty(0, np.uint64)


class Shares(NamedTuple):
    """How much of a text is not among the common lines, and how much it has nearly for itself."""

    rest: float
    own: float


class CommonLines:
    """The common lines of some texts; ``rest`` is what a text says beside them."""

    def __init__(self, text: Callable[[int], str], texts: Sequence[int]) -> None:
        """``text`` gives a text by its number. Of many texts some are looked at, evenly spread."""
        self._common = self._not_own = _NONE
        if len(texts) < MANY:
            return
        every = -(-len(texts) // LOOKED_AT)
        held = [np.unique(_digests(text(one), LINES)) for one in texts[::every]]
        lines, count = np.unique(np.concatenate(held), return_counts=True)
        self._common = lines[(count >= MANY) & (lines != _digests("\n")[0])]
        self._not_own = lines[count > FEW]

    def __bool__(self) -> bool:
        return len(self._common) > 0

    def rest(self, text: str) -> str:
        """The other lines of a text."""
        common = np.isin(_digests(text), self._common)
        lines = zip(text.splitlines(), common, strict=True)
        return "\n".join(line for line, is_common in lines if not is_common)

    def shares(self, text: str) -> Shares:
        """How much of a text is left, by its characters."""
        digests = _digests(text)
        sizes = np.array([len("".join(line.split())) for line in text.splitlines()], np.int64)
        rest, own = (
            sizes[~np.isin(digests, lines)].sum() / max(sizes.sum(), 1)
            for lines in (self._common, self._not_own)
        )
        return Shares(float(rest), float(own))


def rests_decide(left: Shares, right: Shares) -> bool:
    """Whether the rests of two texts tell: both common lines and lines of their own are there."""
    return (
        min(left.rest, right.rest) <= 1 - LEAST
        and max(left.own, right.own) >= LEAST
        and left.own >= MOSTLY * left.rest
        and right.own >= MOSTLY * right.rest
    )


def _digests(text: str, most: int | None = None) -> NDArray[np.uint64]:
    """A number for each line, whatever its blanks."""
    lines = [" ".join(line.split()).encode() for line in islice(text.splitlines(), most)]
    rows = byte_rows(lines)
    digests: NDArray[np.uint64] = _kernels.text_digests(rows.values, rows.offsets, 1)
    return digests
