"""The word diff spells both texts, finds what is common, and stays fast."""

from __future__ import annotations

import random
import time
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from tests.kernels.examples import examples
from twinset.finding.verify.diff import MOST_WORDS, text_diff

TEXTS = st.lists(st.sampled_from(list("abcdefgh")), max_size=40).map(" ".join)


def spelt(left: str, right: str, without: str) -> list[str]:
    runs = text_diff(left, right).runs()
    return [word for run in runs if run.change != without for word in run.words]


@given(TEXTS, TEXTS)
@examples(200)
def test_both_texts_come_back(left: str, right: str) -> None:
    assert spelt(left, right, "right") == left.split()
    assert spelt(left, right, "left") == right.split()


@given(TEXTS)
def test_equal_texts_have_one_run(text: str) -> None:
    assert [run.change for run in text_diff(text, text).runs()] == (["same"] if text else [])


def test_a_changed_word_is_found() -> None:
    runs = text_diff("the quick brown fox jumps", "the quick red fox jumps").runs()
    assert [(run.change, run.words) for run in runs] == [
        ("same", ("the", "quick")),
        ("left", ("brown",)),
        ("right", ("red",)),
        ("same", ("fox", "jumps")),
    ]


def test_neighbouring_runs_differ() -> None:
    runs = text_diff("a b c d e f", "f e d c b a").runs()
    assert all(one.change != other.change for one, other in pairwise(runs))


def test_large_texts_stay_near_linear() -> None:
    random_ = random.Random(1)
    count = MOST_WORDS // 4
    words = [random_.choice("abcdefghij") * random_.randint(1, 4) for _ in range(count)]
    changed = [word if random_.random() > 0.05 else "other" for word in words]
    start = time.process_time()
    text_diff(" ".join(words), " ".join(changed)).runs()
    text_diff("x " * count, "y x " * count).runs()
    assert time.process_time() - start < 5


def test_no_more_than_the_first_words() -> None:
    runs = text_diff("w " * (MOST_WORDS + 10), "w").runs()
    assert sum(len(run.words) for run in runs if run.change != "right") == MOST_WORDS
