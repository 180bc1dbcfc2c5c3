"""Cleaned words as arrays: what the methods that weigh words and sentences work on.

A document's words lie in one array of bytes with a space after each, so that a word, a sentence and
a whole document are all slices of it. `Items` are such slices, document by document.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from twinset import _kernels
from twinset.model import FeatureLists, Features, Floats, Ints, Ragged, offsets_of
from twinset.text import stopwords
from twinset.text.arrow import Texts, arrow_text

Checksum = Literal["crc32", "hash64"]
Text = bytes


@dataclass(frozen=True, slots=True)
class Cleaning:
    """Which words are left out: stop words of some languages and words of fewer letters."""

    stop: str = "en+ru"
    letters: int = 4

    def faults(self) -> list[str]:
        """What is wrong with these options, as sentences."""
        return stopwords.faults(self.stop)

    def tokens(
        self, texts: Texts, threads: int, *, sentences: bool = False, keep_stopped: bool = False
    ) -> Tokens:
        """The words of texts; ``keep_stopped`` marks stop words in place of dropping them."""
        arrays = _kernels.tokens(
            *arrow_text(texts),
            self.letters,
            stopwords.stop_hashes(self.stop),
            keep_stopped,
            sentences,
            threads,
        )
        return Tokens(*arrays, threads)


WHOLE = Cleaning("none", 0)
FEW_LETTERS = 4
WHOLE_SENTENCE = 1 << 62
"""A length that no sentence reaches: each is one run, the whole of it."""


@dataclass(frozen=True)
class Tokens:
    """Cleaned words of a batch; word i is ``bytes[starts[i]:ends[i]]``, offsets are documents'."""

    bytes: NDArray[np.uint8]
    ends: Ints
    hashes: Features
    letters: NDArray[np.int32]
    stopped: NDArray[np.uint8]
    offsets: Ints
    sentence_first: Ints
    sentence_offsets: Ints
    threads: int = 1

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @cached_property
    def starts(self) -> Ints:
        """Where each word begins."""
        return np.concatenate([[0], self.ends[:-1] + 1]) if len(self.ends) else self.ends

    @property
    def lengths(self) -> Ints:
        """Words of each document."""
        return np.diff(self.offsets)

    @cached_property
    def sentences(self) -> Items:
        """The sentences that have words left."""
        first = self.sentence_first
        last = np.append(first, len(self.ends))[1:] - 1
        return Items(
            self.bytes, self.starts[first], self.ends[last], self.sentence_offsets, self.threads
        )

    @cached_property
    def sentence_words(self) -> Ints:
        """Words of each sentence."""
        bounds: Ints = np.append(self.sentence_first, len(self.ends))
        return np.diff(bounds)

    @property
    def words(self) -> FeatureLists:
        """The hashes of the words of each document, in order."""
        return Ragged(self.hashes, self.offsets)

    def with_digit(self) -> NDArray[np.bool_]:
        """Which words hold a digit from 0 to 9."""
        digits = np.flatnonzero((self.bytes >= ord("0")) & (self.bytes <= ord("9")))
        holds = np.zeros(len(self.ends), bool)
        holds[np.searchsorted(self.ends, digits, "right")] = True
        return holds

    def codes(self) -> FeatureLists:
        """The hashes of words of letters and digits, such as model numbers.

        A few letters before a word that begins with a digit belong to it: WH-1000XM4 is one code,
        however it is written.
        """
        digits = np.flatnonzero((self.bytes >= ord("0")) & (self.bytes <= ord("9")))
        inside = np.bincount(np.searchsorted(self.ends, digits, "right"), minlength=len(self.ends))
        size = self.ends - self.starts
        few = np.append(False, (inside == 0) & (self.letters <= FEW_LETTERS))[: len(size)]
        few[self.offsets[:-1][self.lengths > 0]] = False  # of another document
        first = self.bytes[self.starts]
        joined = few & (first >= ord("0")) & (first <= ord("9"))
        whole = joined | ((inside > 0) & (inside < size))
        # A space follows each word: without them, a word begins as many places before.
        words = np.flatnonzero(whole)
        begin = words - joined[words]
        bounds = self.starts[begin] - begin, self.ends[words] - words
        hashes = _kernels.slice_hashes(self.bytes[self.bytes != ord(" ")], *bounds, self.threads)
        return Ragged(hashes, offsets_of(whole)[self.offsets])

    def distinct(self, entries: bool = False) -> Distinct:
        """The distinct words of each document; with ``entries``, for each word which one it is."""
        first, times, offsets, entry = _kernels.distinct(
            self.hashes, self.offsets, entries, self.threads
        )
        return Distinct(self, first, times, offsets, entry)

    def shingles(self, length: int, *, wrap: bool = False, unique: bool = True) -> FeatureLists:
        """Runs of words, as sorted sets or in order; a shorter document is one run."""
        return Ragged(
            *_kernels.unit_shingles(self.hashes, self.offsets, length, wrap, unique, self.threads)
        )

    def grams(self, length: int) -> FeatureLists:
        """Runs of characters of the words joined by spaces, in order."""
        units = _kernels.characters(self.bytes[: self.text_offsets[-1]], self.text_offsets, 1)
        return Ragged(*_kernels.unit_shingles(*units, length, False, False, self.threads))

    def sentence_runs(self, length: int) -> FeatureLists:
        """Runs of sentences, in order; the hash of a sentence is the run of all its words."""
        bounds: Ints = np.append(self.sentence_first, len(self.hashes)).astype(np.int64)
        whole = (WHOLE_SENTENCE, False, False, self.threads)
        hashes, _ = _kernels.unit_shingles(self.hashes, bounds, *whole)
        run = (length, False, False, self.threads)
        return Ragged(*_kernels.unit_shingles(hashes, self.sentence_offsets, *run))

    @cached_property
    def text_offsets(self) -> Ints:
        """Where the documents begin in the bytes; each but an empty one ends with a space."""
        if not len(self.ends):
            return np.zeros(len(self.offsets), np.int64)
        return np.where(self.offsets > 0, self.ends[self.offsets - 1] + 1, 0).astype(np.int64)

    def text(self, document: int) -> Text:
        """The words of a document joined by spaces."""
        begin, end = self.text_offsets[document], self.text_offsets[document + 1]
        return self.bytes[begin:end].tobytes().rstrip(b" ")


