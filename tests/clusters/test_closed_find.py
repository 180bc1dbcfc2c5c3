"""Closed sets as the clusters of a run: from texts to sets, files and sentences."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import twinset
from tests.kernels.closed_twins import brute_force
from tests.kernels.examples import examples
from twinset.cli import app
from twinset.errors import PlanError
from twinset.finding.clusters.closed_sets import Context
from twinset.finding.images import MinWise, OnePermutation, placed
from twinset.model import Ragged
from twinset.result.words import summary
from twinset.text import segments

LICENSES = Path(__file__).resolve().parents[2] / "examples" / "collection" / "licenses.jsonl"
PAPERS = {"clusters": "closed", "k": 85, "image": "bottom:size=100", "shingle": 20}
Sets = set[tuple[tuple[str, ...], int]]


def words(first: int, count: int) -> str:
    return " ".join(f"w{number}" for number in range(first, first + count))


CHAIN = [words(0, 10), words(2, 10), words(4, 10), "", "something else entirely"]


def sets(found: Any) -> Sets:
    members: dict[int, list[str]] = {}
    shared = {}
    for row in found.clusters.to_pylist():
        members.setdefault(row["cluster"], []).append(row["id"])
        shared[row["cluster"]] = row["shared"]
    return {(tuple(ids), shared[number]) for number, ids in members.items()}


def find(texts: list[str], **options: Any) -> Any:
    if "lexical" not in options.get("method", ""):
        options["shingle"] = 1
    return twinset.find(texts, threads=1, **{"clusters": "closed", **options})


def test_a_chain_is_two_overlapping_sets() -> None:
    found = find(CHAIN, k=8, image="full")
    assert sets(found) == {(("0", "1"), 8), (("1", "2"), 8)}
    assert found.clusters["anchor"].null_count == found.clusters["score"].null_count == 4
    assert found.clusters["chained"].to_pylist() == [False] * 4
    assert found.clusters["weakest"].to_pylist() == pytest.approx([8 / 12] * 4)
    (component,) = found.more["components"].to_pylist()
    assert (component["left"], component["right"], component["shared"]) == ("0", "2", 6)
    assert component["chained"]
    assert not component["whole"]


texts_of_few_words = st.lists(
    st.lists(st.sampled_from("abcdefghij"), max_size=10).map(" ".join), min_size=1, max_size=9
)


@given(
    texts_of_few_words,
    st.one_of(st.integers(1, 8), st.sampled_from([0.3, 0.5, 0.75, 1.0])),
    st.sampled_from(["maximal", "closed"]),
    st.sampled_from(["minhash", "exact"]),
)
@examples(60)
def test_sets_over_all_features_are_those_of_the_words(
    texts: list[str], sharing: float, kind: str, method: str
) -> None:
    images = [frozenset(text.split()) for text in texts]
    if isinstance(sharing, int):
        least = [sharing] * len(texts)
        option = {"k": sharing}
    else:
        least = [max(1, -int(-sharing * 100 * len(image) // 100)) for image in images]
        option = {"share": sharing}
    found = find(texts, method=method, image="full", clusters=f"closed:kind={kind}", **option)
    wanted = {
        (tuple(map(str, documents)), shared)
        for documents, shared in brute_force(images, least, kind)
        if len(documents) > 1
    }
    assert sets(found) == wanted
    assert found.manifest["counts"]["clusters"] == len(wanted)


@pytest.mark.parametrize("image", [MinWise(size=7, seed=3), OnePermutation(size=7, seed=3)])
def test_a_sketch_as_a_set_shares_as_many_values_as_places_agree(image: Any) -> None:
    random_ = np.random.default_rng(5)
    rows = [np.unique(random_.integers(0, 12, size).astype(np.uint64)) for size in (9, 3, 0, 12, 0)]
    features = Ragged.from_rows(rows, np.uint64)
    sets = placed(image, features, 1)
    context = Context(sets.values, sets.offsets)
    assert context.lengths.tolist() == [7, 7, 0, 7, 0]
    sketches = image.sketch(features, 1)
    for one, other in [(0, 1), (0, 3), (1, 3), (0, 0)]:
        assert len(context.common([one, other])) == (sketches[one] == sketches[other]).sum()


@pytest.mark.parametrize(
    "image", ["oph:size=64", "minwise:size=64", "bottom:size=64", "mod:size=2"]
)
def test_every_image_puts_copies_together_and_empty_texts_nowhere(image: str) -> None:
    texts = [words(0, 300), words(1000, 300), words(0, 300), "", ""]
    found = find(texts, k=60, image=image)
    assert {members for members, _ in sets(found)} == {("0", "2")}


def test_the_image_is_the_one_of_the_method() -> None:
    texts = [words(0, 60), words(0, 60)]
    cases = {
        "bottom:size=10": ("bottom:", 10),
        "minhash:image=minwise:size=12": ("minwise:", 12),
        "lexical:low=0,high=1,letters=1": ("full", 60),
    }
    for method, (image, shared) in cases.items():
        found = find(texts, k=2, method=method)
        assert found.manifest["closed"]["image"].startswith(image)
        assert sets(found) == {(("0", "1"), shared)}


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        ({}, "give either k"),
        ({"k": 0}, "k must be at least 1, not 0"),
        ({"k": -1}, "not -1"),
        ({"share": 1.5}, "share must be above 0 and at most 1, not 1.5"),
        ({"k": 3, "share": 0.5}, "give either k"),
        ({"clusters": "closed:k=4", "k": 3}, "k is given twice"),
        ({"clusters": "closed:k=3,share=0.5"}, "give either k"),
        (
            {"clusters": "components", "k": 3},
            "the clusters components take no k: leave k=3 out",
        ),
        ({"k": 129}, "k is 129, but an image has at most 128 values"),
        ({"k": 65, "image": "log"}, "k is 65, but an image has at most 64 values"),
        ({"k": 101, "image": "bottom"}, "take k up to 100, or a larger image"),
        ({"k": 11, "method": "bottom:size=10"}, "take k up to 10"),
        ({"k": "many"}, "'many' is not a whole number"),
    ],
)
def test_faults(options: dict[str, Any], fault: str) -> None:
    with pytest.raises(PlanError, match=fault):
        find(CHAIN, **options)


@pytest.mark.parametrize("texts", [["one text alone"], ["", ""], [words(0, 5), words(50, 5)]])
def test_nothing_to_put_together(texts: list[str], tmp_path: Path) -> None:
    found = find(texts, k=3, image="full")
    assert sets(found) == set()
    folder = found.save(tmp_path / "out")
    assert (folder / "duplicates.txt").read_text() == ""
    assert (folder / "shingles.txt.out").read_text() == ""
    assert "0 are in 0 maximal sets" in summary(found.manifest)[0]


def test_equal_documents_are_one_set() -> None:
    found = find([words(0, 20)] * 30, k=20, image="full")
    ((members, shared),) = sets(found)
    assert (len(members), shared) == (30, 20)


def test_an_explosion_is_cut_and_reported() -> None:
    texts = [" ".join(f"w{i}" for i in range(100) if i != lacks) for lacks in range(26)]
    found = find(texts, image="full", clusters="closed:k=90,max_sets=50")
    closed = found.manifest["closed"]
    assert closed["truncated_components"] == 1
    assert closed["truncated_documents"] == 26
    assert not found.manifest["clusters_complete"]
    assert {id for members, _ in sets(found) for id in members} == set(map(str, range(26)))
    told = " ".join(summary(found.manifest))
    assert "Components with more sets than the bounds allow: 1, with 26 documents" in told
    assert closed["sets"] == len(sets(found)) < closed["found"]
    shared_by_all = [
        {f"w{i}" for i in range(100)} - {f"w{int(id)}" for id in members}
        for members, _ in sets(found)
    ]
    assert sorted(map(len, shared_by_all)) == [90] * len(shared_by_all)


def test_the_clusters_of_a_run_are_bounded() -> None:
    texts = [" ".join(f"w{i}" for i in range(30) if i != lacks) for lacks in range(12)]
    found = find(texts, image="full", clusters="closed:k=25,max_members=200")
    assert len(found.clusters) <= 200
    assert set(found.clusters["id"].to_pylist()) == set(map(str, range(12)))
    assert len(find(texts, image="full", clusters="closed:k=25,max_members=9999").clusters) == 3960


@pytest.fixture(scope="module")
def licenses() -> Any:
    return twinset.find(LICENSES, threads=1, **PAPERS)


def test_the_answer_does_not_depend_on_threads_or_batches(
    licenses: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("twinset.plan.resources.OWN_MEMORY", 0)  # so little that batches are small
    other = twinset.find(LICENSES, threads=2, memory="64MB", **PAPERS)
    assert other.clusters.equals(licenses.clusters)
    assert other.more["components"].equals(licenses.more["components"])
    assert other.manifest["closed"] == licenses.manifest["closed"]


def test_the_summary_counts_the_false_clusters(licenses: Any) -> None:
    told, closed = summary(licenses.manifest), licenses.manifest["closed"]
    assert f"{closed['sets']} maximal sets of documents that share at least 85 features" in told[0]
    assert told[1].startswith(f"Of {closed['components']} components")
    rows = licenses.more["components"].to_pylist()
    assert sum(row["chained"] for row in rows) == closed["chained_components"] > 0
    assert all(row["chained"] == (row["shared"] < 85) for row in rows)


def test_the_inverted_table_gives_the_same_sets(licenses: Any, tmp_path: Path) -> None:
    folder = licenses.save(tmp_path / "out")
    table = folder / "shingles.txt.out"
    lines = [line.split() for line in table.read_text().splitlines()]
    assert min(map(len, lines)) == 2
    result = CliRunner().invoke(app, ["lab", "mine", str(table), "--support", "85"])
    assert result.exit_code == 0, result.output
    ids = licenses.documents["id"].to_pylist()
    mined = {
        (tuple(ids[int(number)] for number in members), int(support))
        for *members, support in map(str.split, result.stdout.splitlines())
    }
    assert mined == sets(licenses) != set()
    told = (folder / "duplicates.txt").read_text().splitlines()
    assert set(told) == {" ".join([*members, str(shared)]) for members, shared in mined}
    opened = twinset.open_report(folder)
    assert opened.more["components"].equals(licenses.more["components"])


@pytest.mark.parametrize("sharing", [{"k": 60}, {"share": 0.6}])
def test_dedup_removes_only_what_is_near_a_kept_document(sharing: dict[str, Any]) -> None:
    options = {"clusters": "closed", "image": "bottom:size=100", **sharing}
    found = twinset.dedup(LICENSES, 0.8, threads=1, exact=True, **options)
    rows = {row["id"]: row for row in found.documents.to_pylist()}
    texts = {}
    for line in LICENSES.read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        texts[entry["id"]] = entry["text"]
    removed = [row for row in rows.values() if row["kept_as"] is not None]
    assert len(removed) == found.manifest["counts"]["removed"] > 20
    for row in removed:
        assert rows[row["kept_as"]]["kept_as"] is None
        assert _jaccard(texts[row["id"]], texts[row["kept_as"]]) >= 0.8
    roles = {row["id"]: row["role"] for row in found.clusters.to_pylist()}
    assert {roles[id] for id in roles if rows[id]["kept_as"] is not None} == {"removed"}
    assert {roles[id] for id in roles if rows[id]["kept_as"] is None} == {"kept"}


def _jaccard(one: str, other: str) -> float:
    left, right = _shingles(one), _shingles(other)
    return len(left & right) / len(left | right)


def _shingles(text: str) -> set[tuple[str, ...]]:
    (row,) = segments.words([text])
    return {tuple(row[i : i + 5]) for i in range(max(1, len(row) - 4))}
