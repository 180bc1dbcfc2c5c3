"""Blocks of N-grams as they are counted, and the marks that counted texts leave."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from twinset import _kernels
from twinset.engine.columns import give_back_memory
from twinset.model import Ints
from twinset.passages.grams import Data, Grams
from twinset.passages.number_file import NumberFile
from twinset.plan import Resources

MARKS_AT_ONCE = 1 << 17
Marked = tuple[Ints, Ints, NDArray[np.uint64]]
"""Of some texts: how many marks each has, how many N-grams that may repeat, and all marks."""


class Counting:
    """Counts of the blocks of texts, as many as there is room for, and what the texts leave behind.

    These are marks of their blocks, how many each has, and how many of its N-grams may repeat.
    """

    def __init__(
        self, samples: _kernels.GramSamples, first: int, grams: Grams, resources: Resources
    ) -> None:
        most, folder = resources.room // 2, resources.folder
        self.counts = _kernels.GramCounts(samples, first, most, folder)
        self.marks = NumberFile(np.uint64, folder)
        self._grams, self._marks_of, self._candidates = grams, list[Ints](), list[Ints]()

    @property
    def is_whole(self) -> bool:
        """Whether there was room for all from the first on."""
        return self.counts.end == _kernels.GRAM_PARTS

    def count(self, data: Data) -> Marked:
        """Count the blocks of some texts; any thread may."""
        return self.counts.count(*data, *self._grams)

    def take(self, marked: Marked) -> None:
        """Keep what they left, text by text."""
        marks_of, candidates, marks = marked
        self._marks_of.append(marks_of)
        self._candidates.append(candidates)
        self.marks.append(marks)

    def finish(self, threads: int) -> None:
        """Find out what is true of the N-grams, once all are counted."""
        self.counts.finish(threads)
        give_back_memory()

    @property
    def marks_of(self) -> Ints:
        """How many marks each text has."""
        return joined(self._marks_of, np.int64)

    @property
    def candidates(self) -> Ints:
        """How many N-grams of each may be repeated."""
        return joined(self._candidates, np.int64)

    def keep_facts(self, facts: NumberFile) -> None:
        """Add what one round knows to what others do: 0 until its part is counted."""
        at = 0
        for begin in range(0, len(self.marks), MARKS_AT_ONCE):
            marks = self.marks.read(begin, min(begin + MARKS_AT_ONCE, len(self.marks)))
            known = self.counts.facts(marks)
            before = facts.read(at, at + len(known))
            facts.write(at, np.where(known != 0, known, before) if len(before) else known)
            at += len(known)

    def close(self) -> None:
        """Give the marks back."""
        self.marks.close()


def joined(parts: Any, kind: Any) -> NDArray[Any]:
    """Arrays one behind the other; those of no parts are empty, of this kind."""
    return np.concatenate([np.empty(0, kind), *parts])
