"""Clusters at a higher threshold are those of a new run."""

from __future__ import annotations

from pathlib import Path

import pytest

import twinset
from twinset.errors import ReportError
from twinset.review.browse import overview
from twinset.review.index import Grouping, ReportIndex
from twinset.review.threshold import caveats, lowest, regroup, stated_threshold
from twinset.run import Findings

EXAMPLE = Path(__file__).parents[2] / "examples" / "collection"
Clusters = list[tuple[int, frozenset[str], str | None]]


def as_sets(index: ReportIndex, clusters: Grouping) -> Clusters:
    found = []
    for row in range(len(clusters)):
        where = clusters.members(row)
        anchors = {index.id(a) for a in clusters.anchor[where].tolist() if a >= 0}
        ids = frozenset(index.id(d) for d in clusters.document[where].tolist())
        found.append((int(clusters.number[row]), ids, min(anchors, default=None)))
    return found


def of_run(findings: Findings) -> Clusters:
    sets: dict[int, set[str]] = {}
    anchors: dict[int, str | None] = {}
    for row in findings.clusters.to_pylist():
        sets.setdefault(row["cluster"], set()).add(row["id"])
        anchors[row["cluster"]] = row["anchor"]
    return [(number, frozenset(ids), anchors[number]) for number, ids in sorted(sets.items())]


@pytest.mark.parametrize(
    ("clusters", "keep", "max_pairs"),
    [
        ("anchored", "first", 10_000_000),
        ("anchored", "longest", 0),
        ("components", "longest", 10_000_000),
        ("cliques", "first", 0),
    ],
)
def test_the_clusters_of_a_new_run(
    tmp_path: Path, clusters: str, keep: str, max_pairs: int
) -> None:
    options = {"exact": True, "clusters": clusters, "keep": keep, "max_pairs": max_pairs}
    twinset.find(EXAMPLE, 0.5, **options).save(tmp_path / "r")
    index = ReportIndex(twinset.open_report(tmp_path / "r"))
    for threshold in (0.5, 0.6, 0.75, 0.9, 1.0):
        again = twinset.find(EXAMPLE, threshold, **options)
        found = regroup(index, threshold)
        assert as_sets(index, found.clusters) == of_run(again)
        assert found.clustered_documents == again.manifest["counts"]["clustered_documents"]
        assert found.pairs == again.manifest["counts"]["pairs"]
        chained = again.manifest["observed"]["chained_clusters"]
        assert int(found.clusters.chained.sum()) == chained


def test_documents_that_must_stay(tmp_path: Path) -> None:
    options = {"exact": True, "never_remove": "*.html"}
    twinset.find(EXAMPLE, 0.5, **options).save(tmp_path / "r")
    index = ReportIndex(twinset.open_report(tmp_path / "r"))
    again = twinset.find(EXAMPLE, 0.7, **options)
    assert as_sets(index, regroup(index, 0.7).clusters) == of_run(again)


def test_not_below_the_run(tmp_path: Path) -> None:
    twinset.find(["a b c d e f", "a b c d e f"]).save(tmp_path / "r")
    index = ReportIndex(twinset.open_report(tmp_path / "r"))
    with pytest.raises(ReportError, match=r"run again with --threshold 0\.5"):
        regroup(index, 0.5)


def test_what_limits_the_answer_is_said(tmp_path: Path) -> None:
    twinset.find(EXAMPLE, 0.6, exact=True).save(tmp_path / "exact")
    assert caveats(ReportIndex(twinset.open_report(tmp_path / "exact"))) == ()
    twinset.find(EXAMPLE, 0.6).save(tmp_path / "sampled")
    assert "missed" in caveats(ReportIndex(twinset.open_report(tmp_path / "sampled")))[0]
    twinset.find(EXAMPLE, 0.6, clusters="closed", k=20).save(tmp_path / "closed")
    index = ReportIndex(twinset.open_report(tmp_path / "closed"))
    assert "Closed sets" in caveats(index)[0]
    assert len(regroup(index, 0.9).clusters) == index.manifest["counts"]["clusters"]


