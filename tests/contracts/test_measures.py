"""One contract for every registered measure: all pairs by its definition, exact copies too."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from itertools import combinations

import pytest

import twinset
from twinset.errors import PlanError
from twinset.plan import spec as parts
from twinset.text.segments import words

SHINGLE = 2
DEFINITIONS: dict[str, Callable[[set, set], float]] = {
    "jaccard": lambda a, b: len(a & b) / len(a | b),
    "containment": lambda a, b: len(a & b) / min(len(a), len(b)),
    "dice": lambda a, b: 2 * len(a & b) / (len(a) + len(b)),
    "cosine": lambda a, b: len(a & b) / math.sqrt(len(a) * len(b)),
    "overlap": lambda a, b: float(len(a & b)),
}
WITH_BANDS = ("jaccard", "dice", "cosine")
SHARES, COUNTS = (0.3, 0.6, 0.85, 1.0), (1, 4, 10, 25)
CASES = [
    (measure, threshold)
    for measure in parts.names("measure")
    for threshold in (COUNTS if measure == "overlap" else SHARES)
]


def collection() -> dict[str, str]:
    """Short and long documents, each with an exact copy, some with versions and a second copy."""
    rng = random.Random(5)
    vocabulary = [f"word{i}" for i in range(80)]
    texts: dict[str, str] = {"none a": "", "none b": ""}
    for number, length in enumerate([1, 2, 3, 5, 9, 10, 11, 14, 25, 26, 27, 40, 60]):
        base = [rng.choice(vocabulary) for _ in range(length)]
        texts[f"{number:02} a"] = texts[f"{number:02} b"] = " ".join(base)
        if length > 8:
            version = [rng.choice(vocabulary) if rng.random() < 0.1 else word for word in base]
            texts[f"{number:02} c"] = texts[f"{number:02} d"] = " ".join(version)
            texts[f"{number:02} e"] = " ".join(base[: length // 2])
            texts[f"{number:02} f"] = " ".join(base)
    return texts


def shingles(text: str) -> set[tuple[str, ...]]:
    (row,) = words([text])
    if not row:
        return set()
    return {tuple(row[i : i + SHINGLE]) for i in range(max(1, len(row) - SHINGLE + 1))}


SETS = {name: shingles(text) for name, text in collection().items()}


def similarity(measure: str, one: str, other: str) -> float:
    a, b = SETS[one], SETS[other]
    return DEFINITIONS[measure](a, b) if a and b else 0.0


def by_definition(measure: str, threshold: float) -> dict[tuple[str, str], float]:
    scores = {pair: similarity(measure, *pair) for pair in combinations(sorted(SETS), 2)}
    # At equality rounding must not decide: scores are ratios of small whole numbers.
    return {pair: pytest.approx(s) for pair, s in scores.items() if s >= threshold - 1e-12}


def listed(found) -> dict[tuple[str, ...], float]:
    columns = (found.pairs[name].to_pylist() for name in ("left", "right", "score"))
    return {tuple(sorted((a, b))): score for a, b, score in zip(*columns, strict=True)}


def find(measure: str, threshold: float, exact: bool, **options):
    if not exact:  # wide enough to miss nothing here; what is random comes from the seed
        options |= {"image": "oph:size=2000", "recall": 0.999999}
    return twinset.dedup(
        list(collection().items()),
        threshold,
        measure=measure,
        exact=exact,
        shingle=SHINGLE,
        **options,
    )


def test_every_measure_has_a_definition_here():
    assert set(DEFINITIONS) == set(parts.names("measure"))


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize(("measure", "threshold"), CASES)
def test_all_pairs_are_those_of_the_definition(measure, threshold, exact):
    if not exact and measure not in WITH_BANDS:
        with pytest.raises(PlanError, match="use --exact"):
            find(measure, threshold, exact)
        return
    assert listed(find(measure, threshold, exact)) == by_definition(measure, threshold)


@pytest.mark.parametrize("clusters", ["anchored", "components", "cliques"])
@pytest.mark.parametrize(("measure", "threshold"), CASES)
def test_what_is_removed_or_clustered_is_within_the_threshold(measure, threshold, clusters):
    found = find(measure, threshold, True, clusters=clusters)
    for row in found.documents.to_pylist():
        if row["kept_as"] is not None:
            score = similarity(measure, row["id"], row["kept_as"])
            assert row["kept_score"] == pytest.approx(score)
            assert score >= threshold - 1e-12
    members: dict[int, list[str]] = {}
    for row in found.clusters.to_pylist():
        members.setdefault(row["cluster"], []).append(row["id"])
        if row["anchor"] is not None:
            score = similarity(measure, row["id"], row["anchor"])
            assert row["score"] == pytest.approx(score)
    weakest = dict(zip(*(found.clusters[n].to_pylist() for n in ("cluster", "weakest")), strict=1))
    for cluster, ids in members.items():
        assert len(ids) > 1
        least = min(similarity(measure, *pair) for pair in combinations(ids, 2))
        assert weakest[cluster] == pytest.approx(least)


@pytest.mark.parametrize(("measure", "threshold"), CASES)
def test_a_judge_by_a_measure_asks_as_much_of_exact_copies(measure, threshold):
    checked = find("jaccard", 0.01, True, verify=f"{measure}:{threshold}")
    # An exact search by Jaccard meets every pair that shares something.
    assert listed(checked) == by_definition(measure, threshold)


def test_keys_in_common_are_counted_for_exact_copies_too():
    method = "megashingles:stop=none,letters=0,shingle=2"
    found = twinset.dedup(list(collection().items()), 0.8, method=method)
    scores = {row["score"] for row in found.clusters.to_pylist() if row["id"] != row["anchor"]}
    assert 15 in scores
    assert {row["shared"] for row in found.pairs.to_pylist() if row["score"] == 15} == {15}
