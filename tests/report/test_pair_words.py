"""Two texts in words: the same facts in both languages, and marks that lose no word."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from twinset.finding.verify.diff import text_diff
from twinset.finding.verify.side_by_side import side_by_side
from twinset.result.pair_rows import CONTEXT, difference_in_words, kind_in_words, marked_words

WORDS = st.lists(st.sampled_from("abcdefg"), max_size=20)


def test_differences_are_counted_and_named() -> None:
    assert difference_in_words(side_by_side("a b", "a  b")) == "Word for word the same."
    side = side_by_side("paid on 5 May", "paid on 6 June")
    assert difference_in_words(side) == "1 difference; differ in numbers and dates only."
    assert difference_in_words(side, "ru") == "1 различие; различаются только числа и даты."


def test_what_was_added_and_dropped_is_said() -> None:
    phrases = [("rent is 10", "12"), ("old", ""), ("", "new")]
    assert kind_in_words("revision", phrases) == (
        "Another version: rent is 10 → 12; dropped: old; added: new."
    )
    assert kind_in_words("equal-words", [], "ru").endswith(".")


@given(WORDS, WORDS)
def test_marks_enclose_what_only_one_has(left: list[str], right: list[str]) -> None:
    pieces = list(marked_words(text_diff(" ".join(left), " ".join(right)).runs()))
    sides: dict[str, list[str]] = {"left": [], "right": []}
    for change, words in pieces:
        bare = words[2:-2] if change != "same" else words
        for side in sides:
            if change in ("same", side):
                sides[side] += bare.split()
    assert sides == {"left": left, "right": right}


def test_long_equal_runs_are_shortened() -> None:
    text = " ".join(f"w{n}" for n in range(100))
    ((change, words),) = marked_words(text_diff(text, text).runs())
    assert change == "same"
    assert f"… {100 - 2 * CONTEXT} equal words …" in words
    assert len(words.split()) == 2 * CONTEXT + 5
