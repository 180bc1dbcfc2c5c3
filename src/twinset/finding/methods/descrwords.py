"""Descr Words: which of a few thousand chosen words are frequent in the document (A9).

Zelenkov, Segalovich 2007, sections 2 and 4.10; Ilyinsky, Kuzmin, Melkov, Segalovich: An efficient
method to detect duplicates of Web documents with the use of inverted index (WWW 2002).

A word is *above* in a document when tf/tf_max exceeds the word's own threshold; the signature is
the vector of these bits. Words and thresholds are chosen from the distribution of tf/tf_max, which
a second pass gathers: round after round (1) thresholds are set for the greatest coverage at a
bounded precision and the words of least coverage dropped, then (2) thresholds are moved to the
greatest precision at that coverage and the words of least precision dropped.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset import _kernels
from twinset.errors import PlanError
from twinset.finding.methods.base import About
from twinset.finding.methods.keys import Signature
from twinset.model import FeatureLists, Floats, Ints, Ragged
from twinset.model import compute as pc
from twinset.model.columns import column, numbers
from twinset.plan.spec import option
from twinset.text.arrow import Texts
from twinset.text.statistics import Statistics
from twinset.text.tokens import Tokens

Bools = NDArray[np.bool_]
BINS = 100
KEPT = 0.75  # of the words, in each half of a round
SLACK = 0.9  # of the coverage, that the second half of a round holds fixed


@dataclass(frozen=True, slots=True)
class DescrWords(Signature):
    """A9: one bit per descriptive word, set if the word is frequent; equal bits are duplicates.

    ``words`` is their number (0: as many as documents, from 300 to 3,000). ``candidates`` words
    of most documents take part in the choice. The precision of a threshold is the share of all
    documents whose tf/tf_max is not within ``delta`` of it, and must reach ``precision``.
    A document without a bit matches nothing.
    """

    words: int = option(
        0,
        "Number of descriptive words; 0: the number of documents, between 300 and 3,000.",
        least=0,
        most=1_000_000,
    )
    candidates: int = option(
        30_000,
        "Number of candidates: the words that are in the most documents.",
        least=1,
        most=1_000_000,
    )
    delta: float = option(
        0.05, "Distance below which tf/tf_max counts as close to a threshold.", least=0, below=1
    )
    precision: float = option(
        0.99, "Minimum share of documents that are not close to a threshold.", least=0, most=1
    )
    counts: ClassVar[bool] = True
    about: ClassVar[About] = About(
        paper="Zelenkov, Segalovich 2007, A9; Ilyinsky et al. 2002",
        named="Descr Words",
        needs="collection statistics, and a second pass for the distribution of tf/tf_max",
        cost="linear, three passes",
        use="very large collections that have a search index, its original purpose",
        avoid="small collections and short documents: few bits are set, and they agree by chance",
        published="ROMIP: recall .44, precision .77, F .56 (the authors suspect a technical fault)",
    )

    def second_survey(self, statistics: Statistics, threads: int) -> Shades:
        """The distribution of tf/tf_max."""
        return Shades(self, statistics, threads)

    def number_of_words(self, documents: int) -> int:
        """The number of descriptive words."""
        return self.words or min(max(documents, 300), 3000)

    def keys(self, tokens: Tokens, statistics: Statistics) -> FeatureLists:
        """One key for each document that has a bit."""
        if statistics.thresholds is None:
            raise PlanError(["these statistics hold no thresholds: make them with descrwords"])
        words = tokens.distinct()
        rows = statistics.frequencies.places(words.hashes, tokens.threads)
        threshold = np.where(rows >= 0, np.append(statistics.thresholds, np.nan)[rows], np.nan)
        above = (words.tf / words.tf_max > threshold).astype(np.uint8)
        return Ragged(
            *_kernels.lexicon_keys(words.hashes, words.offsets, above, 0, 0.0, 0, 1, tokens.threads)
        )


class Shades:
    """Counts for each candidate word its documents by tf/tf_max, in hundredths."""

    def __init__(self, method: DescrWords, statistics: Statistics, threads: int) -> None:
        self.method, self.statistics, self.threads = method, statistics, threads
        self.rows = by_documents(statistics)[: method.candidates]
        self.place = np.full(len(statistics.hashes) + 1, -1)  # the last for unknown words
        self.place[self.rows] = np.arange(len(self.rows))
        self.histogram = np.zeros((len(self.rows), BINS), np.int64)

    def add(self, texts: Texts) -> None:
        """Count the words of a batch."""
        words = self.method.cleaning().tokens(texts, self.threads).distinct()
        place = self.place[self.statistics.frequencies.places(words.hashes, self.threads)]
        shade = np.ceil(words.tf / words.tf_max * BINS).astype(np.int64) - 1
        there = place >= 0
        cell = place[there] * BINS + shade[there]
        self.histogram += np.bincount(cell, minlength=self.histogram.size).reshape(-1, BINS)

    def finish(self) -> Statistics:
        """The statistics with the thresholds of the chosen words."""
        n = self.statistics.documents
        chosen, edge = choose(
            self.histogram,
            n,
            self.method.number_of_words(n),
            self.method.delta,
            self.method.precision,
        )
        thresholds = np.full(len(self.statistics.hashes), np.nan)
        thresholds[self.rows[chosen]] = edge / BINS
        return dataclasses.replace(self.statistics, thresholds=thresholds)


def by_documents(statistics: Statistics) -> Ints:
    """All words, those of most documents first, ties alphabetical: what is equal stays so."""
    table = pa.table({"word": statistics.words, "df": column(statistics.df)})
    keys = [("df", "descending"), ("word", "ascending")]
    return numbers(pc.sort_indices(table, sort_keys=keys)).astype(np.int64)


def choose(
    histogram: Ints, documents: int, count: int, delta: float, floor: float
) -> tuple[Ints, Ints]:
    """Rows of the chosen words and the threshold of each, in bins."""
    coverage, precision = curves(histogram, documents, delta)
    chosen = np.arange(len(histogram))
    edge = np.zeros(len(histogram), np.int64)
    while len(chosen):
        edge = widest(coverage[chosen], precision[chosen] >= floor)
        there = coverage[chosen, edge] > 0
        chosen, edge = chosen[there], edge[there]
        chosen, edge = _drop(chosen, edge, coverage[chosen, edge], count)
        held = coverage[chosen] >= SLACK * coverage[chosen, edge][:, None]
        edge = widest(precision[chosen], held)
        chosen, edge = _drop(chosen, edge, precision[chosen, edge], count)
        if len(chosen) <= count:
            break
    return chosen, edge


def curves(histogram: Ints, documents: int, delta: float) -> tuple[Ints, Floats]:
    """For each word and threshold: documents above it, and the share that is not near it."""
    total = histogram.sum(axis=1, keepdims=True)
    below = np.concatenate([np.zeros_like(total), np.cumsum(histogram, axis=1)], axis=1)
    edges = np.arange(BINS)
    reach = round(delta * BINS)
    low, high = np.maximum(edges - reach, 0), np.minimum(edges + reach, BINS)
    near = (below[:, high] - below[:, low]).astype(np.float32)
    return total - below[:, edges], 1 - near / max(documents, 1)


def widest(values: NDArray[np.number], allowed: Bools) -> Ints:
    """The first place of each row's greatest allowed value; 0 where none is allowed."""
    place: Ints = np.where(allowed, values, -1).argmax(axis=1)
    return place


def _drop(chosen: Ints, edge: Ints, value: NDArray[np.number], count: int) -> tuple[Ints, Ints]:
    """Without the words of least value, down to ``count`` at most."""
    most = max(count, int(KEPT * len(chosen)))
    best = np.sort(np.argsort(-value, kind="stable")[:most])
    return chosen[best], edge[best]
