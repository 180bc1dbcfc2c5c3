"""What an answer has changed, and whether more of them are worth the time: as numbers, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from twinset.model import Floats
from twinset.pages.language import say

Bools = NDArray[np.bool_]
LOOKED_BACK = 5  # answers that show whether the judgement still moves
SETTLED = 0.01  # share of the copies that these may change


@dataclass(frozen=True, slots=True)
class CopiesChanged:
    """How many pairs are copies since an answer, and how many are no longer."""

    more: int
    fewer: int

    @classmethod
    def between(cls, before: Bools, after: Bools) -> CopiesChanged:
        """How the copies differ from those before the answer."""
        return cls(int((after & ~before).sum()), int((before & ~after).sum()))

    def in_words(self, language: str = "en") -> str:
        """A sentence."""
        if not self.more and not self.fewer:
            return say(language, "asking.same")
        parts = [("more", self.more), ("fewer", self.fewer)]
        return "; ".join(say(language, f"asking.{name}", n=n) for name, n in parts if n) + "."


@dataclass(frozen=True, slots=True)
class WorthAsking:
    """How many pairs the last answers have moved (None: too few yet), and what is in doubt."""

    moved: int | None
    doubtful: int
    is_settled: bool

    @classmethod
    def after(cls, history: Sequence[Bools], probability: Floats) -> WorthAsking:
        """How much more is worth asking, by what the last answers changed and by what is in doubt.

        ``history`` has the copies before the first answer and after each.
        """
        now = history[-1]
        doubtful = round(float(np.minimum(probability, 1 - probability).sum()))
        if len(history) <= LOOKED_BACK:
            return cls(None, doubtful, False)
        moved = int((now != history[-1 - LOOKED_BACK]).sum())
        return cls(moved, doubtful, moved <= SETTLED * max(int(now.sum()), 1))

    def in_words(self, language: str = "en") -> str:
        """A sentence."""
        if self.moved is None:
            return say(language, "asking.first")
        moved = say(language, "asking.moved", n=self.moved, last=LOOKED_BACK)
        if self.is_settled:
            return f"{moved}: {say(language, 'asking.stop')}."
        doubt = say(language, "asking.doubtful", n=self.doubtful)
        return f"{moved}, {doubt}: {say(language, 'asking.go_on')}."
