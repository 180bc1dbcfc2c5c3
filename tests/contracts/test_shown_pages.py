"""The page of a cluster shows the numbers of the run, or says that it does not know all of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.contracts.test_shown_numbers import Saved
from twinset.errors import ReportError
from twinset.result.words import observed
from twinset.review import Query, page, regroup


def test_the_histogram_begins_where_the_decision_does(tmp_path: Path) -> None:
    low = Saved(tmp_path, {"method": "decomposition:judge=jaccard,similarity=0.3"})
    assert min(low.pairs.values()) < low.index.manifest["plan"]["threshold"]
    assert sum(observed(low.index.manifest)[1]) == len(low.pairs)
    (tmp_path / "b").mkdir()
    judged = Saved(tmp_path / "b", {"method": "minhash", "verify": "edit:0.5"}, threshold=0.95)
    assert sum(observed(judged.index.manifest)[1]) == len(judged.pairs)


def test_a_cluster_with_an_unknown_pair_comes_first_among_the_weakest(tmp_path: Path) -> None:
    saved = Saved(tmp_path, {"method": "decomposition:similarity=0.88"}, clusters="components")
    clusters = saved.index.clusters
    assert clusters.chained.any()
    assert not clusters.chained.all()
    assert np.isnan(clusters.weakest[clusters.chained]).all()
    rows = page(saved.index, clusters, Query(sort="weakest")).rows
    assert [row.chained for row in rows] == sorted((r.chained for r in rows), reverse=True)
    assert [r.number for r in page(saved.index, clusters, Query(weakest_to=0.9)).rows][:1] == [
        rows[0].number
    ]


def test_a_pair_that_follows_from_a_listed_one_has_its_score(tmp_path: Path) -> None:
    saved = Saved(tmp_path, {"method": "minhash:shingle=3"}, max_pairs=1)
    assert saved.truth is not None
    assert ("a0", "b0") not in saved.pairs
    assert ("b1", "c1") not in saved.pairs
    for pair in (("a0", "b0"), ("c1", "b1")):
        row = saved.show("--pair", *pair)["pair"]
        assert {row["left"], row["right"]} == set(pair)
        assert row["score"] == pytest.approx(saved.truth(*pair))
    assert saved.show("--pair", "a0", "a1")["pair"] is None


def test_a_threshold_may_be_a_count_where_scores_are(tmp_path: Path) -> None:
    saved = Saved(tmp_path, {"method": "exact", "measure": "overlap"}, threshold=9)
    assert saved.show()["threshold"] == 9
    count = sorted(saved.pairs.values())[len(saved.pairs) // 2]
    told = saved.show("--threshold", str(count))
    assert told["pairs"] == sum(score >= count for score in saved.pairs.values())


@pytest.mark.parametrize(
    ("search", "remedy"),
    [
        ({"method": "exact"}, "--threshold 0.1$"),
        ({"method": "exact", "verify": "edit:0.6"}, "--verify edit:0.1$"),
        ({"method": "decomposition"}, "other options of the method decomposition$"),
    ],
    ids=str,
)
def test_a_lower_threshold_needs_an_option_of_what_decided(
    tmp_path: Path, search: dict[str, Any], remedy: str
) -> None:
    with pytest.raises(ReportError, match=remedy):
        regroup(Saved(tmp_path, search).index, 0.1)
