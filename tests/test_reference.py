"""Reference folders are compared with, never removed from, and not reported by themselves."""

from __future__ import annotations

import itertools
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import twinset
from tests.kernels.examples import examples
from twinset.errors import MissingFileError
from twinset.review.apply import apply
from twinset.review.index import opened
from twinset.review.threshold import preference

TEXT = "the landlord lets the flat in the old street to the tenant from the first of May on"
PICTURE = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """An input that holds the reference: copies in both, inside each, pictures and texts."""
    home, reference = tmp_path / "in", tmp_path / "in" / "archive"
    reference.mkdir(parents=True)
    for name in ("archive/a (1).txt", "archive/b.txt", "a.txt"):
        (home / name).write_text(TEXT)
    for name in ("archive/c.txt", "archive/d.txt"):
        (home / name).write_text("something else that is in the archive alone, and there twice")
    for name in ("archive/p.png", "archive/q.png", "r.png"):
        (home / name).write_bytes(PICTURE)
    for name in ("archive/s.bin", "archive/t.bin"):
        (home / name).write_bytes(b"\0\1\2")
    return home, reference


def pairs(findings: Any) -> set[tuple[str, str]]:
    return set(zip(*(findings.pairs[side].to_pylist() for side in ("left", "right")), strict=True))


@pytest.mark.parametrize("clusters", ["anchored", "components", "cliques"])
def test_pairs_and_clusters_have_a_document_outside(
    folders: tuple[Path, Path], clusters: str
) -> None:
    home, reference = folders
    findings = twinset.find(home, reference=[str(reference)], clusters=clusters)
    expected = {("a (1).txt", "a.txt"), ("b.txt", "a.txt"), ("p.png", "r.png"), ("q.png", "r.png")}
    assert pairs(findings) == expected
    members = findings.clusters["id"].to_pylist()
    assert sorted(members) == ["a (1).txt", "a.txt", "b.txt", "p.png", "q.png", "r.png"]
    assert findings.manifest["inputs"][0]["reference"] is True
    assert "reference" not in findings.manifest["inputs"][1]


def test_what_is_there_goes_and_the_reference_stays(
    folders: tuple[Path, Path], tmp_path: Path
) -> None:
    home, reference = folders
    before = sorted(os.listdir(reference))
    findings = twinset.dedup(home, reference=[str(reference)])
    kept_as = dict(
        zip(*(findings.documents[n].to_pylist() for n in ("id", "kept_as")), strict=True)
    )
    gone = {id: other for id, other in kept_as.items() if other is not None}
    assert set(gone) == {"a.txt", "r.png"}
    assert gone["a.txt"] == "b.txt"  # of two that stay, the one without a mark
    findings.save(tmp_path / "out")
    assert sorted(os.listdir(tmp_path / "out" / "removed")) == ["a.txt", "r.png"]
    assert os.listdir(tmp_path / "out" / "kept") == []
    assert sorted(os.listdir(reference)) == before
    report = twinset.open_report(tmp_path / "out")
    assert report.texts(["a.txt", "b.txt"]) == {"a.txt": TEXT, "b.txt": TEXT}
    index = opened(tmp_path / "out")
    kept = preference(index, removing=True).kept
    assert kept[index.number("b.txt")]
    assert not kept[index.number("a.txt")]


def test_a_reference_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TEXT)
    with pytest.raises(MissingFileError, match="gone"):
        twinset.find(tmp_path, reference=[str(tmp_path / "gone")])


@given(st.lists(st.tuples(st.booleans(), st.sampled_from("abcd")), min_size=1, max_size=9))
@examples(25)
def test_pairs_are_all_but_those_inside_the_reference(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[bool, str]]
) -> None:
    home = tmp_path_factory.mktemp("files")
    texts = {"a": TEXT, "b": f"{TEXT} x", "c": "\0\1", "d": "one two three four five six seven"}
    for folder in ("in", "reference"):
        (home / folder).mkdir()
    for number, (is_reference, text) in enumerate(rows):
        place = home / ("reference" if is_reference else "in")
        (place / f"{number}.txt").write_text(texts[text])
    both = twinset.find([home / "reference", home / "in"], 0.7, method="exact")
    outside = {f"{number}.txt" for number, row in enumerate(rows) if not row[0]}
    expected = {pair for pair in pairs(both) if set(pair) & outside}
    found = twinset.find(home / "in", 0.7, method="exact", reference=[str(home / "reference")])
    assert pairs(found) == expected
    assert found.manifest["counts"]["pairs"] == len(expected)
    few = twinset.find(
        home / "in", 0.7, method="exact", reference=[str(home / "reference")], max_pairs=0
    )
    assert few.manifest["implied_pairs"] + few.pairs.num_rows == len(expected)
    clustered = found.clusters.to_pylist()
    for _, members in itertools.groupby(clustered, key=lambda row: row["cluster"]):
        assert {row["id"] for row in members} & outside


def test_decisions_write_no_document_of_a_reference(tmp_path: Path) -> None:
    for name, ids in (("known", "ab"), ("new", "cd")):
        ends = {id: "again" if id in "ac" else id for id in ids}
        lines = (f'{{"id": "{id}", "text": "{TEXT} {end}"}}\n' for id, end in ends.items())
        (tmp_path / f"{name}.jsonl").write_text("".join(lines))
    findings = twinset.dedup(
        tmp_path / "new.jsonl", reference=[str(tmp_path / "known.jsonl")], threshold=0.95
    )
    assert findings.manifest["counts"]["removed"] == 1
    index = opened(findings.save(tmp_path / "report"))
    new = apply(index, tmp_path / "applied", undecided="remove").folder
    lines = (tmp_path / "new.jsonl").read_text().splitlines()
    assert (new / "removed.jsonl").read_text().splitlines() == lines[:1]
    assert (new / "kept.jsonl").read_text().splitlines() == lines[1:]


def test_the_documents_keep_their_ids_and_those_of_the_reference_get_numbers(
    tmp_path: Path,
) -> None:
    for folder in ("new", "old"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.txt").write_text(TEXT)
    new, old = tmp_path / "new", tmp_path / "old"
    findings = twinset.dedup(new, reference=[str(old)])
    rows = findings.documents.select(["id", "kept_as", "kept_because"]).to_pylist()
    reason = "the other one is in the reference, identical files"
    assert [tuple(row.values()) for row in rows] == [
        ("a.txt#2", None, None),
        ("a.txt", "a.txt#2", reason),
    ]
    assert findings.manifest["counts"]["repeated_ids"] == 1
