"""An index in a folder: additions, removals, merges, several programs at once."""

from __future__ import annotations

import json
import threading
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import twinset
from tests.index.pairs import answered, files_of, found, near
from twinset.errors import PlanError
from twinset.index import IdTakenError, Index, IndexBusyError, catalogue


def test_files_and_merges_change_no_answer(tmp_path: Path, small_parts: None) -> None:
    texts = near(60)
    with Index.create(tmp_path / "index", threshold=0.5) as index:
        assert (tmp_path / "index").stat().st_mode & 0o777 == 0o700
        names = list(texts)
        for at in range(0, len(names), 7):
            some = names[at : at + 7] if at % 2 else names[at : at + 7][:7]
            index.add_texts(some, [texts[name] for name in some])
        info = index.info()
        assert 1 < info["key_files"] < 9
        assert answered(index, texts) == found(texts, threshold=0.5)
        assert [name for name, _ in index.documents()] == names
        assert index.check() == []


def test_removed_documents_are_gone_before_and_after_compacting(
    tmp_path: Path, small_parts: None
) -> None:
    texts = near(60)
    gone = list(texts)[::2]
    left = {name: text for name, text in texts.items() if name not in gone}
    with Index.create(tmp_path / "index", threshold=0.5) as index:
        index.add(texts)
        index.add_texts(["late"], ["a document that came late and lies in the catalogue"])
        assert index.remove([*gone, "late", "never there"]) == len(gone) + 1
        want = found(left, threshold=0.5)
        assert answered(index, left) == want
        before = index.info()
        index.compact()
        after = index.info()
        assert (after["key_files"], after["removed"]) == (1, 0)
        assert after["bytes"] < before["bytes"]
        assert answered(index, left) == want
        assert dict(index.documents()) == left
        index.compact()
        assert index.remove(list(left)) == len(left)
        index.compact()
        assert index.info()["documents"] == 0
        index.add(texts)
        assert answered(index, texts) == found(texts, threshold=0.5)
        assert index.check() == []


def test_an_empty_id_is_none(tmp_path: Path) -> None:
    with Index.create(tmp_path / "index") as index:
        index.add([{"id": "", "text": "the first document"}, {"text": "the second document"}])
        index.add({"": "the first document"})
        assert [id for id, _ in index.documents()] == ["0", "1"]
        with pytest.raises(PlanError, match="an id is empty"):
            index.add_texts(["a", ""], ["one", "two"])


def test_names_of_files_are_not_added_as_texts(tmp_path: Path) -> None:
    path = tmp_path / "in.jsonl"
    path.write_text('{"id": "a", "text": "some words"}\n', encoding="utf-8")
    with Index.create(tmp_path / "index") as index:
        with pytest.raises(PlanError, match="names of files: to read the files, hand over pathlib"):
            index.add([str(path)])
        assert index.add([path]).added == 1


def test_words_of_files_are_part_of_an_index(tmp_path: Path) -> None:
    synonyms, stop = tmp_path / "same.txt", tmp_path / "small.txt"
    synonyms.write_text("Car, automobile\nlorry, truck  # both\n")
    stop.write_text("foo\nbar\n")
    words = "went along every street of the old town"
    options = {"synonyms": str(synonyms), "method": f"tfridf:stop=en+{stop}"}
    report = twinset.find({"a": f"a car {words}", "b": "others"}, kinds="no", **options)
    counts = str(report.save(tmp_path / "report") / "statistics.parquet")
    Index.create(tmp_path / "counted", statistics=counts, **options).close()
    plain = {"synonyms": str(synonyms), "threshold": 0.9}
    Index.create(tmp_path / "plain", **plain).close()
    stop.unlink()
    synonyms.write_text("old, new\n")
    with pytest.raises(PlanError, match="has its own synonyms: leave"):
        twinset.find({"n": "b"}, against=tmp_path / "plain", synonyms=str(synonyms))
    for name in ("plain", "counted"):
        with Index.open(tmp_path / name) as index:
            index.add({"old": f"foo my truck {words}"})
            asked = f"{'bar' if name == 'counted' else 'foo'} my lorry {words}"
            [answer] = index.query_texts([None], [asked])
            assert [match.id for match in answer.matches] == ["old"]


