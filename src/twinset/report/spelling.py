"""Documents as units beside the features that a run made of them: the way back from hashes.

A run keeps hashes alone. To say what text a hash stands for, a document is cut up again as the
plan's method does it, this time in order and with the words at hand.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from twinset import _kernels
from twinset.candidates.base import Goal
from twinset.errors import ReportError
from twinset.methods.decomposition import Decomposition
from twinset.methods.lexical import Lexical
from twinset.methods.simhash import SimHash
from twinset.model import Features, Ints
from twinset.plan import Plan, Resources, Shingling
from twinset.report.manifest import plan_of
from twinset.spec import name_of
from twinset.text import words
from twinset.text.statistics import Statistics
from twinset.text.tokens import WHOLE, Cleaning, Tokens

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from twinset.report.results import Results

Kind = Literal["passages", "words"]
SPELT = ("minhash", "exact", "bottom", "lexical", "decomposition", "simhash")


@dataclass(frozen=True)
class Spelt:
    """A document in units; feature ``i`` is the run of ``length`` units from ``starts[i]`` on.

    The units are read when they are asked for: of most documents only the features are.
    """

    read: Callable[[], list[str]]
    starts: Ints
    features: Features
    length: int
    glue: str = " "

    @cached_property
    def units(self) -> list[str]:
        """The words or characters, in order."""
        return self.read()

    @cached_property
    def distinct(self) -> Features:
        """The features as a sorted set."""
        return _kernels.sorted_unique(self.features)

    def run(self, first: int, last: int) -> str:
        """The units from one start to the end of the run at another."""
        return self.glue.join(self.units[first : last + self.length])

    def covered(self, chosen: NDArray[np.bool_]) -> int:
        """How many units the chosen features cover together."""
        change = np.zeros(len(self.units) + self.length + 1, np.int64)
        np.add.at(change, self.starts[chosen], 1)
        np.add.at(change, self.starts[chosen] + self.length, -1)
        return int((np.cumsum(change)[: len(self.units)] > 0).sum())


@dataclass(frozen=True, slots=True)
class ShingleSpelling:
    """Runs of words, or of the characters of the words joined by spaces."""

    length: int
    step: int = 1
    by_char: bool = False
    cleaning: Cleaning = WHOLE
    kind: Kind = "passages"

    def spell(self, text: str) -> Spelt:
        """The document with its shingles in order."""
        tokens = self.cleaning.tokens([text], 1)
        read: Callable[[], list[str]]
        if self.by_char:
            joined = tokens.text(0)
            read, glue = partial(list, joined.decode()), ""
            ends = np.array([0, len(joined)], np.int64)
            characters = _kernels.characters(np.frombuffer(joined, np.uint8), ends, 1)
            hashes, _ = _kernels.unit_shingles(*characters, self.length, False, False, 1)
        else:
            read, glue = partial(_words, tokens), " "
            hashes, _ = tokens.shingles(self.length, unique=False)
        starts = np.arange(0, len(hashes), self.step)
        features = np.ascontiguousarray(hashes[:: self.step])
        return Spelt(read, starts, features, self.length, glue)

    def spans(self, text: str, document: Spelt) -> list[tuple[int, int]]:
        """For each word where it stands in the text; empty where that cannot be told."""
        if self.by_char or self.cleaning != WHOLE:
            return []
        pieces = list(re.finditer(r"\S+", text))
        inside = words([piece.group() for piece in pieces])
        found = [
            span for piece, row in zip(pieces, inside, strict=True) for span in _placed(piece, row)
        ]
        return found if len(found) == len(document.units) else []


@dataclass(frozen=True, slots=True)
class WordSpelling:
    """Distinct words, as far as they belong to the lexical image."""

    search: Any
    kind: Kind = "words"

    def spell(self, text: str) -> Spelt:
        """The words of the image in order of first appearance."""
        found = self.search.method.cleaning().tokens([text], 1).distinct().items
        units = [found.text(item) for item in range(len(found.starts))]
        values, offsets, _ = self.search.extract(units, 1) if units else _NOTHING
        inside = np.flatnonzero(np.diff(offsets))
        chosen = [units[i] for i in inside]
        return Spelt(lambda: chosen, np.arange(len(inside)), values, 1)

    def spans(self, text: str, document: Spelt) -> list[tuple[int, int]]:
        """Words are told as they are compared."""
        return []


_NOTHING = (np.empty(0, np.uint64), np.zeros(1, np.int64), np.empty(0, np.int64))
Spelling = ShingleSpelling | WordSpelling


def spelling_of(results: Results) -> Spelling:
    """How the method of a report cuts documents up; a message where features are no text."""
    plan = plan_of(results.manifest)
    method: Any = plan.method
    if isinstance(method, Lexical):
        if "statistics" not in results.more:
            raise ReportError(
                "the report lacks statistics.parquet, without which the words of its documents "
                "are not known; run again with --force"
            )
        return WordSpelling(_lexical(plan, results.more["statistics"]))
    if isinstance(method, Shingling):
        return ShingleSpelling(method.shingle, method.offset, method.unit == "char")
    if isinstance(method, Decomposition | SimHash):
        return ShingleSpelling(method.shingle, cleaning=method.cleaning())
    name = name_of("method", method)
    raise ReportError(
        f"the features of the method {name} are keys or weights, not passages, and cannot be "
        f"turned back into text; this works for {', '.join(SPELT)}"
    )


def _lexical(plan: Plan, statistics: Any) -> Any:
    goal = Goal(plan.measure, plan.threshold, plan.recall, 1)
    try:
        known = Statistics.of_table(statistics)
    except (KeyError, ValueError) as fault:
        raise ReportError(
            f"statistics.parquet of the report is damaged: it does not tell {fault}; "
            "run again with --force"
        ) from None
    return plan.method.search(goal, Resources.make(threads=1), known)


def _words(tokens: Tokens) -> list[str]:
    text = tokens.bytes.tobytes()
    bounds = zip(tokens.starts.tolist(), tokens.ends.tolist(), strict=True)
    return [text[a:b].decode() for a, b in bounds]


def _placed(piece: re.Match[str], row: list[str]) -> list[tuple[int, int]]:
    """Where the words of a piece without blanks stand; marks at its ends go with them.

    A word that does not stand there as it is spelt, for its accents or its letters, gets all of it.
    """
    start, stop = piece.span()
    if len(row) < 2:
        return [(start, stop)] * len(row)
    folded, at, found = piece.group().lower(), 0, []
    for word in row:
        begin = folded.find(word, at)
        if begin < 0 or len(folded) != stop - start:
            return [(start, stop)] * len(row)
        at = begin + len(word)
        found.append((start + begin, start + at))
    found[0], found[-1] = (start, found[0][1]), (found[-1][0], stop)
    return found
