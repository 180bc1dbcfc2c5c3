"""Reuters-21578 against pairs that were computed elsewhere, over Python's ``\\w+`` words.

The corpus lies beside the repository, where it is present. A pair that only one side has must be
explained by the words alone: its Jaccard is computed over both kinds and each must say what its
side says.
"""

from __future__ import annotations

import csv
import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest

import twinset
from twinset.text.segments import words

DATA = Path(__file__).resolve().parent.parent.parent / "shared" / "data"
REUTERS = DATA / "reuters21578"
Pair = tuple[str, str]
ROUNDING = 0.00005

pytestmark = [
    pytest.mark.shared,
    pytest.mark.skipif(not REUTERS.is_dir(), reason=f"there is no {REUTERS}"),
]


def ordered(left: str, right: str) -> Pair:
    return (left, right) if left < right else (right, left)


def pairs_of(found: Any) -> dict[Pair, float]:
    columns = (found.pairs[name].to_pylist() for name in ("left", "right", "score"))
    return {ordered(a, b): score for a, b, score in zip(*columns, strict=True)}


def jaccard(one: list[str], other: list[str]) -> float:
    a, b = ({tuple(units[i : i + 5]) for i in range(max(1, len(units) - 4))}
            for units in (one, other))  # fmt: skip
    return len(a & b) / len(a | b)


def over_our_words(texts: dict[str, str], pair: Pair) -> float:
    return jaccard(*words([texts[name] for name in pair]))


def over_plain_words(texts: dict[str, str], pair: Pair) -> float:
    return jaccard(*(re.findall(r"\w+", texts[name].lower()) for name in pair))


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    with gzip.open(REUTERS / "docs.jsonl.gz", "rt", encoding="utf-8") as lines:
        return {row["id"]: row["text"] for row in map(json.loads, lines)}


@pytest.fixture(scope="module")
def truth() -> dict[Pair, float]:
    with (REUTERS / "exact_pairs_J03.csv").open(newline="") as rows:
        return {ordered(row["id_a"], row["id_b"]): float(row["J5"]) for row in csv.DictReader(rows)}


@pytest.fixture(scope="module")
def exact() -> dict[Pair, float]:
    return pairs_of(twinset.find(REUTERS / "docs.jsonl.gz", threshold=0.3, exact=True))


def test_exact_gives_the_pairs_of_the_file(
    texts: dict[str, str], truth: dict[Pair, float], exact: dict[Pair, float]
) -> None:
    for pair in exact.keys() - truth.keys():
        assert over_our_words(texts, pair) >= 0.3, pair
        assert over_plain_words(texts, pair) < 0.3, pair
    for pair in truth.keys() - exact.keys():
        assert over_our_words(texts, pair) < 0.3, pair
        assert over_plain_words(texts, pair) >= 0.3, pair
    assert len(exact.keys() ^ truth.keys()) <= 0.02 * len(truth)


def test_every_score_is_what_its_words_give(
    texts: dict[str, str], truth: dict[Pair, float], exact: dict[Pair, float]
) -> None:
    for pair, score in exact.items():
        assert score == over_our_words(texts, pair), pair
        if abs(score - truth.get(pair, score)) > ROUNDING:
            assert abs(over_plain_words(texts, pair) - truth[pair]) <= ROUNDING, pair


def test_the_default_finds_99_of_100_at_one_half(
    truth: dict[Pair, float], exact: dict[Pair, float]
) -> None:
    found = pairs_of(twinset.find(REUTERS / "docs.jsonl.gz", threshold=0.5))
    wanted = {pair for pair, score in exact.items() if score >= 0.5}
    assert found.keys() <= wanted
    assert len(found) >= 0.99 * len(wanted)
    known = {pair for pair, score in truth.items() if score >= 0.5} & wanted
    assert len(found.keys() & known) >= 0.99 * len(known)
