from __future__ import annotations

import numpy as np
import pytest

from twinset import find
from twinset.errors import PlanError
from twinset.finding.clusters.closed import Closed, false_clusters, false_sentence
from twinset.finding.clusters.closed_sets import Context

CHAIN = [set(range(start, start + 10)) for start in (0, 2, 4, 6)]


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        (Closed(), "either k"),
        (Closed(k=3, share=0.5), "either k"),
        (Closed(k=0), "k must be at least 1, not 0"),
        (Closed(k=-4), "not -4"),
        (Closed(share=0.0), "share must be above 0"),
        (Closed(share=1.5), "not 1.5"),
        (Closed(k=1, max_sets=0), "max-sets must be at least 1"),
        (Closed(k=1, max_work=0), "max-work must be at least 1"),
    ],
)
def test_faults(options: Closed, fault: str) -> None:
    with pytest.raises(PlanError, match=fault):
        options.find(Context.of([{1}]))


@pytest.mark.parametrize(("t", "size", "least"), [(0.07, 100, 7), (0.29, 100, 29), (1.0, 3, 3)])
def test_relative_threshold_is_the_decimal_the_user_wrote(t: float, size: int, least: int) -> None:
    assert Closed(share=t).thresholds(np.array([size])).tolist() == [least]


@pytest.mark.parametrize(("kind", "unlisted"), [("closed", None), ("maximal", 3)])
def test_only_the_largest_sets_leave_others_unlisted(kind: str, unlisted: int | None) -> None:
    facts = {"kind": kind, "k": 3, "sets": 1, "false_clusters": "none", "notes": []}
    assert Closed.explain(facts).unlisted_from == unlisted


def test_short_documents_are_counted_or_kept_when_equal() -> None:
    context = Context.of([{1}, {1}, {1, 2, 3}, {1, 2, 3, 4}])
    dropped = Closed(k=3).find(context)
    assert dropped.too_short == 2
    assert "2 of 4 documents have fewer features" in dropped.notes()[0]
    assert list(dropped) == [((2, 3), 3)]
    (note,) = Closed(k=2).find(Context.of([{1}, {1, 2, 3}])).notes()
    assert "1 of 2 documents has fewer features" in note
    assert "and is in no set" in note
    kept = Closed(k=3, short="equal").find(context)
    assert list(kept) == [((0, 1), 1), ((2, 3), 3)]
    assert kept.notes() == []


def test_k_above_every_image_says_why_there_is_nothing() -> None:
    found = Closed(k=99).find(Context.of([{1, 2}, {1, 2}]))
    assert len(found) == 0
    assert "2 of 2 documents" in found.notes()[0]


def test_a_chain_is_a_false_cluster() -> None:
    context = Context.of(
        [*CHAIN, {100, 101, 102, 103, 104, 105, 106, 107}] * 1 + [set(range(100, 108))]
    )
    found = Closed(k=8).find(context)
    report = false_clusters(context, found)
    assert len(report) == 2
    assert (report.left[0], report.right[0], report.shared[0]) == (0, 3, 4)
    assert report.chained.tolist() == [True, False]
    assert report.whole.tolist() == [False, True]
    assert report.sets.tolist() == [3, 1]
    expected = "of 2 components 1 hold pairs below the threshold, and 1 are not inside any one set"
    assert false_sentence(report.figures()) == expected


def test_all_pairs_similar_and_yet_no_common_set() -> None:
    context = Context.of([{1, 2}, {2, 3}, {1, 3}])
    report = false_clusters(context, Closed(k=1).find(context))
    assert report.chained.tolist() == [False]
    assert report.whole.tolist() == [False]


def test_worst_pair_of_a_large_component_is_marked_as_partial() -> None:
    images = [set(range(start, start + 4)) for start in range(2100)]
    context = Context.of(images)
    report = false_clusters(context, Closed(k=3).find(context), threads=2)
    assert report.complete.tolist() == [False]
    assert report.shared.tolist() == [0]
    assert report.chained.tolist() == [True]


@pytest.mark.parametrize("method", ["md5", "tf"])
def test_one_key_cannot_be_shared_twice(method: str) -> None:
    texts = ["one two three four five six"] * 2
    with pytest.raises(PlanError, match=f"k is 2, but {method} gives a document one key"):
        find(texts, method=method, clusters="closed:k=2")
    assert len(find(texts, method=method, clusters="closed:k=1").clusters)
