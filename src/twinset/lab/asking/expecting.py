"""What an answer has changed, and whether more of them are worth the time: in sentences."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from twinset.model import Floats
from twinset.spec.numerals import counted

Bools = NDArray[np.bool_]
LOOKED_BACK = 5  # answers that show whether the judgement still moves
SETTLED = 0.01  # share of the copies that these may change


def change(before: Bools, after: Bools) -> str:
    """How the copies differ from those before the answer."""
    more, fewer = int((after & ~before).sum()), int((before & ~after).sum())
    if not more and not fewer:
        return "The same pairs are copies as before."
    parts = []
    if more:
        parts.append(f"{counted(more, 'more pair')} {'is a copy' if more == 1 else 'are copies'}")
    if fewer:
        verb = "is a copy" if fewer == 1 else "are copies"
        parts.append(f"{counted(fewer, 'pair')} {verb} no longer")
    return " and ".join(parts) + "."


def worth(history: Sequence[Bools], probability: Floats) -> str:
    """How much more is worth asking, by what the last answers changed and by what is in doubt."""
    now = history[-1]
    copies = max(int(now.sum()), 1)
    doubtful = float(np.minimum(probability, 1 - probability).sum())
    if len(history) <= LOOKED_BACK:
        return "The first answers change most: go on."
    moved = int((now != history[-1 - LOOKED_BACK]).sum())
    changed = f"The last {LOOKED_BACK} answers changed {counted(moved, 'pair')}"
    if moved <= SETTLED * copies:
        return f"{changed}: you can stop here."
    return f"{changed}, and about {round(doubtful):,} are still decided wrongly: go on."
