"""``dedup`` with documents that are annotated, not split, or in shards."""

from __future__ import annotations

import json
from pathlib import Path

import twinset as library
from tests.cli.conftest import Twinset
from twinset.model.outcomes import ADDED


def records(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_annotated_documents_say_what_was_decided(twinset: Twinset, corpus: Path) -> None:
    done = twinset("dedup", corpus, "-o", "out", "-t", "0.5", "-q", "--annotate")
    out = corpus.parent / "out"
    assert "Annotated: 5 documents → out/annotated.jsonl" in done.stdout
    rows = records(out / "annotated.jsonl")
    assert [{k: v for k, v in row.items() if k not in ADDED} for row in rows] == records(corpus)
    decided = {str(row["id"]): [row[name] for name in ADDED] for row in rows}
    assert decided["a"] == [0, True, None, None]
    assert decided["b"] == [0, False, "a", 1.0]
    assert decided["c"][:3] == [0, False, "a"]
    assert decided["d"] == decided["e"] == [None, True, None, None]
    kept = [row["id"] for row in rows if row["twinset_keep"]]
    assert [row["id"] for row in records(out / "kept.jsonl")] == kept
    report = library.open_report(out)
    (score,) = (row["kept_score"] for row in report.documents.to_pylist() if row["id"] == "c")
    assert decided["c"][3] == round(score, 6)
    assert set(report.manifest["written"]) == {"kept", "removed", "annotated"}


def test_without_splitting_there_are_the_tables_alone(twinset: Twinset, corpus: Path) -> None:
    done = twinset("dedup", corpus, "-o", "out", "-t", "0.5", "-q", "--no-split")
    assert "→" not in done.stdout
    assert "Kept 3 documents" in done.stdout
    names = {path.name.split(".")[0] for path in (corpus.parent / "out").iterdir()}
    assert not names & {"kept", "removed", "annotated"}


def test_shards_of_several_files_follow_each_other(twinset: Twinset, corpus: Path) -> None:
    again = corpus.with_name("more.jsonl")
    again.write_bytes(corpus.read_bytes().rstrip(b"\n"))
    done = twinset("dedup", again, corpus, "-o", "out", "-q", "--shards", 2, "--annotate")
    assert done.returncode == 0, done.stderr
    parts = sorted((corpus.parent / "out" / "annotated").iterdir())
    assert [part.name for part in parts] == ["00000-of-00002.jsonl", "00001-of-00002.jsonl"]
    rows = [row for part in parts for row in records(part)]
    assert [row["id"] for row in rows] == [row["id"] for row in records(corpus)] * 2


def test_files_that_do_not_fit_are_said_before_the_work(twinset: Twinset, corpus: Path) -> None:
    table = corpus.with_name("table.csv")
    table.write_text("id,text\n1,words\n", encoding="utf-8")
    done = twinset("dedup", corpus, table, "-o", "out", "--shards", 2)
    assert done.returncode == 2
    assert "cannot be joined as they are: jsonl and csv; add --to jsonl" in done.stderr
    assert "reading" not in done.stderr
    none = twinset("dedup", corpus, "-o", "out", "--shards", 0)
    assert "shards must be at least 1, not 0" in none.stderr
    assert "no option --annotate" in twinset("find", corpus, "-o", "out", "--annotate").stderr


def test_python_has_the_same(corpus: Path) -> None:
    findings = library.dedup(corpus, threshold=0.5)
    folder = findings.save(corpus.parent / "out", annotate=True, no_split=True, shards=3)
    assert findings.manifest["written"]["annotated"]["files"] == 3
    assert [path.name for path in Path(str(folder)).glob("*/*")] != []
    assert not (Path(str(folder)) / "kept").exists()


def test_decisions_are_applied_to_annotated_documents(twinset: Twinset, corpus: Path) -> None:
    assert twinset("find", corpus, "-o", "r", "-t", "0.5", "-q").returncode == 0
    twinset("decide", "r", "a", "c", "--as", "duplicate", "--keep-id", "c")
    done = twinset("decide", "r", "--apply", "new", "--annotate", "--no-split", "--shards", 1)
    assert done.returncode == 0, done.stderr
    rows = records(corpus.parent / "new" / "annotated" / "00000-of-00001.jsonl")
    assert {str(row["id"]): row["twinset_kept_id"] for row in rows}["a"] == "c"
    assert not (corpus.parent / "new" / "kept").exists()
