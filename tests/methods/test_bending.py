"""The two sides of a rule that bends, against their definition in plain Python."""

from __future__ import annotations

import math
import random
from collections import Counter
from itertools import combinations

import numpy as np
import pytest

import twinset
from tests.methods.test_tfidfcosine import rows
from twinset import _kernels
from twinset.text.segments import words

METHOD = "tfidfcosine:length=2,sublinear=yes,contained=0.95"
BENT = f"{METHOD},crowd=4,order=0.9,outstanding=3"
SLACK = 0.03


def folded(text: str) -> str:
    data = np.frombuffer(" ".join([*words([text])[0], ""]).encode(), np.uint8)
    return bytes(_kernels.folded_text(data, np.array([0, len(data)]), 1)[0]).decode()


def cosines(texts: list[str]) -> dict[tuple[int, int], float]:
    """Of folded characters, five in a row, by tf-idf."""
    plain = [folded(text) for text in texts]
    counts = [Counter(t[i : i + 5] for i in range(max(len(t) - 4, 1))) for t in plain]
    df = Counter(term for row in counts for term in row)
    vectors = []
    for row in counts:
        vector = {
            t: (1 + math.log(n)) * (math.log((1 + len(texts)) / (1 + df[t])) + 1)
            for t, n in row.items()
        }
        length = math.sqrt(sum(w * w for w in vector.values()))
        vectors.append({t: w / length for t, w in vector.items()})
    return {
        (i, j): sum(w * vectors[j].get(t, 0.0) for t, w in vectors[i].items())
        for i, j in combinations(range(len(texts)), 2)
    }


def in_order(one: list[str], other: list[str]) -> int:
    table = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i, a in enumerate(one):
        for j, b in enumerate(other):
            best = max(table[i][j + 1], table[i + 1][j])
            table[i + 1][j + 1] = table[i][j] + 1 if a == b else best
    return table[-1][-1]


def calm(texts: list[str]) -> dict[tuple[str, str], tuple[float, float, float]]:
    """The pairs that stand out: cosine, deviations, words in order of the shorter one."""
    near = cosines(texts)
    split = [words([text])[0] for text in texts]
    found = {}
    for (i, j), cosine in near.items():
        deviations = []
        for end, other in ((i, j), (j, i)):
            rest = [
                score for pair, score in near.items() if end in pair and other not in pair and score
            ]
            mean = float(np.mean(rest)) if rest else 0.0
            deviations.append((cosine - mean) / ((float(np.std(rest)) if rest else 0.0) + SLACK))
        order = in_order(split[i], split[j]) / min(len(split[i]), len(split[j]))
        if cosine >= 0.1 and max(deviations) >= 3 and (order >= 0.55 or cosine >= 0.5):
            found[str(i), str(j)] = cosine, max(deviations), order
    return found


def garbled(text: str, dice: random.Random, share: float) -> str:
    """Words with another letter in them, as scanners leave them."""
    letters = "abcdefghkmnprstxyz"
    return " ".join(
        word[:2] + dice.choice(letters) + word[3:] if dice.random() < share else word
        for word in text.split()
    )


def collection(seed: int) -> list[str]:
    """Twelve texts of one vocabulary, four of them with a garbled copy."""
    dice = random.Random(seed)
    vocabulary = ["".join(dice.choices("abcdefghkmnoprstuxyz", k=6)) for _ in range(300)]
    texts = [" ".join(dice.choices(vocabulary, k=40)) for _ in range(12)]
    return [*texts, *(garbled(text, dice, 0.2 + 0.2 * n) for n, text in enumerate(texts[:4]))]


@pytest.mark.parametrize("seed", range(4))
def test_pairs_below_the_threshold_hold_where_they_stand_out(seed: int) -> None:
    texts = collection(seed)
    by_threshold = rows(twinset.find(texts, 0.54, method=METHOD))
    for threads in (1, 3):
        listed = rows(twinset.find(texts, 0.54, method=BENT, threads=threads))
        expected = {pair: row for pair, row in calm(texts).items() if pair not in by_threshold}
        assert expected
        assert listed.keys() == by_threshold.keys() | expected.keys()
        for pair, (cosine, deviations, order) in expected.items():
            row = listed[pair]
            assert row["rule"] == "stands out"
            assert row["score"] == pytest.approx(cosine, abs=1e-3)
            assert row["outstanding"] == pytest.approx(deviations, abs=0.05)
            assert row["order"] == pytest.approx(order)
            assert row["contained"] is None


def form(dice: random.Random, fields: int) -> str:
    text = [f"clause{n}" for n in range(60)]
    for place in dice.sample(range(60), fields):
        text[place] = f"name{dice.randrange(10**6)}"
    return " ".join(text)


def test_copies_in_a_crowd_have_their_words_in_the_same_order() -> None:
    dice = random.Random(5)
    texts = [form(dice, 6) for _ in range(12)]
    texts += [f"{text} signed" for text in texts[:3]]
    plain = rows(twinset.find(texts, 0.3, method="tfidfcosine:length=2,sublinear=yes"))
    bent = rows(
        twinset.find(texts, 0.3, method="tfidfcosine:length=2,sublinear=yes,crowd=4,order=0.9")
    )
    pairs_of = Counter(end for pair in plain for end in pair)
    split = [text.split() for text in texts]

    def share(pair: tuple[str, str]) -> float:
        one, other = (split[int(end)] for end in pair)
        return 2 * in_order(one, other) / (len(one) + len(other))

    expected = {
        pair
        for pair in plain
        if min(pairs_of[end] for end in pair) < 4 or share(pair) >= 0.9 - 1e-12
    }
    assert {("0", "12"), ("1", "13"), ("2", "14")} <= expected < plain.keys()
    assert bent.keys() == expected
    for pair, row in bent.items():
        crowded = min(pairs_of[end] for end in pair) >= 4
        assert (row["order"] == pytest.approx(share(pair))) if crowded else row["order"] is None


def test_titles_that_share_a_word_do_not_stand_out() -> None:
    titles = ["Cooking", "Cooking for two persons at home", "Report", "Annual Report of the Board"]
    titles += ["Introduction to Algebra", "Introduction to Geometry of Numbers"]
    assert not rows(twinset.find([*titles, *collection(2)[:12]], 0.54, method=BENT))


def test_copies_alone_have_no_order_and_stand_out_from_nothing() -> None:
    text = " ".join(f"word{n}" for n in range(30))
    row = rows(twinset.find([text, text, "something else"], 0.54, method=BENT))["0", "1"]
    assert (row["rule"], row["contained"]) == ("cosine", 1.0)
    assert row["order"] is None
    assert row["outstanding"] is None
