"""The sentences say what the manifest holds."""

from __future__ import annotations

from typing import Any

import pytest

import twinset
from tests.report import synthetic
from twinset.result.words import expected_misses, summary, with_article


@pytest.fixture
def manifest() -> dict[str, Any]:
    return synthetic.make().manifest


def test_misses_follow_from_the_curve(manifest: dict[str, Any]) -> None:
    manifest["predicted"]["s_curve"] = [[0.0, 0.5], [1.0, 0.5]]
    manifest["observed"]["histogram"] = {"edges": [0.8, 0.9, 1.0], "counts": [7, 3]}
    assert expected_misses(manifest) == pytest.approx(10)
    assert "about 10 pairs will have been missed" in " ".join(summary(manifest))


def test_misses_are_not_reported_for_other_measures(manifest: dict[str, Any]) -> None:
    manifest["plan"]["measure"] = "cosine"
    assert expected_misses(manifest) is None


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"pairs": "compact", "implied_pairs": 1234}, "1,234 more follow"),
        ({"not_enumerated_pairs": 99}, "Not all pairs are listed: about 99 between documents"),
        ({"not_enumerated_pairs": None}, "how many pairs that leaves out is not known"),
        ({"not_enumerated_pairs": None}, "clusters may lack members because of this"),
        ({"not_enumerated_pairs": 99}, "this does not change which documents dedup keeps"),
        ({"observed": {"chained_clusters": 1}}, "In 1 cluster some members"),
    ],
)
def test_what_was_left_out_is_reported(
    manifest: dict[str, Any], change: dict[str, Any], told: str
) -> None:
    assert told not in " ".join(summary(manifest))
    assert told in " ".join(summary(manifest | change))


def test_components_say_that_they_chained(manifest: dict[str, Any]) -> None:
    manifest["plan"]["clusters"] = "components"
    manifest["observed"]["chained_clusters"] = 2
    assert "2 clusters contain a pair below the threshold" in " ".join(summary(manifest))


def test_articles_and_numbers_agree_with_their_nouns() -> None:
    assert with_article("overlap similarity") == "an overlap similarity"
    assert with_article("Jaccard similarity") == "a Jaccard similarity"
    texts = ["one two three four five six", "one two three four five six"]
    assert "1 document was kept and 1 removed" in " ".join(summary(twinset.dedup(texts).manifest))


@pytest.mark.parametrize("clusters", ["anchored", "components"])
def test_no_threshold_is_named_where_the_method_decides(
    manifest: dict[str, Any], clusters: str
) -> None:
    manifest["decision"] = {"by": "method", "documents_that": "share a key"}
    manifest["plan"]["clusters"] = clusters
    manifest["observed"]["chained_clusters"] = 1
    told = " ".join(summary(manifest))
    assert "are not" in told
    assert "threshold" not in told


def test_a_preset_is_put_in_plain_words() -> None:
    texts = ["one two three four five six", "one two three four five six"]
    plain = twinset.find(texts, preset="text")
    assert summary(plain.manifest)[0] == (
        "Of 2 documents, 2 are in clusters of near-duplicates by the words they share, of which "
        "rare ones count most (preset text): 1 pair in 1 cluster."
    )
    assert "слов" in summary(plain.manifest, "ru")[0]
    expert = twinset.find(texts, method="tfidfcosine", threshold=0.5)
    assert "tf-idf cosine of 0.5" in summary(expert.manifest)[0]
