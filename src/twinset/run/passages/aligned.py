"""Passages that documents of two sides share, each verified.

The kernels make chains of equal runs of words (``reuse_chains.hpp``). A chain of one run is a
passage as it is. Another one is a passage if the edit similarity of its two stretches, as words
joined by single spaces, reaches the threshold; otherwise it is divided at its widest gaps, and the
parts are looked at in the same way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from twinset import _kernels
from twinset.finding.verify.edit import edit_similarities
from twinset.model import Features, Floats, Ints
from twinset.run.passages.options import ReuseOptions
from twinset.text.arrow import Texts
from twinset.text.tokens import WHOLE

Data = tuple[NDArray[np.uint8], Ints]
AT_ONCE = 256
"""Documents that are aligned at once: until they are rows, passages are Python objects."""
KINDS: tuple[Any, ...] = (*[np.int64] * 6, np.float64, np.bool_, *[np.int64] * 4)


@dataclass(frozen=True, slots=True)
class Words:
    """The words of some documents as they are compared: hashes, and the text of any of them."""

    hashes: Features
    offsets: Ints
    bytes: NDArray[np.uint8]
    ends: Ints

    @classmethod
    def of(cls, texts: Texts, threads: int) -> Words:
        tokens = WHOLE.tokens(texts, threads)
        return cls(tokens.hashes, tokens.offsets, tokens.bytes, tokens.ends)

    @classmethod
    def joined(cls, parts: list[Words]) -> Words:
        """Documents of several batches behind each other."""
        if len(parts) == 1:
            return parts[0]
        words = np.cumsum([0, *(len(part.hashes) for part in parts)])
        lengths = np.cumsum([0, *(len(part.bytes) for part in parts)])
        return cls(
            np.concatenate([np.empty(0, np.uint64), *(part.hashes for part in parts)]),
            np.concatenate(
                [[0], *(part.offsets[1:] + before for part, before in zip(parts, words))]  # noqa: B905
            ).astype(np.int64),
            np.concatenate([np.empty(0, np.uint8), *(part.bytes for part in parts)]),
            np.concatenate(
                [
                    np.empty(0, np.int64),
                    *(part.ends + before for part, before in zip(parts, lengths)),  # noqa: B905
                ]
            ),
        )

    @property
    def lengths(self) -> Ints:
        """How many words each document has."""
        return np.diff(self.offsets)

    def text(self, document: int, begin: int, past: int) -> str:
        """Some words of a document, joined by single spaces."""
        first = int(self.offsets[document]) + begin
        last = int(self.offsets[document]) + past - 1
        start = int(self.ends[first - 1]) + 1 if first else 0
        return self.bytes[start : int(self.ends[last])].tobytes().decode()


class AlignedStretch(NamedTuple):
    """Words of both documents, and the runs of equal words in them: (left, right, size)."""

    left: int
    left_end: int
    right: int
    right_end: int
    runs: NDArray[np.int64]

    @property
    def is_exact(self) -> bool:
        """Whether all words are the same."""
        first: tuple[int, ...] = tuple(self.runs[0].tolist())
        size = self.left_end - self.left
        return first == (self.left, self.right, size) and self.right_end - self.right == size

    @property
    def words(self) -> int:
        """Those of the side that has fewer."""
        return min(self.left_end - self.left, self.right_end - self.right)

    def parts(self) -> Iterator[AlignedStretch]:
        """The stretch divided at its widest gaps; one with a single run becomes that run."""
        runs = self.runs
        ends = runs[:-1, :2] + runs[:-1, 2:]
        gaps = (runs[1:, :2] - ends).max(axis=1, initial=0)
        if not len(gaps):
            left, right, size = runs[0].tolist()
            yield AlignedStretch(left, left + size, right, right + size, runs)
            return
        cuts = np.flatnonzero(gaps == gaps.max()) + 1
        left, right = self.left, self.right
        for part, cut in zip(np.split(runs, cuts), [*cuts.tolist(), None], strict=True):
            left_end, right_end = self.left_end, self.right_end
            if cut is not None:
                left_end, right_end = ends[cut - 1].tolist()
            yield AlignedStretch(left, left_end, right, right_end, part)
            if cut is not None:
                left, right, _ = runs[cut].tolist()


class Aligned(NamedTuple):
    """Verified passages as columns.

    Numbers of both documents, words from ``left_word`` to before ``left_past`` and those on the
    right, the score, whether all words are the same, and characters of the texts as stored.
    """

    left: Ints
    right: Ints
    left_word: Ints
    left_past: Ints
    right_word: Ints
    right_past: Ints
    score: Floats
    exact: NDArray[np.bool_]
    left_start: Ints
    left_end: Ints
    right_start: Ints
    right_end: Ints

    def turned(self) -> Aligned:
        other = {"left": "right", "right": "left"}
        names = (name.partition("_") for name in self._fields)
        return Aligned(
            *(getattr(self, other.get(side, side) + line + rest) for side, line, rest in names)
        )

    def ordered(self) -> Aligned:
        """By left document, right document and left place."""
        return self.taken(np.lexsort((self.left_word, self.right, self.left)))

    def taken(self, rows: Any) -> Aligned:
        """Some of them: a slice, or numbers."""
        columns: list[Any] = [column[rows] for column in self]
        return Aligned(*columns)

    def left_placed(self, texts: Data, first: int = 0) -> Aligned:
        """With the characters of left documents, which are numbered from ``first`` on."""
        start, end = _characters(texts, self.left - first, self.left_word, self.left_past)
        return self._replace(left_start=start, left_end=end)

    @classmethod
    def joined(cls, parts: Iterable[Aligned]) -> Aligned:
        """Several of them behind each other."""
        columns = list(zip(*parts, strict=True)) or [()] * len(KINDS)
        return cls(
            *(
                np.concatenate([np.empty(0, kind), *column])
                for column, kind in zip(columns, KINDS, strict=True)
            )
        )


def _characters(texts: Data, document: Ints, word: Ints, past: Ints) -> tuple[Ints, Ints]:
    """The characters from the first of some words to the last."""
    edges = np.concatenate([np.stack([document, word]), np.stack([document, past - 1])], axis=1)
    names, number = np.unique(edges, axis=1, return_inverse=True)
    start, end = _kernels.word_places(
        *texts, np.ascontiguousarray(names[0]), np.ascontiguousarray(names[1])
    )
    first, last = np.split(number.reshape(-1), 2)
    return start[first], end[last]


def align(
    index: _kernels.ReuseIndex, indexed: Words, others: Words, options: ReuseOptions
) -> Aligned:
    """The passages that some documents share with those of the index, which are on the left."""
    firsts = range(0, len(others.offsets) - 1, AT_ONCE)
    return Aligned.joined(_align(index, indexed, others, first, options) for first in firsts)


def _align(
    index: _kernels.ReuseIndex, indexed: Words, others: Words, first: int, options: ReuseOptions
) -> Aligned:
    """The same of the documents from ``first`` on, as many as are aligned at once."""
    left, right, *bounds, ends, run_left, run_right, size = index.search(
        others.hashes, others.offsets[first : first + AT_ONCE + 1], options.least, options.gap
    )
    right = right + first
    runs = np.split(np.column_stack([run_left, run_right, size]), ends[:-1])
    pairs = list(zip(left.tolist(), right.tolist(), strict=True))
    places = zip(*(column.tolist() for column in bounds), strict=True)
    pending = [
        (pair, AlignedStretch(a, b, c, d, equal))
        for pair, (a, b, c, d), equal in zip(pairs, places, runs[: len(pairs)], strict=True)
    ]
    need = np.minimum(indexed.lengths[left], others.lengths[right])
    needs = dict(zip(pairs, need.tolist(), strict=True))
    rows: list[tuple[float | int | bool, ...]] = []
    while pending:
        edited = [one for one in pending if not one[1].is_exact]
        rows += [(*pair, *one[:4], 1.0, True) for pair, one in pending if one.is_exact]
        texts = [
            (
                indexed.text(pair[0], one.left, one.left_end),
                others.text(pair[1], one.right, one.right_end),
            )
            for pair, one in edited
        ]
        scores = edit_similarities(texts, options.threshold, 1).tolist()
        pending = []
        for (pair, one), score in zip(edited, scores, strict=True):
            if score >= options.threshold:
                rows.append((*pair, *one[:4], score, False))
                continue
            least = max(options.shingle, min(options.least, needs[pair]))
            pending += [(pair, part) for part in one.parts() if part.words >= least]
    columns = list(zip(*(row + (0,) * 4 for row in rows), strict=True)) or [()] * len(KINDS)
    return Aligned(*map(np.array, columns, KINDS))
