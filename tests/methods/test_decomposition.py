"""Decomposition against brute force: no pair within the judge's reach is cut off by its length."""

from __future__ import annotations

import random
from itertools import combinations

import pytest

import twinset

METHOD = "decomposition:shingle=1,least=0"


def longest_common(a: str, b: str) -> int:
    """The length of a longest common subsequence, by its definition."""
    row = [0] * (len(b) + 1)
    for x in a:
        before = 0
        for j, y in enumerate(b):
            before, row[j + 1] = row[j + 1], before + 1 if x == y else max(row[j], row[j + 1])
    return row[-1]


def edit(a: str, b: str) -> float:
    return 2 * longest_common(a, b) / (len(a) + len(b))


def jaccard(a: str, b: str) -> float:
    one, other = set(a.split()), set(b.split())
    return len(one & other) / len(one | other)


def collection(seed: int) -> list[tuple[str, str]]:
    """Families of texts that differ in where words end, in repeats, and in what is cut off."""
    rng = random.Random(seed)
    rows: list[str] = []
    for _ in range(8):
        letters = "".join(rng.choice("abcdefgh") for _ in range(rng.randint(12, 40)))
        for share in (0.02, 0.1, 0.2, 0.3, 0.45):
            spaced = "".join(f"{x} " if rng.random() < share else x for x in letters)
            rows.append(f"common {spaced}".strip())
            rows.append(f"common {spaced[: len(spaced) * 2 // 3]}".strip())
    return [(f"d{i:02}", text) for i, text in enumerate(rows)]


def listed(rows, method: str) -> set[tuple[str, str]]:
    found = twinset.find(rows, method=method).pairs
    ends = (found[name].to_pylist() for name in ("left", "right"))
    return {(min(pair), max(pair)) for pair in zip(*ends, strict=True)}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("judge", [edit, jaccard])
def test_every_pair_that_the_judge_accepts_is_in_a_chain(seed, judge):
    rows = collection(seed)
    texts = dict(rows)
    scores = {(a, b): judge(texts[a], texts[b]) for a, b in combinations(texts, 2)}
    for similarity in (0.8, 0.65):
        true = {pair for pair, score in scores.items() if score >= similarity}
        name = f"{METHOD},judge={judge.__name__},similarity={similarity}"
        assert listed(rows, name) == true
        words = {id: len(text.split()) for id, text in rows}
        far = {
            (a, b)
            for a, b in true
            if max(words[a], words[b]) / min(words[a], words[b]) > (2 - similarity) / similarity
        }
        assert judge is jaccard or far, "some pairs are further apart in words than the bound"


@pytest.mark.parametrize(
    ("judge", "short", "long"),
    [(edit, "aa bb cc d", "aa bb cc dddddd"), (jaccard, "a b c d", "a b c d e")],
)
def test_the_bound_is_inclusive(judge, short, long):
    assert judge(short, long) == 0.8
    rows = [("short", short), ("long", long)]
    assert listed(rows, f"{METHOD},judge={judge.__name__}") == {("long", "short")}


def test_a_ratio_that_is_given_is_one_of_words():
    rows = [("few", "common abcdefghijklmnopqrst"), ("many", "common abcd efgh ijkl mnop qrst")]
    assert edit(rows[0][1], rows[1][1]) >= 0.8
    assert listed(rows, METHOD) == {("few", "many")}
    assert listed(rows, f"{METHOD},ratio=3") == {("few", "many")}
    assert listed(rows, f"{METHOD},ratio=2.9") == set()
