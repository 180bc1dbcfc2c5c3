"""The method sketch against the definition: every two images, compared by hand."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import twinset
from tests.contracts.plain import texts
from tests.kernels.examples import examples
from twinset.finding.features import Shingles
from twinset.finding.images import broder_estimates
from twinset.model import Ragged
from twinset.plan import spec
from twinset.result.words import summary

SETS = ["bottom:size=20", "bottom:size=500", "mod:size=2", "full", "log"]
SKETCHES = ["oph:size=32", "minwise:size=32", "oph:size=32,densify=optimal"]


def broder(a: set[int], b: set[int], size: int) -> float:
    smallest = sorted(a | b)[:size]
    return sum(value in a and value in b for value in smallest) / len(smallest)


def estimate(name: str, one: str, other: str) -> float:
    image = spec.make("image", name)
    features, _ = Shingles(2).extract([texts()[one], texts()[other]], 1)
    if image.shape == "sketch":
        a, b = image.sketch(features, 1)
        return float((a == b).mean())
    a, b = (set(row.tolist()) for row in image.image(features, 1))
    return broder(a, b, image.size if name.startswith("bottom") else len(a | b))


@pytest.mark.parametrize("threshold", [0.25, 0.5, 0.8])
@pytest.mark.parametrize("image", [*SETS, *SKETCHES])
def test_pairs_are_those_whose_images_share_enough(image: str, threshold: float) -> None:
    findings = twinset.find(
        list(texts().items()), threshold, method="sketch:shingle=2", image=image, threads=1
    )
    expected = {
        pair: score
        for pair in combinations(sorted(texts()), 2)
        if (score := estimate(image, *pair)) >= threshold
    }
    rows = findings.pairs.to_pylist()
    scores = {tuple(sorted((row["left"], row["right"]))): row["score"] for row in rows}
    assert scores == pytest.approx(expected)
    assert expected


def test_the_manifest_says_that_scores_are_estimates() -> None:
    findings = twinset.find(list(texts().items()), 0.5, method="sketch")
    assert (
        "an estimate of the Jaccard similarity" in findings.manifest["decision"]["documents_that"]
    )
    assert findings.manifest["plan"]["candidates"]["estimate"] is True


def test_the_chance_to_be_found_is_that_of_the_estimate() -> None:
    findings = twinset.find(["a", "b"], 0.5, method="sketch:image=minwise:size=4")
    curve = dict(map(tuple, findings.manifest["predicted"]["s_curve"]))
    # at least 2 of 4 places agree
    assert curve[0.5] == pytest.approx(11 / 16, abs=1e-6)
    assert curve[1.0] == 1.0
    assert curve[0.0] == 0.0


def test_closed_sets_are_searched_in_the_images_themselves() -> None:
    options = {"clusters": "closed:k=15", "image": "bottom:size=20", "shingle": 2}
    sketch = twinset.find(list(texts().items()), method="sketch", **options)
    minhash = twinset.find(list(texts().items()), method="minhash", **options)
    assert sketch.clusters["id"].to_pylist() == minhash.clusters["id"].to_pylist()
    assert sketch.clusters["shared"].to_pylist() == minhash.clusters["shared"].to_pylist()
    assert len(sketch.clusters)


values = st.lists(st.integers(0, 30).map(lambda n: n * 2**59 // 16), unique=True).map(sorted)


@given(st.lists(values, min_size=2, max_size=5), st.integers(1, 12))
@examples(200)
def test_broder_estimates_equal_their_definition(rows: list[list[int]], size: int) -> None:
    rows = [row[:size] for row in rows]
    left, right = np.triu_indices(len(rows), 1)
    got = broder_estimates(Ragged.from_rows(rows, np.uint64), left, right, size)
    expected = [
        broder(set(rows[a]), set(rows[b]), size) if rows[a] or rows[b] else 0.0
        for a, b in zip(left.tolist(), right.tolist(), strict=True)
    ]
    assert got.tolist() == pytest.approx(expected)


@pytest.mark.parametrize("image", ["bottom:size=20", "oph:size=32", "full"])
def test_what_dense_leaves_out_is_counted_and_said(image: str) -> None:
    common = " ".join(f"word{n}" for n in range(60))
    texts = [f"{common} own{n}" for n in range(1500)]  # 512 are compared before any is absorbed
    every = len(texts) * (len(texts) - 1) // 2
    cut = twinset.find(texts, 0.3, dense=5, method="sketch", image=image, threads=1)
    left_out = cut.manifest["not_enumerated_pairs"]
    assert cut.manifest["counts"]["absorbed"] > 0
    assert cut.manifest["pairs"] == "partial"
    assert cut.manifest["pairs_left_out"] == [{"by": "dense", "bound": 5, "pairs": left_out}]
    # every pair is near
    assert left_out + len(cut.pairs) == every
    assert not cut.manifest["clusters_complete"]
    assert any("clusters may lack members" in sentence for sentence in summary(cut.manifest))
