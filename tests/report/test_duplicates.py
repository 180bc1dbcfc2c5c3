"""The count in ``duplicates.txt`` against a plain computation over all pairs."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from tests.kernels.examples import examples
from tests.report.synthetic import Findings
from twinset import spec as parts
from twinset.report.shared import least_shared
from twinset.report.tables import spell, write_duplicates

Sets = list[frozenset[int]]


def findings(
    sets: Sets,
    clusters: list[list[int]],
    anchored: bool,
    compact: bool,
    measure: str = "jaccard",
    by: str = "measure",
) -> Findings:
    """Clusters over small feature sets, with all pairs or with those of the first of equal sets."""
    first = [sets.index(features) for features in sets]
    shown = [i for i in range(len(sets)) if not compact or first[i] == i]
    pairs = [(i, j) for i, j in combinations(shown, 2) if sets[i] & sets[j]]
    rows = [
        (c, m, group[0] if anchored else None) for c, group in enumerate(clusters) for m in group
    ]
    documents = pa.table(
        {
            "id": [f"d{i}" for i in range(len(sets))],
            "features": pa.array([len(features) for features in sets], pa.int64()),
            "same_as": pa.array(
                [f"d{f}" if f != i else None for i, f in enumerate(first)], pa.string()
            ),
        }
    )
    pair_table = pa.table(
        {
            "left": pa.array([f"d{i}" for i, _ in pairs], pa.string()),
            "right": pa.array([f"d{j}" for _, j in pairs], pa.string()),
            "shared": pa.array([len(sets[i] & sets[j]) for i, j in pairs], pa.int64()),
        }
    )
    cluster_table = pa.table(
        {
            "cluster": pa.array([c for c, _, _ in rows], pa.int64()),
            "id": pa.array([f"d{m}" for _, m, _ in rows], pa.string()),
            "anchor": pa.array([None if a is None else f"d{a}" for _, _, a in rows], pa.string()),
            "score": pa.array(
                [None if a is None else similarity(measure, sets[m], sets[a]) for _, m, a in rows],
                pa.float64(),
            )
            if by == "measure"
            else pa.array([0.875] * len(rows), pa.float64()),
        }
    )
    manifest = {"plan": {"measure": measure}, "decision": {"by": by}}
    return Findings(documents, pair_table, cluster_table, manifest)


def similarity(measure: str, left: frozenset[int], right: frozenset[int]) -> float:
    counts = (np.array([count]) for count in (len(left & right), len(left), len(right)))
    return float(parts.make("measure", measure).score(*counts)[0])


def plainly(sets: Sets, clusters: list[list[int]], anchored: bool) -> dict[int, int]:
    least: dict[int, int] = {}
    for number, group in enumerate(clusters):
        pairs = [(group[0], m) for m in group[1:]] if anchored else list(combinations(group, 2))
        shared = [len(sets[i] & sets[j]) for i, j in pairs if anchored or sets[i] & sets[j]]
        if shared:
            least[number] = min(shared)
    return least


@st.composite
def cases(draw: st.DrawFn) -> tuple[Sets, list[list[int]]]:
    sets = draw(st.lists(st.frozensets(st.integers(0, 6), min_size=1), min_size=2, max_size=9))
    members = st.lists(st.integers(0, len(sets) - 1), min_size=2, max_size=6, unique=True)
    return sets, draw(st.lists(members.map(sorted), max_size=4))


@given(cases(), st.booleans(), st.booleans(), st.sampled_from(list(parts.names("measure"))))
@examples(150)
def test_least_shared_is_the_minimum_over_the_pairs(
    case: tuple[Sets, list[list[int]]], anchored: bool, compact: bool, measure: str
) -> None:
    sets, clusters = case
    found = least_shared(findings(sets, clusters, anchored, compact, measure))
    assert found == plainly(sets, clusters, anchored)


@given(cases(), st.booleans(), st.sampled_from(["judge", "method"]))
@examples(100)
def test_scores_of_judges_and_methods_are_not_turned_into_counts(
    case: tuple[Sets, list[list[int]]], compact: bool, by: str
) -> None:
    sets, clusters = case
    # An anchor and its members are a listed pair, or they would not be in one cluster.
    clusters = [
        [group[0], *(m for m in group[1:] if sets[m] & sets[group[0]])] for group in clusters
    ]
    found = least_shared(findings(sets, clusters, True, compact, "jaccard", by))
    assert found == plainly(sets, clusters, True)


def test_one_line_a_cluster(tmp_path: Path) -> None:
    sets: Any = [frozenset({1, 2, 3}), frozenset({1, 2, 3, 4}), frozenset({9})]
    write_duplicates(findings(sets, [[0, 1]], True, False), tmp_path / "duplicates.txt")
    assert (tmp_path / "duplicates.txt").read_text() == "d0 d1 3\n"


def test_ids_are_one_word_each() -> None:
    assert spell("plain/id-1.txt:7") == "plain/id-1.txt:7"
    assert spell("двойник") == "двойник"
    assert spell("two words") == '"two words"'
    assert spell('a"b') == '"a\\"b"'
    assert spell("a\nb") == '"a\\nb"'
    assert spell("") == '""'
