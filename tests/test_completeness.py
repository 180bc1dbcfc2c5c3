"""What a run says about the pairs that it lists: all of them, or which rule left how many out."""

from __future__ import annotations

import functools
import random
from itertools import combinations
from typing import Any

import pytest

import twinset
from twinset.result.words import summary

WORDS = [f"word{n}" for n in range(60)]


def alike(count: int, copies: int = 1) -> list[tuple[str, str]]:
    """Documents that all differ in one word, each several times."""
    rows = []
    for number in range(count):
        text = [*WORDS]
        text[number % 60] = f"other{number}"
        rows += [(f"d{number:04} {copy}", " ".join(text)) for copy in range(copies)]
    return rows


def listed(found) -> set[tuple[str, ...]]:
    ends = (found.pairs[name].to_pylist() for name in ("left", "right"))
    return {tuple(sorted(pair)) for pair in zip(*ends, strict=True)}


def test_all_pairs_are_listed():
    found = twinset.find(alike(60), 0.8, exact=True, shingle=1)
    assert found.manifest["pairs"] == "all"
    assert found.manifest["pairs_left_out"] == []
    assert found.manifest["counts"]["pairs"] == 60 * 59 // 2
    told = " ".join(summary(found.manifest))
    assert "no pair that reaches the threshold was missed." in told


def test_pairs_that_a_dense_neighbourhood_leaves_out_are_counted():
    # More than the documents that are compared in one go.
    found = twinset.find(alike(600), 0.8, exact=True, shingle=1, dense=100)
    manifest = found.manifest
    assert manifest["pairs"] == "partial"
    (left_out,) = manifest["pairs_left_out"]
    assert left_out == {"by": "dense", "bound": 100, "pairs": 600 * 599 // 2 - len(found.pairs)}
    assert left_out["pairs"] > 0
    told = " ".join(summary(manifest))
    assert f"about {left_out['pairs']:,}" in told
    assert "was missed outside dense groups." in told


@pytest.mark.parametrize("image", ["oph", "bottom"])
def test_what_a_crowd_leaves_out_is_said_to_be_unknown(image):
    found = twinset.find(alike(600), 0.8, image=image, shingle=1, dense=100)
    manifest = found.manifest
    assert len(found.pairs) < 600 * 599 // 2
    assert manifest["pairs"] == "partial"
    assert manifest["pairs_left_out"] == [{"by": "dense", "bound": 100, "pairs": None}]
    assert manifest["clusters_complete"] is False
    told = " ".join(summary(manifest))
    assert "is not known" in told
    assert "clusters may lack members" in told


def test_both_rules_are_named_and_an_evaluation_takes_what_is_implied():
    options = {"exact": True, "shingle": 1, "dense": 100}
    found = twinset.find(alike(600, copies=2), 0.8, max_pairs=20, **options)
    assert found.manifest["pairs"] == "partial"
    assert [row["by"] for row in found.manifest["pairs_left_out"]] == ["dense", "max-pairs"]
    written_out = twinset.find(alike(600, copies=2), 0.8, **options)
    assert [row["by"] for row in written_out.manifest["pairs_left_out"]] == ["dense"]
    compared = twinset.evaluate(found, written_out.pairs)
    assert compared.found == compared.common == len(written_out.pairs)
    assert any("not all pairs are listed: about" in note for note in compared.notes)


@functools.cache
def letters(seed: int) -> tuple[list[tuple[str, str]], set[tuple[str, str]]]:
    """Documents of a few letters, and the pairs of them that reach 0.6 by definition."""
    rng = random.Random(seed)
    rows = [
        (f"d{i:04}", " ".join(rng.sample("abcdefghijklmn", rng.randint(4, 8)))) for i in range(1200)
    ]
    sets = [(name, frozenset(text.split())) for name, text in rows]
    pairs = combinations(sets, 2)
    return rows, {(a, b) for (a, x), (b, y) in pairs if len(x & y) / len(x | y) >= 0.6}


OPTIONS = {"exact": True, "shingle": 1}


@functools.cache
def whole(seed: int, clusters: str) -> Any:
    """What is found where no bound cuts anything."""
    return twinset.dedup(letters(seed)[0], 0.6, dense=10**6, clusters=clusters, **OPTIONS)


@pytest.mark.parametrize("dense", [1, 20, 10**6])
@pytest.mark.parametrize("max_pairs", [0, 10**6])
@pytest.mark.parametrize("clusters", ["anchored", "components", "cliques"])
def test_what_is_said_to_be_whole_is_whole(dense, max_pairs, clusters):
    rows, true = letters(dense)
    found = twinset.dedup(rows, 0.6, dense=dense, max_pairs=max_pairs, clusters=clusters, **OPTIONS)
    manifest = found.manifest
    assert listed(found) <= true
    if manifest["pairs"] == "all":
        assert listed(found) == true
    elif manifest["pairs"] == "compact":
        assert len(found.pairs) + manifest["implied_pairs"] == len(true)
    assert (manifest["pairs"] == "partial") is (dense < 10**6)
    assert manifest["clusters_complete"] is (dense == 10**6)
    assert (found.keep == whole(dense, clusters).keep).all()
    if manifest["clusters_complete"]:
        assert found.clusters.equals(whole(dense, clusters).clusters)
