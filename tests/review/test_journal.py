"""The journal: nothing lost by crashes and other writers, everything can be undone."""

from __future__ import annotations

import csv
import io
import json
import multiprocessing
import os
import shutil
from pathlib import Path

import pytest

from twinset.errors import PlanError, ReportError
from twinset.review.decisions import NAME, Journal, as_csv, as_json, labels


def test_a_later_decision_replaces_an_earlier_one_and_undo_brings_it_back(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    journal.add(["a", "b"], "duplicate", keep="b")
    journal.add(["b", "a"], "not")
    journal.add(["a", "c"], "unsure")
    assert [d.verdict for d in journal.read().standing] == ["not", "unsure"]
    undone = journal.undo()
    assert undone is not None
    assert undone.ids == ("a", "c")
    journal.undo()
    found = journal.read().on(["a", "b"])
    assert found is not None
    assert (found.verdict, found.keep) == ("duplicate", "b")
    journal.undo()
    assert len(journal.read()) == 0
    assert journal.undo() is None


def test_the_file_is_only_appended_to(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    journal.add(["a", "b"], "duplicate")
    before = journal.path.read_bytes()
    journal.undo()
    assert journal.path.read_bytes().startswith(before)
    assert journal.path.read_bytes().count(b"\n") == 2


def test_a_line_cut_short_by_a_crash_costs_that_line_only(tmp_path: Path) -> None:
    Journal(tmp_path).add(["a", "b"], "duplicate")
    with (tmp_path / NAME).open("ab") as file:
        file.write(b'{"verdict": "not", "ids": ["c", "d')
    journal = Journal(tmp_path)
    assert len(journal.read()) == 1
    journal.add(["e", "f"], "not")
    assert [d.ids for d in Journal(tmp_path).read().standing] == [("a", "b"), ("e", "f")]
    assert journal.undo() is not None
    assert [d.ids for d in Journal(tmp_path).read().standing] == [("a", "b")]


def test_lines_that_make_no_sense_are_skipped(tmp_path: Path) -> None:
    strange = ["[]", "7", "{}", '{"ids": [1, 2]}', '{"ids": ["a"], "verdict": "not"}', '"x"']
    strange += ['{"ids": ["a", "b"], "verdict": "maybe"}', '{"undo": "x"}', "\x00\xff"]
    (tmp_path / NAME).write_text("\n".join(strange) + "\n", encoding="latin-1")
    assert len(Journal(tmp_path).read()) == 0


def test_another_writer_is_seen(tmp_path: Path) -> None:
    one, other = Journal(tmp_path), Journal(tmp_path)
    one.add(["a", "b"], "duplicate")
    assert len(other.read()) == 1
    other.add(["c", "d"], "not")
    assert len(one.read()) == 2
    undone = one.undo()
    assert undone is not None
    assert undone.ids == ("c", "d")
    assert len(other.read()) == 1


def _write(folder: str, writer: int) -> None:
    journal = Journal(Path(folder))
    for number in range(25):
        journal.add([f"w{writer}", f"n{number}", "x" * 5000], "duplicate")


def test_many_writers_at_once(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_write, args=(str(tmp_path), n)) for n in range(3)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert len(Journal(tmp_path).read()) == 75


def test_ids_of_any_kind(tmp_path: Path) -> None:
    ids = ["new\nline", 'quote"', "\u202ebidi", "null\x00", "пример", ""]
    Journal(tmp_path).add(ids, "duplicate", keep="null\x00")
    assert Journal(tmp_path).read().standing[0].ids == tuple(ids)


@pytest.mark.parametrize(
    ("ids", "verdict", "keep"),
    [
        (["a"], "duplicate", None),
        (["a", "a"], "duplicate", None),
        (["a", "b"], "maybe", None),
        (["a", "b"], "duplicate", "c"),
        (["a", "b"], "not", "a"),
    ],
)
def test_what_cannot_be_decided(tmp_path: Path, ids: list[str], verdict: str, keep: str) -> None:
    with pytest.raises(PlanError):
        Journal(tmp_path).add(ids, verdict, keep)  # type: ignore[arg-type]
    assert not (tmp_path / NAME).exists()


def test_a_folder_that_is_gone(tmp_path: Path) -> None:
    folder = tmp_path / "report"
    folder.mkdir()
    journal = Journal(folder)
    journal.add(["a", "b"], "duplicate")
    shutil.rmtree(folder)
    assert len(journal.read()) == 0
    with pytest.raises(ReportError, match="is gone: nothing was saved"):
        journal.add(["a", "b"], "duplicate")


def test_a_full_disk_leaves_no_half_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = Journal(tmp_path)
    journal.add(["a", "b"], "duplicate")
    before = journal.path.read_bytes()
    write = os.write
    monkeypatch.setattr(os, "write", lambda file, data: write(file, data[:5]))
    with pytest.raises(ReportError, match="not saved"):
        journal.add(["c", "d"], "not")
    monkeypatch.undo()
    assert journal.path.read_bytes() == before


def test_labels_for_learning(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    journal.add(["a", "b", "c"], "duplicate", keep="b")
    journal.add(["c", "a"], "not")
    journal.add(["c", "b"], "unsure")
    journal.add(["d", "e, f"], "not")
    found = journal.read()
    rows = list(csv.reader(io.StringIO(as_csv(found))))
    assert rows == [
        ["left", "right", "label"],
        ["a", "b", "1"],
        ["a", "c", "0"],
        ["d", "e, f", "0"],
    ]
    assert json.loads(as_json(found))["labels"] == [["a", "b", 1], ["a", "c", 0], ["d", "e, f", 0]]


def test_a_large_cluster_gives_a_star(tmp_path: Path) -> None:
    ids = [f"d{n}" for n in range(100)]
    Journal(tmp_path).add(ids, "duplicate", keep="d5")
    found = labels(Journal(tmp_path).read())
    assert len(found) == 99
    assert {label.left for label in found} == {"d5"}
