"""What a report says of a pair without the collection: never more than it knows."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from twinset.finding.signals import Profiles, facts_of, signal_table, signals_of
from twinset.finding.signals.base import CAP

STORY = "the harbour was built by three brothers who came from the north with little money"


def profiles_of(*texts: str) -> Profiles:
    return Profiles.of([pa.array(texts, pa.large_string())])


def keys(*texts: str) -> list[str]:
    return [fact.key for fact in facts_of(profiles_of(*texts), 0, 1, alone=True)]


def test_nothing_is_said_of_a_collection_that_is_not_at_hand() -> None:
    about_others = {"stands_out", "crowd", "rare_words"}
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
