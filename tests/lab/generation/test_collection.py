"""A made collection: the same bytes every time, its truth exact, its tables in step."""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

import twinset
from twinset.errors import ReportError
from twinset.lab.generate import generate

OPS = ["delete-paragraphs:20%", "replace-words:5%", "ocr-noise:1%"]
PAGE = "<html><body>{}</body></html>"


def texts(count: int = 12) -> dict[str, str]:
    """Documents of ten paragraphs, every third one a page, one in Japanese, one empty."""
    found = {}
    for number in range(count):
        parts = [
            f"Document {number} part {part} speaks of topic {number * 100 + part}. "
            f"It goes on with remark{number}x{part} and ends here."
            for part in range(10)
        ]
        found[f"d{number}"] = "\n\n".join(parts)
        if number % 3 == 0:
            found[f"d{number}"] = PAGE.format("".join(f"<p>{part}</p>" for part in parts))
    return found | {"日本": "これは漢字です。\n\n次の段落。", "empty": " \n"}


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def rows(path: Path) -> list[dict[str, str]]:
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def write_jsonl(path: Path, documents: dict[str, str]) -> Path:
    lines = (json.dumps({"id": id, "text": text}) for id, text in documents.items())
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_the_same_bytes_whatever_the_threads_and_batches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("twinset.plan.resources.OWN_MEMORY", 0)  # so little that batches are small
    source = write_jsonl(tmp_path / "in.jsonl", texts())
    made = []
    for name, threads, memory in (("a", 1, "16MB"), ("b", 7, "1GB")):
        options: dict[str, Any] = {"variants": 2, "seed": 3}
        generate(source, tmp_path / name, ops=OPS, threads=threads, memory=memory, **options)
        made.append(contents(tmp_path / name))
    assert made[0] == made[1]


def digest_of(files: Iterable[bytes]) -> str:
    return hashlib.sha256(b"\0".join(files)).hexdigest()[:16]


def test_the_bytes_of_a_seed_never_change(tmp_path: Path) -> None:
    """A change of this digest changes every collection that was made with a seed."""
    generate(texts(), tmp_path / "out", ops=OPS, limit=5, variants=2, seed=3)
    found = contents(tmp_path / "out")
    del found["manifest.json"]  # names the version
    assert digest_of(found.values()) == "9c7d1c12927b1b9e"
    assert digest_of([found["documents.jsonl"], found["truth.csv"]]) == "8fe76ed4d8f2d02a"


def test_the_order_of_reading_decides_nothing() -> None:
    forwards, backwards = texts(), dict(reversed(texts().items()))
    made = [generate(docs, ops=["truncate:10%"], limit=4) for docs in (forwards, backwards)]
    assert sorted(made[0].documents) == sorted(made[1].documents)
    assert len(made[0].documents) == 8


def test_truth_is_what_the_finder_computes(tmp_path: Path) -> None:
    made = generate(texts(), tmp_path / "out", ops=OPS, variants=2)
    found = twinset.find(str(made.place), 0.01, exact=True)
    scores = {
        frozenset((row["left"], row["right"])): row["score"] for row in found.pairs.to_pylist()
    }
    truth = {frozenset((p.left, p.right)): p.similarity for p in made.truth}
    assert len(truth) == len(made.truth) == 3 * made.counts["sources"]
    for pair, similarity in truth.items():
        assert scores.get(pair, 0.0) == similarity.jaccard
    edits = twinset.find(str(made.place), 0.01, exact=True, verify="edit:0.01")
    for row in edits.pairs.to_pylist():
        pair = frozenset((row["left"], row["right"]))
        if pair in truth:
            assert row["score"] == pytest.approx(truth[pair].edit, abs=1e-12)


def test_the_tables_tell_the_same(tmp_path: Path) -> None:
    made = generate(texts(), tmp_path / "out", ops=OPS, limit=6, variants=3)
    log = [json.loads(x) for x in (tmp_path / "out" / "log.jsonl").read_text().splitlines()]
    assert len(log) == 18 == made.counts["made"]
    for told in log:
        assert set(told) == {"id", "source", "operations", "similarity"}
        assert [step["name"] for step in told["operations"]] == [
            spec.partition(":")[0] for spec in OPS
        ]
        assert [step["strength"] for step in told["operations"]] == [20.0, 5.0, 1.0]
    truth = {(r["left"], r["right"]): r for r in rows(tmp_path / "out" / "truth.csv")}
    for told in log:
        row = truth[told["source"], told["id"]]
        assert float(row["jaccard"]) == told["similarity"]["jaccard"]
        assert float(row["edit"]) == told["similarity"]["edit"]
    assert {told["id"] for told in log} < {document.id for document in made.documents}
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["counts"] == made.counts
    assert manifest["seed"] == 1


def test_odd_texts_and_ids_are_read_back_as_they_were_made(tmp_path: Path) -> None:
    odd = {
        "a,b": 'He said "so", then\r\nleft.\rAnd; more\ttabs.',
        "../up": "Climbs out of its folder.",
        "x/y": "In a folder.",
        "x": "Beside it.",
        "X/Y": "Another case.",
        "n" * 300: "A long name.",
        "page": "<html><body><p>One &amp; two.</p><p>Three.</p></body></html>",
        "CON:?*": "Names that some systems refuse.",
    }
    held = generate(odd, ops=["truncate:10%"])
    made = generate(odd, tmp_path / "out", ops=["truncate:10%"])
    assert held.documents == made.documents
    assert held.log == made.log
    assert held.truth == made.truth
    documents = dict(held.documents)
    assert documents["a,b"] == odd["a,b"]
    assert documents.keys() == {id + end for id in odd for end in ("", "~1")}
    folder = held.folder
    del held
    assert not folder.exists()


def test_which_originals_stay() -> None:
    for originals, expected in (("sources", 8), ("all", 18), ("none", 4)):
        made = generate(texts(), ops=OPS, limit=4, originals=originals)
        assert len(made.documents) == expected
        assert len(made.truth) == (0 if originals == "none" else 4)
    both = generate(texts(), ops=OPS, limit=4, originals="none", variants=2)
    assert len(both.truth) == 4


def test_ids_are_distinguished(tmp_path: Path) -> None:
    path = tmp_path / "in.jsonl"
    ids = ["a", "a", "a~1", "a#2", "b.html", "a"]
    lines = [json.dumps({"id": id, "text": f"Some words {n}."}) for n, id in enumerate(ids)]
    path.write_text("\n".join(lines), encoding="utf-8")
    made = generate(path, ops=["truncate:10%"])
    found = [document.id for document in made.documents]
    assert len(set(found)) == 12
    assert {"a", "a#2'", "a~1", "a~1'", "a#2", "b.html", "b.html~1", "a#3"} <= set(found)


def test_what_is_there_is_not_overwritten(tmp_path: Path) -> None:
    generate(["Some words."], tmp_path / "out", ops=OPS)
    with pytest.raises(ReportError, match="exists already"):
        generate(["Some words."], tmp_path / "out", ops=OPS)
    generate(["Other words."], tmp_path / "out", ops=OPS, force=True)
