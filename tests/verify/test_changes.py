"""What differs in a few phrases: as a person reads it, and on any texts."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from tests.kernels.examples import examples
from tests.verify.kind_cases import FORMS, LEASE, POLICY, REVISIONS
from twinset.finding.verify.differing import LONGEST, changes

WORDS = st.lists(
    st.sampled_from(["the", "rent", "is", "10", "20", "Tom", "of", "flat", "Ann", "year"]),
    max_size=30,
)


def test_the_rent_and_the_term() -> None:
    before, after = FORMS["the rent and the term"]
    assert changes(before, after) == (("floor for six", "five"), ("rent is 10,200", "10,800"))


def test_in_russian() -> None:
    before, after = FORMS["цена договора"]
    assert changes(before, after) == (("составляет 185 000", "197 500"),)


def test_what_was_added_and_dropped_has_one_side() -> None:
    before, after = REVISIONS["a clause dropped"]
    assert changes(before, after) == (("The landlord insures the building", ""),)
    assert changes(after, before) == (("", "The landlord insures the building"),)


def test_a_long_passage_is_shortened() -> None:
    [(nothing, added)] = changes(LEASE, LEASE + "\n" + POLICY)
    assert nothing == ""
    assert added.startswith("Holiday policy Every member")
    assert added.endswith("…")
    assert len(added) <= LONGEST


def test_layout_makes_no_difference() -> None:
    assert changes(LEASE, " ".join(LEASE.split()).upper()) == ()


def test_a_moved_paragraph_is_no_change() -> None:
    first, second, third = POLICY[:150], LEASE, POLICY[150:]
    assert changes(first + "\n" + second + "\n" + third, first + "\n" + third + "\n" + second) == ()


def test_exchanged_values_come_before_other_words_where_there_is_no_room() -> None:
    before, after = FORMS["invoices to two customers"]
    assert len(changes(before, after)) == 3
    assert changes(before, after, most=1) == (("Invoice 2024-117 12", "2024-121 19"),)
    assert changes("a b c d " + before, "a x c d " + after, most=2)[0][1] != "x"


def test_a_change_in_many_places_is_said_once() -> None:
    before = ". ".join(f"The rent is 10 in {place}" for place in ("York", "Hull", "Ely", "Bath"))
    assert changes(before, before.replace("10", "12")) == (("rent is 10", "12"),)


@given(WORDS, WORDS)
@examples(150)
def test_phrases_are_words_of_the_texts(left: list[str], right: list[str]) -> None:
    phrases = changes(" ".join(left), " ".join(right), most=5)
    assert len(phrases) <= 5
    assert len(set(phrases)) == len(phrases)
    if left == right:
        assert phrases == ()
    for before, after in phrases:
        assert before or after
        for phrase, words in ((before, left), (after, right)):
            body = phrase.rstrip("…")
            assert re.search(rf"(^| ){re.escape(body)}( |$)", " ".join(words)) or not body
