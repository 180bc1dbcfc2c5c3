"""Kinds in the tables of a run, what they keep from being removed, and what the report says."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

import twinset
from tests.report.synthetic import report_page
from tests.verify.kind_cases import FORMS, INVOICE, LEASE, POLICY
from twinset.result.words import summary
from twinset.review import browse, opened
from twinset.run import kinds as engine_kinds
from twinset.system import processes

OTHER_INVOICE = FORMS["invoices to two customers"][1]
PAPERS = {
    "lease": LEASE,
    "lease copy": LEASE,
    "lease v2": FORMS["the rent and the term"][1] + " Pets are allowed.",
    "lease wrapped": " ".join(LEASE.split()),
    "invoice 117": INVOICE,
    "invoice 121": OTHER_INVOICE,
    "handbook": LEASE + "\n\n" + POLICY + "\n\n" + POLICY.replace("leave", "holiday"),
}


def kinds(findings: twinset.Findings) -> dict[tuple[str, str], str | None]:
    table = findings.pairs
    rows = zip(*(table[name].to_pylist() for name in ("left", "right", "kind")), strict=True)
    return {(left, right): kind for left, right, kind in rows}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    papers = tmp_path / "papers"
    papers.mkdir()
    for name, text in PAPERS.items():
        (papers / f"{name}.txt").write_text(text, "utf-8")
    return papers


def test_pairs_of_plain_files_have_kinds(folder: Path) -> None:
    found = kinds(twinset.find(folder, preset="text", threshold=0.3))
    assert found["lease copy.txt", "lease.txt"] == "equal-bytes"
    assert found["lease wrapped.txt", "lease.txt"] == "equal-layout"
    assert found["lease v2.txt", "lease.txt"] == "revision"
    assert found["invoice 117.txt", "invoice 121.txt"] == "same-form"
    assert found["handbook.txt", "lease.txt"] == "part"


def test_other_documents_have_them_where_they_are_asked_for() -> None:
    papers = list(PAPERS.items())
    assert set(kinds(twinset.find(papers, preset="text", threshold=0.3)).values()) == {None}
    found = kinds(twinset.find(papers, preset="text", threshold=0.3, kinds="yes"))
    assert found["lease", "lease copy"] == "equal-words"
    assert found["invoice 117", "invoice 121"] == "same-form"


def test_they_can_be_done_without(folder: Path) -> None:
    findings = twinset.find(folder, preset="text", threshold=0.3, kinds="no")
    assert set(kinds(findings).values()) == {None}
    assert "kinds" not in findings.manifest


def test_a_cluster_has_the_least_close_kind(folder: Path) -> None:
    clusters = twinset.find(folder, preset="text", threshold=0.3, keep="first").clusters.to_pylist()
    by_member = {row["id"]: row["kind"] for row in clusters}
    assert by_member["invoice 117.txt"] == by_member["invoice 121.txt"] == "same-form"
    assert by_member["lease.txt"] == "part"
    without = {name: text for name, text in PAPERS.items() if name.startswith("lease")}
    rows = twinset.find(list(without.items()), preset="text", threshold=0.3, kinds="yes").clusters
    assert set(rows["kind"].to_pylist()) == {"revision"}


def test_lists_of_clusters_and_pairs_name_the_kind(folder: Path, tmp_path: Path) -> None:
    findings = twinset.find(folder, preset="text", threshold=0.3, keep="first")
    report = findings.save(tmp_path / "report")
    for language, words in (("en", "same form, other facts"), ("ru", "тот же бланк")):
        page = report_page(findings, language)
        clusters, _, calls = page.partition('class="signals"')[0].rpartition("<h2>")
        assert f'<span class="role">{words}' in clusters
        assert '<span class="role">' in calls
    index = opened(report)
    rows = browse.page(index, index.clusters, browse.Query()).rows
    assert {row.kind for row in rows} == {"part", "same-form"}
    plain = twinset.find(folder, preset="text", threshold=0.3, kinds="no")
    index = opened(plain.save(tmp_path / "without"))
    assert {row.kind for row in browse.page(index, index.clusters, browse.Query()).rows} == {None}
    assert 'class="role">same form' not in report_page(plain)


def test_clusters_without_anchors_are_held_against_their_first_member(folder: Path) -> None:
    rows = twinset.find(
        folder, preset="text", threshold=0.3, clusters="components"
    ).clusters.to_pylist()
    assert {row["kind"] for row in rows if row["id"].startswith("invoice")} == {"same-form"}


def test_copies_go_versions_where_asked_for_and_neither_forms_nor_parts(
    folder: Path, tmp_path: Path
) -> None:
    usual = twinset.dedup(folder, preset="text", threshold=0.3, keep="first")
    stays = set(usual.documents.filter(usual.keep)["id"].to_pylist())
    assert len(stays & {"lease.txt", "lease copy.txt", "lease wrapped.txt"}) == 1
    assert "lease v2.txt" in stays
    findings = twinset.dedup(folder, preset="text", threshold=0.3, keep="first", kind="revision")
    kept = findings.documents.filter(findings.keep)["id"].to_pylist()
    assert {"invoice 117.txt", "invoice 121.txt", "handbook.txt"} <= set(kept)
    assert len([id for id in kept if id.startswith("lease")]) == 1
    without = twinset.dedup(folder, preset="text", threshold=0.3, keep="first", kinds="no")
    assert not without.keep.all()
    assert without.keep.sum() < findings.keep.sum()

    report = findings.save(tmp_path / "report")
    with (report / "kept_apart.csv").open(encoding="utf-8") as file:
        rows = {row["kept"]: row for row in csv.DictReader(file)}
    row = rows["invoice 121.txt"]
    assert (row["beside"], row["kind"]) == ("invoice 117.txt", "same-form")
    assert row["reason"].startswith("same form, other facts: Invoice 2024-117 12 → 2024-121 19;")
    said = " ".join(summary(findings.manifest))
    assert "kept_apart.csv names them" in said
    assert "another version: " in said
    assert "kept_apart.csv" in " ".join(summary(findings.manifest, "ru"))
    opened = twinset.open_report(report)
    assert opened.pairs["kind"].to_pylist() == findings.pairs["kind"].to_pylist()
    assert opened.more["kept_apart"].num_rows == len(rows)


def test_what_was_not_compared_is_no_ground(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_kinds, "MOST", 1)
    findings = twinset.dedup(folder, preset="text", threshold=0.3, keep="first")
    known = [kind for kind in kinds(findings).values() if kind is not None]
    left_out = findings.manifest["kinds"]["left_out"]
    assert left_out == findings.pairs.num_rows - len(known) > 0
    removed = findings.documents.filter(~findings.keep)["id"].to_pylist()
    assert "lease.txt" in removed  # its bytes are those of the copy, which needs no comparison
    assert "lease v2.txt" not in removed
    assert "not compared word by word" in " ".join(summary(findings.manifest))


def test_few_texts_at_hand_give_the_same_kinds(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = kinds(twinset.find(folder, preset="text", threshold=0.3))
    monkeypatch.setattr(engine_kinds, "WORDS_AT_HAND", 1)
    monkeypatch.setattr(engine_kinds, "SETS_AT_HAND", 1)
    assert kinds(twinset.find(folder, preset="text", threshold=0.3)) == usual


@pytest.mark.parametrize("most", [1, 200_000])
def test_other_processes_give_the_same_kinds(
    folder: Path, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr(engine_kinds, "MOST", most)
    usual = kinds(twinset.find(folder, preset="text", threshold=0.3, threads=1))
    monkeypatch.setattr(processes, "PAYS", 0)
    for pairs, size, word_bytes in ((2, 1 << 17, 400), (32, 1, 1 << 40)):
        monkeypatch.setattr(engine_kinds, "PIECE_PAIRS", pairs)
        monkeypatch.setattr(engine_kinds, "PIECE_BYTES", size)
        monkeypatch.setattr(engine_kinds, "WORD_BYTES", word_bytes)  # at last all are compared here
        assert kinds(twinset.find(folder, preset="text", threshold=0.3, threads=2)) == usual


def test_a_process_that_ends_costs_no_kind(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = kinds(twinset.find(folder, preset="text", threshold=0.3, threads=1))
    monkeypatch.setattr(processes, "PAYS", 0)
    monkeypatch.setattr(
        processes.Workers, "results", lambda self, function, calls: [None] * len(calls)
    )
    assert kinds(twinset.find(folder, preset="text", threshold=0.3, threads=2)) == usual
