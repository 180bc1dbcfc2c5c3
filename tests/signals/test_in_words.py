"""What is said of pairs, in both languages."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import LCSseq

from twinset.finding.signals import Profiles, facts_of, in_words
from twinset.finding.signals.similarities import SAID, common_order
from twinset.pages.language import LANGUAGES, sentences

STORY = (
    "the harbour was built by three brothers who came from the north with little money and "
    "many plans and stayed there until the war drove them away to another country"
)
FORM = (
    "application of resident {} for a permit to park in zone {} under the rules of the town as "
    "they were last changed by its council and read aloud on the market place in spring"
)
FORMS = [FORM.format(n, n * 3) for n in range(40)]
TEXTS = [
    STORY,  # 0
    STORY,  # 1
    " ".join(reversed(STORY.split())),  # 2
    f"{STORY} {' '.join(f'unrelated{n}' for n in range(60))}",  # 3
    STORY.replace("m", "rn").replace("o", "0").replace("i", "1"),  # 4
    "",  # 5
    "...",  # 6
    *FORMS,  # 7 ...
    FORMS[0].replace("permit", "licence"),  # 47
]


@pytest.fixture(scope="module")
def profiles() -> Profiles:
    return Profiles.of([pa.array(TEXTS)])


def keys(profiles: Profiles, left: int, right: int) -> list[str]:
    return [fact.key for fact in facts_of(profiles, left, right)]


def test_the_kind_of_difference_is_named(profiles: Profiles) -> None:
    assert keys(profiles, 0, 1) == ["same"]
    assert keys(profiles, 5, 6) == ["empty"]
    assert keys(profiles, 0, 2)[0] == "another_order"
    assert keys(profiles, 0, 4)[0] == "letters"
    assert keys(profiles, 8, 9)[0] == "only_numbers"
    assert "holds" in keys(profiles, 0, 3)


def test_how_much_longer_one_is() -> None:
    longer = Profiles.of([pa.array(["a b c d", "a x y z " * 3])])
    assert "one is 3.0 times as long as the other" in in_words(longer, 0, 1)


def test_a_pair_that_stands_out_says_from_how_many(profiles: Profiles) -> None:
    facts = {fact.key: fact.values for fact in facts_of(profiles, 0, 3)}
    assert "stands_out" not in facts  # story 0 has few neighbours
    form = {fact.key: fact.values for fact in facts_of(profiles, 7, 47)}
    assert form["stands_out"]["n"] >= 5
    told = f"far more alike than to any of its {form['stands_out']['n']} other neighbours"
    assert told in in_words(profiles, 7, 47)


def test_a_pair_of_a_crowd_says_so(profiles: Profiles) -> None:
    assert "crowd" in keys(profiles, 10, 30)


def test_sides_do_not_matter(profiles: Profiles) -> None:
    for left, right in [(0, 3), (7, 47), (8, 9), (0, 20)]:
        assert facts_of(profiles, left, right) == facts_of(profiles, right, left)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_pair_can_be_said(profiles: Profiles, language: str) -> None:
    for left in range(0, len(TEXTS), 3):
        said = in_words(profiles, left, (left + 1) % len(TEXTS), language)
        assert 1 <= len(said) <= 4
        assert all("{" not in sentence and "|" not in sentence for sentence in said)
    assert any(key.startswith("signals.") for key in sentences(language))


def test_a_share_is_whole_only_where_it_is() -> None:
    words = [str(n) for n in range(1000)]
    almost = Profiles.of([pa.array([" ".join(words), " ".join(words[:-1])])])
    assert in_words(almost, 0, 1)[-1].startswith("99\u00a0%")


def numbered(first: int, last: int) -> list[str]:
    return [f"w{n}" for n in range(first, last)]


def said_of(left: list[str], right: list[str], language: str = "en") -> list[str]:
    profiles = Profiles.of([pa.array([" ".join(left), " ".join(right)])])
    return in_words(profiles, 0, 1, language)


def test_a_share_is_of_the_whole_texts() -> None:
    """And not of the 1,500 words that the signal `lcs` looks at."""
    start = numbered(0, 1800)
    same_start = said_of(start + numbered(2000, 3200), start + numbered(4000, 5200))
    assert same_start[-1] == "60\u00a0% of the words are the same, in the same order"
    body = numbered(0, 4000)
    preface = said_of(body, numbered(5000, 7000) + body)
    assert preface[-1] == "80\u00a0% of the words are the same, in the same order"


def test_only_numbers_differ_in_the_whole_texts_or_not_at_all() -> None:
    text = [f"word{'abcdefghij'[n % 10]}{'klmnopqrst'[n // 10 % 10]}" for n in range(1600)]
    tail = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta"]
    plain = said_of(["1999", *text, *tail], ["2001", *text, *tail])
    assert plain[0] == "only numbers differ, 2 of them"
    mixed = said_of(["1999", *text, *tail], ["2001", *text, *reversed(tail)])
    assert not any("only" in sentence for sentence in mixed)


def test_of_very_long_texts_it_is_said_how_many_words_were_compared() -> None:
    start = numbered(0, SAID)
    left, right = start + numbered(SAID, SAID + 9000), start + numbered(90_000, 99_000)
    assert said_of(left, right)[-1] == (
        "100\u00a0% of the first 20,000 words are the same, in the same order"
    )
    assert "первых 20\u00a0000 слов" in said_of(left, right, "ru")[-1]


@given(st.lists(st.integers(0, 4), max_size=30), st.lists(st.integers(0, 4), max_size=30))
def test_the_order_of_words_is_that_of_another_library(left: list[int], right: list[int]) -> None:
    order = common_order(np.array(left, np.uint64), np.array(right, np.uint64))
    assert order.common == LCSseq.similarity(left, right)
    assert order.words == (len(left), len(right))
    assert order.whole
