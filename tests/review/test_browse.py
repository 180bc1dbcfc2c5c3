"""Looking into a report: the table, a cluster, similarities, passages, lattice, searches."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import twinset
from twinset.errors import PlanError, ReportError
from twinset.result.passages import shared_text
from twinset.review.browse import Query, members, page, row_of
from twinset.review.compare import lattice, passages
from twinset.review.index import ReportIndex
from twinset.review.texts import ReportTexts

EXAMPLE = Path(__file__).parents[2] / "examples" / "collection"


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> ReportIndex:
    folder = tmp_path_factory.mktemp("browse") / "r"
    twinset.find(EXAMPLE, 0.5, exact=True, clusters="components").save(folder)
    return ReportIndex(twinset.open_report(folder))


def test_sorted_by_size_weakest_and_number(index: ReportIndex) -> None:
    clusters = index.clusters
    by_size = page(index, clusters, Query(), limit=1000).rows
    assert [r.size for r in by_size] == sorted((r.size for r in by_size), reverse=True)
    weakest = page(index, clusters, Query(sort="weakest"), limit=1000).rows
    found = [r.weakest for r in weakest if r.weakest is not None]
    assert found == sorted(found)
    numbers = [r.number for r in page(index, clusters, Query(sort="number", reverse=True)).rows]
    assert numbers == sorted(numbers, reverse=True)
    with pytest.raises(PlanError, match="sorted by size"):
        page(index, clusters, Query(sort="colour"))  # type: ignore[arg-type]
    with pytest.raises(PlanError, match="share no counted units"):
        page(index, clusters, Query(sort="shared"))


def test_closed_sets_are_sorted_by_their_common_shingles(tmp_path: Path) -> None:
    """Of 10 words each pair shares another number of single words: 9, 7 and 8."""
    words = [f"w{n}" for n in range(90)]
    texts = {}
    for group, shared in enumerate((9, 7, 8)):
        common = words[group * 30 : group * 30 + shared]
        for copy in (1, 2):
            own = words[group * 30 + copy * 10 :][: 10 - shared]
            texts[f"{group}{copy}"] = " ".join(common + own)
    found = twinset.find(
        texts, 0.5, method="minhash:shingle=1", clusters="closed:k=6", image="full"
    )
    index = ReportIndex(twinset.open_report(found.save(tmp_path / "r")))
    rows = page(index, index.clusters, Query(sort="shared")).rows
    assert [(row.first, row.shared) for row in rows] == [
        (("01", "02"), 9),
        (("21", "22"), 8),
        (("11", "12"), 7),
    ]
    assert "9 common shingles" in (tmp_path / "r" / "report.html").read_text(encoding="utf-8")


def test_pages_follow_each_other(index: ReportIndex) -> None:
    every = page(index, index.clusters, Query(), limit=1000)
    parts = [page(index, index.clusters, Query(), offset=o, limit=3).rows for o in (0, 3)]
    assert parts[0] + parts[1] == every.rows[:6]
    assert every.total == len(every.rows) == index.manifest["counts"]["clusters"]
    assert page(index, index.clusters, Query(), offset=10_000).rows == ()


def test_filtered(index: ReportIndex) -> None:
    large = page(index, index.clusters, Query(smallest=3), limit=1000)
    assert large.total == (index.clusters.sizes >= 3).sum()
    assert all(row.size >= 3 for row in large.rows)
    weak = page(index, index.clusters, Query(weakest_to=0.6), limit=1000)
    assert all(row.weakest is None or row.weakest <= 0.6 for row in weak.rows)
    chained = page(index, index.clusters, Query(chained=True), limit=1000)
    assert chained.total == index.manifest["observed"]["chained_clusters"]
    among = index.clusters.sizes == 2
    pairs = page(index, index.clusters, Query(), among=among, limit=1000).rows
    assert {row.size for row in pairs} == {2}


def test_searched_by_id(index: ReportIndex) -> None:
    id = page(index, index.clusters, Query()).rows[3].first[0]
    found = page(index, index.clusters, Query(id=id.upper()), limit=1000)
    assert any(id in row.first for row in found.rows)
    assert page(index, index.clusters, Query(id="no such id anywhere")).total == 0


def test_members_of_a_cluster(index: ReportIndex) -> None:
    number = page(index, index.clusters, Query()).rows[0].number
    row = row_of(index, index.clusters, number)
    first, rest = (members(index, index.clusters, row, o, n) for o, n in ((0, 2), (2, 1000)))
    table = index.report.clusters.to_pylist()
    expected = {r["id"] for r in table if r["cluster"] == number}
    assert {m.id for m in first + rest} == expected
    assert len(first + rest) == len(expected)
    with pytest.raises(ReportError, match="there is no cluster 12345"):
        row_of(index, index.clusters, 12345)


def test_passages_of_a_cluster(index: ReportIndex) -> None:
    text, found = passages(index, index.clusters, 0)
    assert text
    assert found[0].units > 5


def test_the_page_and_the_command_share_one_answer(tmp_path: Path) -> None:
    middle = "one two three four five, six seven"
    texts = [f"Start here. {middle} and so on", f"{middle}! quite another end; start HERE now"]
    for name, text in zip(("a.txt", "b.txt"), texts, strict=True):
        (tmp_path / name).write_text(text)
    twinset.find(tmp_path, 0.1, exact=True, shingle=2).save(tmp_path / "r")
    index = ReportIndex(twinset.open_report(tmp_path / "r"))
    text, stretches = passages(index, index.clusters, 0)
    ids = [member.id for member in members(index, index.clusters, 0)]
    told = {" ".join(text[s.start : s.end].split()) for s in stretches}
    assert told == set(shared_text(index.report, ids).passages)
    assert told == {"Start here.", "one two three four five, six seven"}


def test_the_lattice_of_closed_sets(tmp_path: Path, index: ReportIndex) -> None:
    assert lattice(index, index.clusters, 0) is None
    twinset.find(EXAMPLE, 0.5, clusters="closed", k=10).save(tmp_path / "r")
    closed = ReportIndex(twinset.open_report(tmp_path / "r"))
    row = int(np.argmax(closed.clusters.sizes))
    found = lattice(closed, closed.clusters, row)
    assert found is not None
    where = closed.clusters.members(row)
    own = set(closed.clusters.document[where].tolist())
    assert any(set(concept.documents) == own for concept in found.concepts)


def test_the_lattice_has_the_sets_inside_others(tmp_path: Path) -> None:
    words = [f"w{n}" for n in range(60)]
    texts = [" ".join(words), " ".join(words[:40]), " ".join([*words[:40], "x"]), "other " * 9]
    twinset.find(texts, 0.5, clusters="closed:kind=closed", k=20).save(tmp_path / "r")
    closed = ReportIndex(twinset.open_report(tmp_path / "r"))
    found = lattice(closed, closed.clusters, 0)
    assert found is not None
    assert {concept.documents for concept in found.concepts} == {(0, 1), (0, 1, 2), (1, 2)}
    assert sorted(found.edges()) == [(0, 2), (1, 2)]


def test_original_and_cleaned_texts(index: ReportIndex) -> None:
    number = index.number(next(i for i in index.ids.to_pylist() if i.endswith(".html")))
    documents = ReportTexts.of(index)
    assert "<" in documents.text(number, original=True)
    assert "<html" not in documents.text(number)


def test_unknown_ids_and_deleted_reports(tmp_path: Path) -> None:
    twinset.find(["a b c d e f", "a b c d e f"]).save(tmp_path / "r")
    index = ReportIndex(twinset.open_report(tmp_path / "r"))
    with pytest.raises(ReportError, match="no document 'x'"):
        index.number("x")
    (tmp_path / "r" / "pairs.parquet").unlink()
    with pytest.raises(ReportError, match="is gone"):
        _ = index.pairs
