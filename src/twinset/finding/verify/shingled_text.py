"""A text as units, its shingles in order, and where each unit stands in the text.

Runs compare hashes of shingles. To say what text they stand for, a text is cut up again in the same
way, this time in order and with the units at hand.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from twinset import _kernels
from twinset.model import Features, Ints
from twinset.plan import Unit
from twinset.text.segments import words
from twinset.text.terms import runs
from twinset.text.tokens import WHOLE, Cleaning, Tokens
from twinset.text.wording import Rewriter, hidden, reworded

Place = tuple[int, int]
"""The characters of a text from one to before another."""


@dataclass(frozen=True)
class ShingledText:
    """A text in ``units``; feature ``i`` is the run of ``length`` units from ``starts[i]`` on.

    A text with fewer units has one feature, the whole of it. Where units stand is found out when it
    is asked for: of most texts only the features are.
    """

    text: str
    starts: Ints
    features: Features
    length: int
    units: int
    read_places: Callable[[], list[Place]]

    @cached_property
    def places(self) -> list[Place]:
        """For each unit where it stands in the text."""
        return self.read_places()

    @cached_property
    def distinct(self) -> Features:
        """The features as a sorted set."""
        return _kernels.sorted_unique(self.features)

    @property
    def touching(self) -> bool:
        """Whether each shingle begins inside the one before it, or right after."""
        return len(self.starts) < 2 or bool(self.starts[1] <= self.length)

    def units_of(self, first: int, features: int = 1) -> Place:
        """The units, from one to before another, of this many consecutive features."""
        last = int(self.starts[first + features - 1])
        return int(self.starts[first]), min(last + self.length, self.units)

    def spelling(self, begin: int, end: int) -> str:
        """These units as they stand in the text, in one line."""
        return " ".join(self.text[self.places[begin][0] : self.places[end - 1][1]].split())

    def covered(self, chosen: NDArray[np.bool_]) -> int:
        """How many units the chosen features cover together."""
        change = np.zeros(self.units + self.length + 1, np.int64)
        np.add.at(change, self.starts[chosen], 1)
        np.add.at(change, self.starts[chosen] + self.length, -1)
        return int((np.cumsum(change)[: self.units] > 0).sum())


@dataclass(frozen=True, slots=True)
class Shingler:
    """Cuts texts into runs of words, of the characters of the words joined by spaces, or of
    sentences.
    """

    length: int
    step: int = 1
    unit: Unit = "word"
    cleaning: Cleaning = WHOLE
    rewriter: Rewriter | None = None

    def cut(self, text: str) -> ShingledText:
        """The text with its shingles in order."""
        masks = {} if self.rewriter is None else self.rewriter.masks
        compared = reworded([text], self.rewriter, 1)
        tokens = self.cleaning.tokens(compared, 1, sentences=self.unit == "sentence")
        hashes = runs(tokens, self.length, self.unit).values
        return ShingledText(
            text,
            np.arange(0, len(hashes), self.step),
            np.ascontiguousarray(hashes[:: self.step]),
            self.length,
            self._count(tokens),
            partial(self._places, hidden(text, masks), tokens),
        )

    def _count(self, tokens: Tokens) -> int:
        if self.unit == "char":
            return len(tokens.text(0).decode())
        return len(tokens.hashes if self.unit == "word" else tokens.sentence_first)

    def knows_places(self) -> bool:
        """Whether it says where units stand: no words are left out, no characters respelt."""
        if self.cleaning != WHOLE or self.rewriter is None:
            return self.cleaning == WHOLE
        return self.unit != "char" and self.rewriter.code is None

    def _places(self, text: str, tokens: Tokens) -> list[Place]:
        if self.unit == "char":
            return _character_places(text)
        places = [place for piece, row in _pieces(text) for place in _with_marks(piece, row)]
        if self.unit == "word":
            return places
        bounds = [*tokens.sentence_first.tolist(), len(places)]
        return [(places[first][0], places[end - 1][1]) for first, end in pairwise(bounds)]


def _pieces(text: str) -> Iterator[tuple[re.Match[str], list[str]]]:
    """The parts of a text between blanks, with their words; no word reaches beyond its part."""
    pieces = list(re.finditer(r"\S+", text))
    yield from zip(pieces, words([piece.group() for piece in pieces]), strict=True)


def _word_places(piece: re.Match[str], row: list[str]) -> list[Place]:
    """Where the words of a piece stand; empty where one is not spelt there as it is compared."""
    start, stop = piece.span()
    folded, at, places = piece.group().lower(), 0, []
    if len(folded) != stop - start:
        return []
    for word in row:
        begin = folded.find(word, at)
        if begin < 0:
            return []
        at = begin + len(word)
        places.append((start + begin, start + at))
    return places


def _with_marks(piece: re.Match[str], row: list[str]) -> list[Place]:
    """The places of the words of a piece; marks at its ends go with the first and the last."""
    start, stop = piece.span()
    places = _word_places(piece, row) if len(row) > 1 else []
    if not places:
        return [(start, stop)] * len(row)
    places[0], places[-1] = (start, places[0][1]), (places[-1][0], stop)
    return places


def _character_places(text: str) -> list[Place]:
    """The places of the characters of all words, and of what lies between two words."""
    rows: list[list[Place]] = []
    for piece, row in _pieces(text):
        places = _word_places(piece, row)
        if places:
            rows.extend([(at, at + 1) for at in range(*place)] for place in places)
        else:
            rows.extend([piece.span()] * len(word) for word in row)
    every_place = rows[0].copy() if rows else []
    for before, after in pairwise(rows):
        end, begin = before[-1][1], after[0][0]
        every_place.append((min(end, begin), max(end, begin)))
        every_place.extend(after)
    return every_place