def test_the_overview_counts_the_pairs(tmp_path: Path) -> None:
    twinset.find(EXAMPLE, 0.5, exact=True).save(tmp_path / "r")
    index = ReportIndex(twinset.open_report(tmp_path / "r"))
    seen = overview(index, 0.5, len(index.pairs), index.clusters)
    assert sum(seen.pairs) == index.manifest["counts"]["pairs"]
    assert seen.edges[0] == 0.5
    assert sum(count for _, _, count in seen.sizes) == index.manifest["counts"]["clusters"]


def test_no_pairs_at_all(tmp_path: Path) -> None:
    twinset.find(["one two three four five", "six seven eight nine ten"]).save(tmp_path / "r")
    index = ReportIndex(twinset.open_report(tmp_path / "r"))
    found = regroup(index, 0.9)
    assert len(found.clusters) == found.pairs == 0
    assert overview(index, 0.9, 0, found.clusters).counts["largest"] == 0


NUMBERED = [f"word{n}" for n in range(60)]
COUNTED = {
    "long": " ".join(NUMBERED),
    "long again": " ".join(NUMBERED),
    "version": " ".join(NUMBERED[:40]),
    "short": " ".join(NUMBERED[50:58]),
    "short again": " ".join(NUMBERED[50:58]),
    "apart": "nothing in common with anything else at all here",
    "apart again": "nothing in common with anything else at all here",
}


@pytest.mark.parametrize("clusters", ["anchored", "components", "cliques"])
@pytest.mark.parametrize("max_pairs", [10_000_000, 0])
def test_exact_copies_part_where_their_overlap_is_below_the_threshold(
    tmp_path: Path, clusters: str, max_pairs: int
) -> None:
    rows = list(COUNTED.items())
    options = {"exact": True, "measure": "overlap", "shingle": 1}
    options |= {"clusters": clusters, "max_pairs": max_pairs}
    twinset.find(rows, 5, **options).save(tmp_path / "r")
    index = ReportIndex(twinset.open_report(tmp_path / "r"))
    assert index.highest == 60
    for threshold in (5, 8, 8.5, 10, 40, 41, 60, 61):
        again = twinset.find(rows, threshold, **options)
        found = regroup(index, threshold)
        assert as_sets(index, found.clusters) == of_run(again)
        assert found.pairs == again.manifest["counts"]["pairs"]
        least: dict[int, float] = {}
        for row in again.clusters.to_pylist():
            least[row["cluster"]] = min(row["score"] or 0, least.get(row["cluster"], 100))
        if clusters == "anchored":
            assert found.clusters.weakest.tolist() == [least[n] for n in sorted(least)]


def test_equal_documents_are_shown_with_their_overlap(tmp_path: Path) -> None:
    twinset.find(list(COUNTED.items()), 5, exact=True, measure="overlap", shingle=1).save(
        tmp_path / "r"
    )
    index = ReportIndex(twinset.open_report(tmp_path / "r"))
    assert [index.score(0, other) for other in (0, 1, 2)] == [60, 60, 40]
    assert index.score(3, 4) == 8


def test_the_threshold_of_a_method_that_goes_by_one(tmp_path: Path) -> None:
    """A cosine between the threshold and the lowest one found asks for no new run."""
    text = " ".join(f"word{n}" for n in range(60))
    corpus = {"a": text, "b": text + " more", "c": "nothing of it at all"}
    twinset.find(corpus, 0.4, method="tfidfcosine").save(tmp_path / "r")
    index = ReportIndex(twinset.open_report(tmp_path / "r"))
    assert index.sorted_scores[0] > 0.6
    assert lowest(index) == stated_threshold(index) == 0.4
    assert regroup(index, 0.5).pairs == 1
    with pytest.raises(ReportError, match=r"run again with --threshold 0\.3"):
        regroup(index, 0.3)


def test_a_pair_that_passes_below_the_threshold_of_its_method(tmp_path: Path) -> None:
    short = " ".join(f"word{n}" for n in range(40))
    corpus = {"a": short, "b": " ".join([short, *(f"other{n}" for n in range(900))]), "c": "else"}
    method = "tfidfcosine:contained=0.95,least_terms=5"
    twinset.find(corpus, 0.8, method=method).save(tmp_path / "r")
    index = ReportIndex(twinset.open_report(tmp_path / "r"))
    assert stated_threshold(index) == 0.8
    assert lowest(index) == index.sorted_scores[0] < 0.8