def test_what_is_read_in_several_batches_is_added_whole(tmp_path: Path) -> None:
    texts = {f"{number}": f"{number} boats are in the harbour" for number in range(9)}
    files = [tmp_path / f"{name}.jsonl" for name in "abc"]
    for first, file in zip((0, 3, 6), files, strict=True):
        rows = [{"id": f"{at}", "text": texts[f"{at}"]} for at in range(first, first + 3)]
        file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    with Index.create(tmp_path / "boats") as index:
        assert index.add(files).added == len(texts)
        assert {name: index.text(name) for name in texts} == texts


def test_only_what_is_new_is_added(tmp_path: Path) -> None:
    text = "a report on the harvest of the year in all provinces of the country"
    with Index.create(tmp_path / "index", threshold=0.5) as index:
        index.add({"old": text})
        done = index.add(
            {
                "same": text,
                "near": text + " again",
                "new": "nothing like it",
                "twice": "nothing like it",
            },
            dedup=True,
        )
        assert (done.added, [answer.id for answer in done.duplicates]) == (
            1,
            ["same", "near", "twice"],
        )
        assert [answer.matches[0].id for answer in done.duplicates] == ["old", "old", "new"]
        with pytest.raises(IdTakenError, match="the input has the id 'ok' more than once"):
            index.add_texts(["ok", "ok"], ["good words", "quite another text"], dedup=True)
        changed = index.add_texts(["old"], [text + " once more"], dedup=True, replace=True)
        assert (changed.replaced, changed.duplicates) == (1, [])
        text = f"{text} once more"
        again = index.add({"old": text, "new": "nothing like it"}, dedup=True)
        assert (again.added, again.unchanged, again.duplicates) == (0, 2, [])


def test_half_characters_and_wrong_types(tmp_path: Path) -> None:
    with Index.create(tmp_path / "index") as index:
        wrong: Any = index
        for call in (
            lambda: wrong.remove("abc"),
            lambda: wrong.remove([1]),
            lambda: wrong.remove(["a\udcff"]),
            lambda: wrong.text("a\udcff"),
            lambda: wrong.add_texts(["a\udcff"], ["words of a text"]),
            lambda: wrong.add_texts(["a"], ["words \udc00 of a text"]),
            lambda: wrong.query_texts([None], ["words \udc00 of a text"]),
            lambda: wrong.add_texts(["a"], [None]),
            lambda: wrong.add_texts([None], ["a"]),
            lambda: wrong.add_texts(["a", "b"], ["a"]),
            lambda: wrong.query_texts(["a", "b"], ["a"]),
        ):
            with pytest.raises(PlanError):
                call()
        assert index.info()["documents"] == 0


def test_compacting_waits_for_no_reader_and_removes_leftovers(
    tmp_path: Path, small_parts: None
) -> None:
    place = tmp_path / "index"
    with Index.create(place) as index:
        index.add(near(60))
        (place / "left.keys").write_bytes(b"half")
        reader = index.documents()
        next(reader)
        index.remove(list(near(60))[::2])
        begun = time.monotonic()
        index.compact()
        assert time.monotonic() - begun < 30
        assert len(list(reader)) == len(near(60)) - 1
        assert len(files_of(place, "keys")) == 1


def test_a_second_writer_waits_or_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Index.create(tmp_path / "index").close()
    with closing(catalogue.connect(tmp_path / "index")) as writer:
        writer.execute("BEGIN IMMEDIATE")
        monkeypatch.setattr(catalogue, "WAIT", 0.2)
        with Index.open(tmp_path / "index") as other:
            with pytest.raises(IndexBusyError, match="another program"):
                other.add({"a": "words"})
            assert other.query_texts([None], ["words"])[0].matches == ()
        monkeypatch.setattr(catalogue, "WAIT", 20.0)
        with Index.open(tmp_path / "index") as other:
            thread = threading.Thread(target=other.add_texts, args=(["a"], ["words"]))
            thread.start()
            time.sleep(0.05)
            writer.execute("ROLLBACK")
            thread.join()
            assert "a" in other
