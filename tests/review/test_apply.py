"""Decisions carried out: what goes, for what, and that no chain and no user's file suffers."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow.csv
import pytest

import twinset
from tests.reading.test_mail import letter
from twinset.errors import ReportError
from twinset.review.apply import apply, settle
from twinset.review.decisions import Journal
from twinset.review.index import ReportIndex
from twinset.run import Findings

EXAMPLE = Path(__file__).parents[2] / "examples" / "collection"
WORDS = [f"word{n}" for n in range(40)]


def text(changed: int, start: int = 0) -> str:
    return " ".join(["other" if start <= n < start + changed else w for n, w in enumerate(WORDS)])


DOCUMENTS = {
    "a": text(0),
    "b": text(2),
    "c": text(0),
    "d": text(3, 30),
    "e": "entirely different words make up this one and nothing else",
    "f": "yet another one with words of its own that nobody has seen",
}


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    rows = [json.dumps({"id": id, "text": body}) for id, body in DOCUMENTS.items()]
    (tmp_path / "corpus.jsonl").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return tmp_path / "corpus.jsonl"


@pytest.fixture
def index(corpus: Path) -> ReportIndex:
    twinset.find(corpus, 0.5, exact=True, shingle=2).save(corpus.parent / "report")
    return ReportIndex(twinset.open_report(corpus.parent / "report"))


def gone(index: ReportIndex, undecided: str = "keep") -> dict[str, str]:
    found = settle(index, Journal(index.report.folder).read(), undecided)  # type: ignore[arg-type]
    return {
        index.id(document): index.id(int(target))
        for document, target in enumerate(found.target)
        if target != document
    }


def test_nothing_goes_without_a_decision(index: ReportIndex) -> None:
    assert gone(index) == {}


@pytest.mark.parametrize("keep", ["first", "longest", "shortest"])
def test_without_decisions_the_rest_goes_as_in_dedup(tmp_path: Path, keep: str) -> None:
    made = twinset.dedup(EXAMPLE, 0.6, keep=keep)
    made.save(tmp_path / "r")
    index = ReportIndex(twinset.open_report(tmp_path / "r"))
    settled = settle(index, Journal(tmp_path / "r").read(), "remove")
    table = made.documents
    expected = [
        kept or id
        for id, kept in zip(*(table[n].to_pylist() for n in ("id", "kept_as")), strict=True)
    ]
    assert [index.id(int(t)) for t in settled.target] == expected
    scores = np.array([1.0 if s is None else s for s in table["kept_score"].to_pylist()])
    assert np.allclose(settled.score, scores)


def test_the_chosen_copy_stays(index: ReportIndex) -> None:
    journal = Journal(index.report.folder)
    journal.add(["a", "b", "d"], "duplicate", keep="d")
    assert gone(index) == {"a": "d", "b": "d"}
    assert gone(index, "remove") == {"a": "d", "b": "d", "c": "d"}


def test_a_pair_that_is_none_stays_apart(index: ReportIndex) -> None:
    assert gone(index, "remove") == {"b": "a", "c": "a", "d": "a"}
    journal = Journal(index.report.folder)
    journal.add(["a", "b"], "not")
    journal.add(["a", "d"], "unsure")
    found = gone(index, "remove")
    assert found["c"] == "a"
    assert found.get("b") != "a"
    assert found.get("d") != "a"


def test_a_later_word_on_a_pair_overrules_one_on_its_cluster(index: ReportIndex) -> None:
    journal = Journal(index.report.folder)
    journal.add(["a", "b", "c"], "duplicate", keep="a")
    journal.add(["a", "b"], "not")
    assert gone(index) == {"c": "a"}
    journal.undo()
    assert gone(index) == {"b": "a", "c": "a"}


def test_documents_without_a_listed_pair_can_be_called_copies(index: ReportIndex) -> None:
    Journal(index.report.folder).add(["e", "f"], "duplicate", keep="f")
    settled = settle(index, Journal(index.report.folder).read())
    assert gone(index) == {"e": "f"}
    assert np.isnan(settled.score[4])
    assert settled.counts() == {"kept": 5, "removed": 1, "by_decision": 1}


def test_no_chain_by_decisions(index: ReportIndex) -> None:
    """f is a copy of e, e goes for a: f was never held against a, so it stays."""
    journal = Journal(index.report.folder)
    journal.add(["e", "f"], "duplicate", keep="e")
    journal.add(["a", "e"], "duplicate", keep="a")
    assert gone(index) == {"e": "a"}


def test_documents_of_another_run_are_counted(index: ReportIndex) -> None:
    Journal(index.report.folder).add(["a", "stranger"], "duplicate", keep="a")
    settled = settle(index, Journal(index.report.folder).read())
    assert settled.unknown == 1
    assert settled.counts()["removed"] == 0


def test_apply_writes_kept_and_removed_and_leaves_the_input_alone(
    index: ReportIndex, corpus: Path
) -> None:
    before = corpus.read_bytes()
    Journal(index.report.folder).add(["a", "b"], "duplicate", keep="b")
    out = corpus.parent / "clean"
    made = apply(index, out)
    assert (made.kept, made.removed, made.by_decision) == (5, 1, 1)
    assert corpus.read_bytes() == before
    lines = before.decode().splitlines()
    assert (out / "removed.jsonl").read_text(encoding="utf-8") == lines[0] + "\n"
    assert (out / "kept.jsonl").read_text(encoding="utf-8").splitlines() == lines[1:]
    rows = pyarrow.csv.read_csv(out / "removals.csv").to_pylist()
    assert [(r["removed"], r["kept"], r["reason"]) for r in rows] == [("a", "b", "decided by hand")]
    assert (out / "decisions.jsonl").read_bytes() == Journal(index.report.folder).path.read_bytes()
    again = twinset.open_report(out)
    assert again.manifest["counts"]["removed"] == 1
    roles = dict(zip(*(again.clusters[n].to_pylist() for n in ("id", "role")), strict=True))
    assert roles["a"] == "removed"
    assert "by hand" in (out / "report.html").read_text(encoding="utf-8")


def test_apply_does_not_overwrite(index: ReportIndex, corpus: Path) -> None:
    apply(index, corpus.parent / "clean")
    with pytest.raises(ReportError, match="exists already"):
        apply(index, corpus.parent / "clean")
    apply(index, corpus.parent / "clean", force=True)


def test_apply_to_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for id, body in DOCUMENTS.items():
        (folder / f"{id}.txt").write_text(body, encoding="utf-8")
    twinset.find(folder, 0.5, exact=True, shingle=2).save(tmp_path / "r")
    index = ReportIndex(twinset.open_report(tmp_path / "r"))
    Journal(tmp_path / "r").add(["a.txt", "d.txt"], "duplicate", keep="a.txt")
    apply(index, tmp_path / "out")
    assert [p.name for p in (tmp_path / "out" / "removed").iterdir()] == ["d.txt"]
    assert len(list((tmp_path / "out" / "kept").iterdir())) == 5
    assert len(list(folder.iterdir())) == 6


@pytest.fixture
def mail(tmp_path: Path) -> Path:
    """Two letters with notes that are like three files beside them, one of which is equal."""
    folder = tmp_path / "mail"
    folder.mkdir()
    for name, note in (("a", text(2)), ("b", text(3))):
        message = letter(f"Letter {name}", f"words of the letter {name} {name * 5} alone")
        message.add_attachment(note.encode(), "text", "plain", filename="note.txt")
        (folder / f"{name}.eml").write_bytes(bytes(message))
    for name, note in (("x", text(0)), ("y", text(1)), ("z", text(2))):
        (folder / f"{name}.txt").write_text(note, "utf-8")
    return folder


@pytest.mark.parametrize("keep", ["first", "shortest", "date:max"])
@pytest.mark.parametrize("run", [twinset.find, twinset.dedup])
def test_attachments_stay_and_no_file_goes_for_one(
    mail: Path, tmp_path: Path, run: Callable[..., Findings], keep: str
) -> None:
    (tmp_path / "other.jsonl").write_text('{"id": "o", "text": "else", "date": "2024-01-01"}\n')
    inputs = [mail, tmp_path / "other.jsonl"]
    options = {"threshold": 0.5, "exact": True, "shingle": 2, "kinds": "no", "keep": keep}
    run(inputs, **options).save(tmp_path / "report")
    index = ReportIndex(twinset.open_report(tmp_path / "report"))
    removed = gone(index, "remove")
    assert len(removed) == 2
    assert all(id.endswith(".txt") and "/" not in id for pair in removed.items() for id in pair)
    made = twinset.dedup(inputs, **options)
    assert sorted(removed) == [index.id(int(row)) for row in made.removed_indices]
    applied = apply(index, tmp_path / "applied", undecided="remove")
    assert (applied.kept, applied.removed) == (6, 2)
    listed = pyarrow.csv.read_csv(tmp_path / "applied" / "removals.csv")["removed"].to_pylist()
    assert sorted(listed) == sorted(removed)


def test_an_attachment_that_is_called_a_copy_stays(mail: Path, tmp_path: Path) -> None:
    twinset.find(mail, 0.5, exact=True, shingle=2).save(tmp_path / "report")
    index = ReportIndex(twinset.open_report(tmp_path / "report"))
    journal = Journal(tmp_path / "report")
    journal.add(["a.eml/note.txt", "x.txt"], "duplicate", keep="x.txt")
    assert gone(index) == {}
    # a person may know that the letter is enough
    journal.add(["a.eml/note.txt", "x.txt"], "duplicate", keep="a.eml/note.txt")
    assert gone(index) == {"x.txt": "a.eml/note.txt"}


def test_a_changed_input_is_refused(index: ReportIndex, corpus: Path) -> None:
    corpus.write_text(
        corpus.read_text(encoding="utf-8").replace("word7", "word8"), encoding="utf-8"
    )
    with pytest.raises(twinset.TwinsetError, match="changed"):
        apply(index, corpus.parent / "clean")
    assert not (corpus.parent / "clean").exists()


def test_documents_from_memory_cannot_be_split(tmp_path: Path) -> None:
    twinset.find(["a b c d e f g", "a b c d e f g"]).save(tmp_path / "r")
    with pytest.raises(ReportError, match="memory"):
        apply(ReportIndex(twinset.open_report(tmp_path / "r")), tmp_path / "out")


def test_decisions_outlive_a_report_that_is_replaced(index: ReportIndex, corpus: Path) -> None:
    Journal(index.report.folder).add(["a", "b"], "not")
    twinset.find(corpus, 0.9).save(index.report.folder, force=True)
    assert len(Journal(index.report.folder).read()) == 1


def test_counts_are_no_decisions_and_equal_documents_keep_their_count(tmp_path: Path) -> None:
    rows = list(DOCUMENTS.items())
    twinset.find(rows, 20, exact=True, measure="overlap", shingle=1).save(tmp_path / "report")
    index = ReportIndex(twinset.open_report(tmp_path / "report"))
    Journal(index.report.folder).add(["e", "f"], "duplicate")
    found = settle(index, Journal(index.report.folder).read(), "remove")
    removed = {index.id(d): float(found.score[d]) for d in np.flatnonzero(found.target != range(6))}
    assert {id: removed[id] for id in ("b", "c", "d")} == {"b": 38, "c": 40, "d": 37}
    assert [index.id(int(d)) for d in np.flatnonzero(found.decided)] == ["f"]
