"""What a report says of a pair without the collection: never more than it knows."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest

from twinset.finding.signals import (
    ListedScores,
    Profiles,
    WordSample,
    facts_beside,
    facts_of,
    said,
    sampled,
    signal_table,
    signals_of,
)
from twinset.finding.signals.base import CAP
from twinset.finding.signals.in_words import LEAST_SAMPLE, SAMPLE, SAMPLE_CHARACTERS
from twinset.model import Floats
from twinset.text.tokens import WHOLE

STORY = "the harbour was built by three brothers who came from the north with little money"


def profiles_of(*texts: str) -> Profiles:
    return Profiles.of([pa.array(texts, pa.large_string())])


def keys(*texts: str, **more: ListedScores | WordSample | None) -> list[str]:
    return [fact.key for fact in facts_beside(profiles_of(*texts), 0, 1, **more)]  # type: ignore[arg-type]


def listed(score: float, *others: Floats) -> ListedScores:
    left, right = others
    return ListedScores(score, (np.array(left), np.array(right)))


def test_the_listed_scores_of_both_ends_leave_out_the_pair() -> None:
    left = np.array([0, 0, 0, 1, 2])
    right = np.array([1, 2, 3, 3, 3])
    scores = np.array([0.9, 0.8, 0.7, 0.6, 0.5])
    ends = [(left == end) | (right == end) for end in (0, 3)]
    known = ListedScores.of(scores, *ends)
    assert known is not None
    assert known.score == 0.7
    assert [scores.tolist() for scores in known.others] == [[0.9, 0.8], [0.6, 0.5]]
    assert ListedScores.of(scores, left == 1, right == 2) is None


def test_a_pair_stands_out_from_those_listed_with_an_end() -> None:
    others = np.array([0.5, 0.52, 0.54, 0.5, 0.52, 0.54])
    known = ListedScores(0.9, (np.array([]), others))
    deviations, count = known.outstanding()
    assert count == 6
    assert deviations == pytest.approx((0.9 - 0.52) / (float(np.std(others)) + 0.03))
    assert keys(STORY, f"{STORY} again", listed=known)[0] == "stands_out_listed"
    assert (
        "by 8 σ from 6 other documents listed"
        in said(facts_beside(profiles_of(STORY, f"{STORY} again"), 0, 1, known))[0]
    )
    few = ListedScores(0.9, (others[:4], np.array([])))
    assert "stands_out_listed" not in keys(STORY, f"{STORY} again", listed=few)


def test_a_pair_in_a_crowd_says_how_many_are_as_similar() -> None:
    known = ListedScores(0.8, (np.array([0.8, 0.9, 0.8, 0.85, 0.8, 0.7]), np.array([0.9])))
    (fact, *_) = facts_beside(profiles_of(STORY, f"{STORY} again"), 0, 1, known)
    assert (fact.key, fact.values) == ("crowd_listed", {"n": 5})
    fewer = ListedScores(0.8, (np.array([0.8, 0.9, 0.8, 0.85, 0.7]), np.array([0.9])))
    assert "crowd_listed" not in keys(STORY, f"{STORY} again", listed=fewer)


def test_rare_and_usual_words_are_those_of_the_sample() -> None:
    texts = [f"again and again a{n}x b{n}x c{n}x" for n in range(40)]
    sample = WordSample.of(texts)
    assert sample is not None
    hashes = WHOLE.tokens(pa.array(["again never a7x"], pa.large_string()), 1).words[0]
    expected = [math.log(41 / (1 + df)) + 1 for df in (40, 1, 1)]
    rarity = sample.rarity(np.sort(hashes))
    assert rarity == pytest.approx(sum(expected) / 3 / (math.log(41 / 2) + 1))
    assert "usual_words" in keys(STORY, f"{STORY} again and", sample=sample)
    assert "rare_words" in keys(STORY, f"{STORY} never", sample=sample)
    assert not {"rare_words", "usual_words"} & set(keys(STORY, f"{STORY} again and"))


def test_a_sample_is_bounded_and_large_enough() -> None:
    assert WordSample.of(["a b"] * (LEAST_SAMPLE - 1)) is None
    whole = WordSample.of(["a b"] * LEAST_SAMPLE)
    assert whole is not None
    assert whole.df.tolist() == [LEAST_SAMPLE] * 2
    assert WordSample.of(["word " * (SAMPLE_CHARACTERS // 50)] * LEAST_SAMPLE) is None
    assert sampled(3).tolist() == [0, 1, 2]
    assert sampled(0).tolist() == []
    many = sampled(10 * SAMPLE + 7)
    assert len(many) == SAMPLE
    assert many[0] == 0
    assert (np.diff(many) >= 10).all()
    assert many[-1] < 10 * SAMPLE + 7


def test_nothing_is_said_of_a_collection_that_is_not_at_hand() -> None:
    about_others = {"stands_out", "crowd", "stands_out_listed", "crowd_listed", "rare_words"}
    texts = [STORY, f"{STORY} again", *(f"{STORY} {n}" for n in range(30))]
    assert about_others & {fact.key for fact in facts_of(profiles_of(*texts), 0, 1)}
    assert not about_others & set(keys(*texts))


def test_numbers_alone_differ_only_where_the_other_words_keep_their_order() -> None:
    assert keys(f"{STORY} in 1900", f"{STORY} in 1901") == ["only_numbers", "order"]
    turned = " ".join(reversed(STORY.split()))
    assert "only_numbers" not in keys(f"{STORY} in 1900", f"{turned} in 1901")


def test_words_beyond_those_whose_order_is_compared_are_not_taken_for_the_same() -> None:
    words = [f"w{n}" for n in range(CAP)]
    assert keys(" ".join([*words, "a b c"]), " ".join([*words, "c b a"])) != ["same"]
    assert keys(" ".join([*words, "a b c"]), " ".join([*words, "a b c"])) == ["same"]


def test_signals_of_two_documents_are_those_they_have_in_any_collection() -> None:
    texts = [STORY, f"{STORY} again in 1900", *(f"{STORY} {n}" for n in range(9))]
    alone = signals_of(profiles_of(*texts[:2]), 0, 1)
    assert len(alone) == 9
    profiles, pair = profiles_of(*texts), (np.array([0]), np.array([1]))
    assert list(alone.values()) == signal_table(profiles, *pair, list(alone))[0].tolist()
