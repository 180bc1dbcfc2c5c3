"""A pair's signals as sentences: what a person is told of two documents before reading them.

`facts_of` says what is worth saying as keys and values, `in_words` says it in a language; the
sentences are those of ``pages/sentences``, under ``signals``. `facts_beside` does with what a
report knows, where the neighbours of the documents are not at hand.

A report does not keep the neighbours of its documents. It lists pairs with their scores, and its
documents can be read again: a sample of them says which words are rare.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset.finding.signals.base import ProfiledPairs, Profiles, View
from twinset.finding.signals.similarities import (
    SAID,
    CommonOrder,
    common_order,
    containment,
    idf_of_differences,
    jaccard,
    length_ratio,
)
from twinset.finding.signals.standing import SLACK, others_of
from twinset.model import Floats, Ints
from twinset.pages.language import number, percent, say
from twinset.text.terms import idf
from twinset.text.tokens import WHOLE

SAMPLE = 256
"""Documents that are looked at for how rare a word is."""
SAMPLE_CHARACTERS = 1 << 20
LEAST_SAMPLE = 20
"""Documents without which nothing is said of rare words."""


@dataclass(frozen=True, slots=True)
class ListedScores:
    """The score of a listed pair, and those of the other listed pairs of each of its documents."""

    score: float
    others: tuple[Floats, Floats]

    @classmethod
    def of(
        cls, scores: Floats, with_left: NDArray[np.bool_], with_right: NDArray[np.bool_]
    ) -> ListedScores | None:
        """From all scores and the rows that hold either document; None for a pair not listed."""
        own = np.flatnonzero(with_left & with_right)
        if len(own) != 1:
            return None
        others = scores[with_left & ~with_right], scores[with_right & ~with_left]
        return cls(float(scores[own[0]]), others)

    def outstanding(self) -> tuple[float, int]:
        """By how many deviations it stands out from the others of an end, and how many these are.

        Of the two ends the one from which it stands out further counts.
        """
        ends = [scores for scores in self.others if len(scores)]
        deviations = [
            ((self.score - float(scores.mean())) / (float(scores.std()) + SLACK), len(scores))
            for scores in ends
        ]
        return max(deviations, default=(0.0, 0))

    def as_similar(self) -> int:
        """Other documents that are listed with an end as at least as similar to it."""
        return max(int((scores >= self.score).sum()) for scores in self.others)


@dataclass(frozen=True, slots=True)
class WordSample:
    """In how many of some documents each word is; ``words`` are hashes, ascending."""

    documents: int
    words: NDArray[np.uint64]
    df: Ints

    @classmethod
    def of(cls, texts: Sequence[str]) -> WordSample | None:
        """From texts, as many as the bound of characters allows; None where these are too few."""
        ends = np.cumsum([len(text) for text in texts])
        few = texts[: int(np.searchsorted(ends, SAMPLE_CHARACTERS, "right"))]
        if len(few) < LEAST_SAMPLE:
            return None
        hashes = [
            np.unique(words) for words in WHOLE.tokens(pa.array(few, pa.large_string()), 1).words
        ]
        words, df = np.unique(np.concatenate(hashes), return_counts=True)
        return cls(sum(1 for own in hashes if len(own)), words, df)

    def rarity(self, words: NDArray[np.uint64]) -> float:
        """The mean idf of these words, as a share of that of a word of one document alone."""
        df = np.ones(len(words), np.int64)
        if len(self.words):
            place = np.minimum(np.searchsorted(self.words, words), len(self.words) - 1)
            df = np.where(self.words[place] == words, self.df[place], 1)
        rarest = float(idf(np.array([1]), self.documents)[0])
        return float(idf(df, self.documents).mean()) / rarest


def sampled(documents: int) -> Ints:
    """Numbers of documents spread evenly over all."""
    step = max(documents / SAMPLE, 1.0)
    numbers: Ints = np.arange(0, documents, step).astype(np.int64)[:SAMPLE]
    return numbers


MOST = 4
"""Sentences about a pair: more are not read."""
OUTSTANDING = 3.0
LEAST_OTHERS = 5
CROWDED, AS_NEAR = 0.3, 0.05
HELD, SHORTER, MUCH_SHORTER = 0.8, 0.8, 0.5
SAME_WORDS, OTHER_ORDER = 0.9, 0.6
AS_IN_SCANS = 0.1
ENOUGH = ("empty", "same")
"""Facts that leave nothing more to say."""
ALIKE = 0.5  # of the words, where it is worth saying which ones differ
RARE, USUAL = 0.75, 0.5  # of the idf of a word that one document alone has
RARE_IN_SAMPLE = 0.9


@dataclass(frozen=True, slots=True)
class Fact:
    """What is worth saying of a pair: the key of a sentence and the values in it.

    A share of one is under ``share``; ``n`` is a count.
    """

    key: str
    values: dict[str, Any]


def in_words(profiles: Profiles, left: int, right: int, language: str = "en") -> list[str]:
    """What is worth saying of a pair, the most telling first."""
    return said(facts_of(profiles, left, right), language)


def said(facts: Iterable[Fact], language: str = "en") -> list[str]:
    """Facts as sentences."""
    return [_said(fact, language) for fact in facts]


def facts_of(profiles: Profiles, left: int, right: int) -> list[Fact]:
    """What is worth saying of a pair, the most telling first, as plain data."""
    pairs = ProfiledPairs(profiles, np.array([left]), np.array([right]), 1)
    return _facts(pairs, lambda: _standing(pairs), lambda: _rarity(pairs))


def facts_beside(
    profiles: Profiles,
    left: int,
    right: int,
    listed: ListedScores | None = None,
    sample: WordSample | None = None,
) -> list[Fact]:
    """The same of documents whose collection is not at hand.

    How the pair stands is said by the pairs ``listed`` with it, which words are rare by a
    ``sample``, and neither without them.
    """
    pairs = ProfiledPairs(profiles, np.array([left]), np.array([right]), 1)
    return _facts(pairs, lambda: _listed(listed), lambda: _rarity_in(sample, pairs))


def _facts(
    pairs: ProfiledPairs, standing: Callable[[], list[Fact]], rarity: Callable[[], list[Fact]]
) -> list[Fact]:
    difference = _difference(pairs)
    if difference and difference[0].key in ENOUGH:
        return difference
    facts = [*difference, *standing(), *_extent(pairs)]
    if not difference and _one(jaccard("words1", pairs)) >= ALIKE:
        facts += rarity()
    return [*facts, _same_order(pairs)][:MOST]


def _said(fact: Fact, language: str) -> str:
    values = dict(fact.values)
    if "share" in values:
        values["share"] = percent(language, _rounded(values["share"]))
    if "times" in values:
        values["times"] = number(language, values["times"], 1)
    return say(language, f"signals.{fact.key}", **values)


def _rounded(share: float) -> float:
    """In hundredths; all or nothing only where it is."""
    return share if share in (0, 1) else min(max(round(share, 2), 0.01), 0.99)


def _one(column: Floats) -> float:
    return float(column[0])


def _differing(pairs: ProfiledPairs, view: View) -> int:
    """Terms that one of the two has and the other has not."""
    left, right = pairs.both(pairs.view(view).sizes)
    return int((left + right - 2 * pairs.shared(view).terms)[0])


def _difference(pairs: ProfiledPairs) -> list[Fact]:
    """What the difference consists of."""
    left, right = (pairs.profiles.words[int(end[0])] for end in (pairs.left, pairs.right))
    if not len(left) and not len(right):
        return [Fact("empty", {})]
    if np.array_equal(left, right):
        return [Fact("same", {})]
    words = _differing(pairs, "words1")
    if words and words == _differing(pairs, "numbers") and _only_numbers_move(pairs):
        return [Fact("only_numbers", {"n": words})]
    same_words, order = _one(jaccard("words1", pairs)), _order(pairs)
    if same_words >= SAME_WORDS and order.whole and order.share <= OTHER_ORDER:
        return [Fact("another_order", {"share": same_words})]
    if _one(jaccard("folded5", pairs)) - same_words >= AS_IN_SCANS:
        return [Fact("letters", {})]
    return []


def _only_numbers_move(pairs: ProfiledPairs) -> bool:
    """Whether no more words are out of order than there are numbers, in either document."""
    order, numbers = _order(pairs), pairs.both(pairs.profiles.numbers.lengths)
    return order.whole and all(
        words - order.common <= own[0] for words, own in zip(order.words, numbers, strict=True)
    )


def _same_order(pairs: ProfiledPairs) -> Fact:
    """How many words are the same, in the same order; and of how many, where not of all."""
    order = _order(pairs)
    if order.whole:
        return Fact("order", {"share": order.share})
    return Fact("order_of_first", {"share": order.share, "words": SAID})


def _order(pairs: ProfiledPairs) -> CommonOrder:
    left, right = (pairs.profiles.words[int(end[0])] for end in (pairs.left, pairs.right))
    order: CommonOrder = pairs.once("common order", lambda: common_order(left, right))
    return order


def _standing(pairs: ProfiledPairs) -> list[Fact]:
    """How the pair stands among the neighbours of its documents."""
    cosines, *ends = others_of(pairs, "folded5")
    deviations = [_one((cosines - end.mean) / (end.deviation + SLACK)) for end in ends]
    place = int(np.argmax(deviations))
    others = int(ends[place].count[0])
    if deviations[place] >= OUTSTANDING and others >= LEAST_OTHERS:
        return [Fact("stands_out", {"n": others, "sigma": round(deviations[place])})]
    near, *crowds = others_of(pairs, "words2")
    if any(_one(crowd.density) >= max(CROWDED, _one(near) - AS_NEAR) for crowd in crowds):
        return [Fact("crowd", {})]
    return []


def _listed(listed: ListedScores | None) -> list[Fact]:
    """How the pair stands among the other pairs that are listed of its documents."""
    if listed is None:
        return []
    deviations, others = listed.outstanding()
    if deviations >= OUTSTANDING and others >= LEAST_OTHERS:
        return [Fact("stands_out_listed", {"n": others, "sigma": round(deviations)})]
    if (near := listed.as_similar()) >= LEAST_OTHERS:
        return [Fact("crowd_listed", {"n": near})]
    return []


def _extent(pairs: ProfiledPairs) -> list[Fact]:
    """How far one holds the other."""
    lengths, held = _one(length_ratio(pairs)), _one(containment(pairs))
    if held >= HELD and lengths <= SHORTER:
        return [Fact("holds", {"share": held})]
    if 0 < lengths <= MUCH_SHORTER:
        return [Fact("longer", {"times": 1 / lengths})]
    return []


def _rarity(pairs: ProfiledPairs) -> list[Fact]:
    """Whether names or common words differ."""
    documents = max(pairs.view("words1").documents, 1)
    rarest = float(np.log((1 + documents) / 2) + 1)
    rarity = _one(idf_of_differences(pairs)) / rarest
    return _rare_or_usual(rarity, RARE)


def _rarity_in(sample: WordSample | None, pairs: ProfiledPairs) -> list[Fact]:
    left, right = (
        np.unique(pairs.profiles.words[int(end[0])]) for end in (pairs.left, pairs.right)
    )
    differing = np.setxor1d(left, right, assume_unique=True)
    if sample is None or not len(differing):
        return []
    return _rare_or_usual(sample.rarity(differing), RARE_IN_SAMPLE)


def _rare_or_usual(rarity: float, rare: float) -> list[Fact]:
    if rarity >= rare:
        return [Fact("rare_words", {})]
    return [Fact("usual_words", {})] if 0 < rarity <= USUAL else []
