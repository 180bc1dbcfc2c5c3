"""``dedup`` with documents that are annotated, not split, or in shards."""

from __future__ import annotations

import json
from pathlib import Path

import twinset as library
from tests.cli.conftest import Twinset
from twinset.plan import OutputForm
from twinset.review import Journal, apply, opened


def records(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_without_splitting_there_are_the_tables_alone(twinset: Twinset, corpus: Path) -> None:
    done = twinset("dedup", corpus, "-o", "out", "-t", "0.5", "-q", "--no-split")
    assert "→" not in done.stdout
    assert "Kept 3 documents" in done.stdout
    names = {path.name.split(".")[0] for path in (corpus.parent / "out").iterdir()}
    assert not names & {"kept", "removed", "annotated"}


def test_python_has_the_same(corpus: Path) -> None:
    findings = library.dedup(corpus, threshold=0.5)
    folder = findings.save(corpus.parent / "out", annotate=True, no_split=True, shards=3)
    assert findings.manifest["written"]["annotated"]["files"] == 3
    assert [path.name for path in Path(str(folder)).glob("*/*")] != []
    assert not (Path(str(folder)) / "kept").exists()


def test_decisions_are_applied_to_annotated_documents(twinset: Twinset, corpus: Path) -> None:
    assert twinset("find", corpus, "-o", "r", "-t", "0.5", "-q").returncode == 0
    Journal(corpus.parent / "r").add(["a", "c"], "duplicate", "c")
    form = OutputForm(annotate=True, no_split=True, shards=1)
    apply(opened(corpus.parent / "r"), corpus.parent / "new", form=form)
    rows = records(corpus.parent / "new" / "annotated" / "00000-of-00001.jsonl")
    assert {str(row["id"]): row["twinset_kept_id"] for row in rows}["a"] == "c"
    assert not (corpus.parent / "new" / "kept").exists()
