"""A pair's signals as sentences: what a person is told of two documents before reading them.

`facts_of` says what is worth saying as keys and values, `in_words` says it in a language; the
sentences are those of ``pages/sentences``, under ``signals``. A report does not keep the neighbours
of its documents: what it says of two of them follows from these ``alone``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from twinset.finding.signals import similarities
from twinset.finding.signals.base import ProfiledPairs, Profiles, View
from twinset.finding.signals.standing import SLACK, others_of
from twinset.model import Floats
from twinset.pages.language import number, percent, say

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


@dataclass(frozen=True, slots=True)
class Fact:
    """What is worth saying of a pair: the key of a sentence and the values in it.

    A share of one is under ``share``; ``n`` is a count.
    """

    key: str
    values: dict[str, Any]


def in_words(
    profiles: Profiles, left: int, right: int, language: str = "en", *, alone: bool = False
) -> list[str]:
    """What is worth saying of a pair in sentences, the most telling first."""
    return [_said(fact, language) for fact in facts_of(profiles, left, right, alone=alone)]


def facts_of(profiles: Profiles, left: int, right: int, *, alone: bool = False) -> list[Fact]:
    """The same as plain data; ``alone``: nothing that depends on the other documents."""
    pairs = ProfiledPairs(profiles, np.array([left]), np.array([right]), 1)
    difference = _difference(pairs)
    if difference and difference[0].key in ENOUGH:
        return difference
    facts = [*difference, *([] if alone else _standing(pairs)), *_extent(pairs)]
    if not alone and not difference and _one(similarities.jaccard("words1", pairs)) >= ALIKE:
        facts += _rarity(pairs)
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
    same_words, order = _one(similarities.jaccard("words1", pairs)), _order(pairs)
    if same_words >= SAME_WORDS and order.whole and order.share <= OTHER_ORDER:
        return [Fact("another_order", {"share": same_words})]
    if _one(similarities.jaccard("folded5", pairs)) - same_words >= AS_IN_SCANS:
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
    return Fact("order_of_first", {"share": order.share, "words": similarities.SAID})


def _order(pairs: ProfiledPairs) -> similarities.CommonOrder:
    left, right = (pairs.profiles.words[int(end[0])] for end in (pairs.left, pairs.right))
    order: similarities.CommonOrder = pairs.once(
        "common order", lambda: similarities.common_order(left, right)
    )
    return order


def _standing(pairs: ProfiledPairs) -> list[Fact]:
    """How the pair stands among the neighbours of its documents."""
    cosines, *ends = others_of(pairs, "folded5")
    deviations = [_one((cosines - end.mean) / (end.deviation + SLACK)) for end in ends]
    place = int(np.argmax(deviations))
    others = int(ends[place].count[0])
    above = _one(cosines) > _one(ends[place].best)
    if deviations[place] >= OUTSTANDING and others >= LEAST_OTHERS and above:
        return [Fact("stands_out", {"n": others})]
    near, *crowds = others_of(pairs, "words2")
    if any(_one(crowd.density) >= max(CROWDED, _one(near) - AS_NEAR) for crowd in crowds):
        return [Fact("crowd", {})]
    return []


def _extent(pairs: ProfiledPairs) -> list[Fact]:
    """How far one holds the other."""
    lengths, held = _one(similarities.length_ratio(pairs)), _one(similarities.containment(pairs))
    if held >= HELD and lengths <= SHORTER:
        return [Fact("holds", {"share": held})]
    if 0 < lengths <= MUCH_SHORTER:
        return [Fact("longer", {"times": 1 / lengths})]
    return []


def _rarity(pairs: ProfiledPairs) -> list[Fact]:
    """Whether names or common words differ."""
    documents = max(pairs.view("words1").documents, 1)
    rarest = float(np.log((1 + documents) / 2) + 1)
    rarity = _one(similarities.idf_of_differences(pairs)) / rarest
    if rarity >= RARE:
        return [Fact("rare_words", {})]
    return [Fact("usual_words", {})] if 0 < rarity <= USUAL else []
