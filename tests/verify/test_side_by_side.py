"""Side by side: both texts come back, differences are found, passages that moved are linked."""

from __future__ import annotations

import random
import time

from hypothesis import given
from hypothesis import strategies as st

from tests.kernels.examples import examples
from twinset.finding.verify.side_by_side import Row, SideBySide, is_number_or_date, side_by_side

TEXTS = st.lists(st.sampled_from(["a", "b", "c d", "e.\n", "f", "gh"]), max_size=60).map(" ".join)


def words_of(side: SideBySide, which: str, kinds: tuple[str, ...]) -> list[str]:
    text = getattr(side, which)
    return [
        word
        for row in side.rows
        for piece in getattr(row, which)
        if piece.kind in kinds
        for word in text[piece.start : piece.end].split()
    ]


@given(TEXTS, TEXTS)
@examples(200)
def test_the_pieces_spell_both_texts_and_agree_where_they_say_so(left: str, right: str) -> None:
    side = side_by_side(left, right)
    every = ("same", "changed", "moved")
    assert words_of(side, "left", every) == left.split()
    assert words_of(side, "right", every) == right.split()
    same = words_of(side, "left", ("same",))
    assert same == words_of(side, "right", ("same",))
    assert len(same) == side.same
    assert side.equal == (left.split() == right.split())


def test_a_passage_that_moved_is_linked_in_both_panes() -> None:
    head = " ".join(f"h{n}" for n in range(40))
    passage = "this passage of eight words has moved away"
    tail = " ".join(f"t{n}" for n in range(40))
    side = side_by_side(f"{passage} {head} {tail}", f"{head} {tail} {passage}")
    assert words_of(side, "left", ("moved",)) == passage.split()
    assert words_of(side, "right", ("moved",)) == passage.split()
    links = {p.link for row in side.rows for p in (*row.left, *row.right) if p.kind == "moved"}
    assert links == {0}
    left, right = side.moved[0]
    assert any(p.kind == "moved" for p in side.rows[left].left)
    assert any(p.kind == "moved" for p in side.rows[right].right)


def test_a_difference_names_its_row() -> None:
    words = [f"w{n}" for n in range(1000)]
    changed = words.copy()
    changed[700] = "other"
    side = side_by_side(" ".join(words), " ".join(changed))
    assert len(side.differences) == 1
    row = side.rows[side.differences[0].row]
    assert row.differs
    assert "other" in side.right[row.right[0].start : row.right[-1].end]
    assert all(len(side.left[r.left[0].start : r.left[-1].end].split()) <= 120 for r in side.rows)


def test_numbers_and_dates_only() -> None:
    form = "The contract No. {} of {} between the parties is valid for {} days and no longer."
    one = form.format("17/3", "5 May 2023", "30")
    other = form.format("18/4", "11 June 2024", "45")
    assert side_by_side(one, other).numbers_only
    assert not side_by_side(one, other.replace("valid", "void")).numbers_only
    assert not side_by_side(one, one).numbers_only
    assert side_by_side("Договор от 5 мая 2023 г.", "Договор от 6 июня 2024 г.").numbers_only


def test_which_words_are_numbers() -> None:
    yes = ["7", "3.14", "$5", "12:30", "2024-05-01", "3rd", "2024г.", "Мая", "(June)", "№17", "10%"]
    assert all(map(is_number_or_date, yes))
    assert not any(map(is_number_or_date, ["word", "—", "covid19", "Mayor", "H2Oxyz", ""]))


def test_one_megabyte_is_compared_in_seconds() -> None:
    random_ = random.Random(3)
    words = [f"{random_.randrange(20_000):x}" for _ in range(200_000)]
    changed = [word if random_.random() > 0.01 else "new" for word in words]
    changed[1000:1000] = words[150_000:150_100]
    start = time.process_time()
    side = side_by_side(" ".join(words), " ".join(changed))
    assert time.process_time() - start < 10
    assert 0.97 < side.same / 200_000 < 1


def test_hostile_texts_are_bounded() -> None:
    """Fixed points one inside the other: a naive recursion would be as deep as the text is long."""
    count = 10_000
    one, other = ["x"], ["y"]
    for level in range(count, 0, -1):
        one += ["a", f"w{level}", f"w{level + 1}"]
        other += ["b", f"w{level}", f"w{level + 1}"]
    start = time.process_time()
    side_by_side(" ".join(one), " ".join(other))
    side_by_side("x " * 100_000, "y x " * 50_000)
    side_by_side("a b " * 33_000, "b b a " * 30_000)
    assert time.process_time() - start < 10


def test_rows_are_distinguished() -> None:
    assert not Row((), ()).differs