@dataclass(frozen=True)
class Items:
    """Slices of bytes, document by document."""

    bytes: NDArray[np.uint8]
    starts: Ints
    stops: Ints
    offsets: Ints
    threads: int = 1

    def heaviest(self, weights: Floats, most: int, ties: Features | None = None) -> Chosen:
        """Up to ``most`` items of greatest weight; ties alphabetical, or by ``ties``."""
        broken = np.empty(0, np.uint64) if ties is None else ties
        chosen, offsets = _kernels.heaviest(
            self.bytes,
            self.starts,
            self.stops,
            self.offsets,
            np.ascontiguousarray(weights, dtype=np.float64),
            broken,
            most,
            self.threads,
        )
        return Chosen(self, Ragged(chosen, offsets))

    def hashes(self) -> Features:
        """The hash of each item."""
        return _kernels.slice_hashes(self.bytes, self.starts, self.stops, self.threads)

    def text(self, item: int) -> str:
        """One item as text."""
        return self.bytes[self.starts[item] : self.stops[item]].tobytes().decode()


@dataclass(frozen=True)
class Chosen:
    """Some items of each document, best first."""

    items: Items
    numbers: Ragged[np.int64]

    def keys(self, checksum: Checksum) -> FeatureLists:
        """The items in alphabetical order joined by spaces, as one key; none without items."""
        items, numbers = self.items, self.numbers
        keys = _kernels.joined_keys(
            items.bytes,
            items.starts,
            items.stops,
            numbers.values,
            numbers.offsets,
            checksum == "crc32",
        )
        return one_key(keys, numbers.lengths > 0)

    def texts(self) -> list[list[str]]:
        """The items as text."""
        return [[self.items.text(item) for item in row.tolist()] for row in self.numbers]


@dataclass(frozen=True)
class Distinct:
    """Distinct words of each document with their counts (tf), in order of first appearance."""

    tokens: Tokens
    first: Ints
    tf: NDArray[np.int32]
    offsets: Ints
    entry: Ints

    @cached_property
    def hashes(self) -> Features:
        """The words' hashes."""
        return self.tokens.hashes[self.first]

    @property
    def terms(self) -> FeatureLists:
        """The words' hashes, document by document."""
        return Ragged(self.hashes, self.offsets)

    @cached_property
    def items(self) -> Items:
        """The words as slices."""
        tokens = self.tokens
        starts, stops = tokens.starts[self.first], tokens.ends[self.first]
        return Items(tokens.bytes, starts, stops, self.offsets, tokens.threads)

    @cached_property
    def sizes(self) -> Ints:
        """Distinct words of each document."""
        return np.diff(self.offsets)

    @cached_property
    def tf_max(self) -> NDArray[np.int32]:
        """For each word the count of the most frequent word of its document."""
        there = self.sizes > 0
        if not there.any():
            return self.tf
        most = np.maximum.reduceat(self.tf, self.offsets[:-1][there])
        return np.repeat(most, self.sizes[there])

    @cached_property
    def dl(self) -> Ints:
        """For each word the length of its document."""
        return np.repeat(self.tokens.lengths, self.sizes)


def one_key(keys: Features, there: NDArray[np.bool_]) -> FeatureLists:
    """Lists of one key or none."""
    return Ragged.from_lengths(np.ascontiguousarray(keys[there]), there)


def sorted_set(lists: FeatureLists, threads: int) -> FeatureLists:
    """Each list sorted, and without repetitions."""
    return Ragged(*_kernels.unit_shingles(lists.values, lists.offsets, 1, False, True, threads))
