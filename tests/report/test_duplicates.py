"""The count in ``duplicates.txt`` against a plain computation over all pairs."""

from __future__ import annotations

import json
import random
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kernels.examples import examples
from tests.report.synthetic import Findings
from twinset.plan import spec as parts
from twinset.result.tables import shared_counts, spell, write_duplicates

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
    found = shared_counts(findings(sets, clusters, anchored, compact, measure))
    wanted = plainly(sets, clusters, anchored)
    assert found.tolist() == [wanted.get(number, 0) for number in range(len(found))]


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
    found = shared_counts(findings(sets, clusters, True, compact, "jaccard", by))
    wanted = plainly(sets, clusters, True)
    assert found.tolist() == [wanted.get(number, 0) for number in range(len(found))]


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


def one_by_one(results: Findings) -> str:
    """The lines of a table sorted by cluster, put together id by id."""
    counts, lines = shared_counts(results), {}
    for row in results.clusters.to_pylist():
        lines.setdefault(row["cluster"], []).append(spell(row["id"]))
    return "".join(f"{' '.join(ids)} {counts[c]}\n" for c, ids in sorted(lines.items()))


IDS = st.text(st.sampled_from('ab~! "\\\tдβ\u00a0\u2028\x7f\U0001f600'), max_size=4)


@given(cases(), st.lists(IDS, min_size=9, max_size=9, unique=True), st.randoms())
@examples(100)
def test_lines_are_those_put_together_id_by_id(
    tmp_path_factory: pytest.TempPathFactory,
    case: tuple[Sets, list[list[int]]],
    names: list[str],
    shuffler: random.Random,
) -> None:
    sets, clusters = case
    results = findings(sets, clusters, True, False)
    ids = pa.array(names, pa.large_string())
    results.documents = renamed(results.documents, ids)
    results.pairs, results.clusters = renamed(results.pairs, ids), renamed(results.clusters, ids)
    rows = list(range(results.clusters.num_rows))
    shuffler.shuffle(rows)
    results.clusters = results.clusters.take(pa.array(rows, pa.int64()))
    file = tmp_path_factory.getbasetemp() / "duplicates.txt"
    write_duplicates(results, file)
    assert file.read_bytes().decode() == one_by_one(results)


def renamed(table: pa.Table, ids: pa.Array) -> pa.Table:
    for number, field in enumerate(table.schema):
        if pa.types.is_string(field.type):
            places = pc.cast(pc.utf8_slice_codeunits(table.column(number), 1), pa.int64())
            table = table.set_column(number, field.name, ids.take(places.combine_chunks()))
    return table


@given(st.text(max_size=3))
@examples(300)
def test_an_id_is_plain_where_none_of_its_signs_is_odd(id: str) -> None:
    plain = id and not any(mark.isspace() or mark in '"\\' or not mark.isprintable() for mark in id)
    assert spell(id) == (id if plain else json.dumps(id, ensure_ascii=False))
