"""The folder of an index: what was acknowledged is there, whatever happens."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from tests.index.pairs import answered, found, near
from twinset.errors import PlanError, ReportError, TwinsetError
from twinset.index import (
    IdTakenError,
    Index,
    IndexBusyError,
    catalogue,
    folder_merging,
    folder_writing,
    locks,
)
from twinset.index.key_files import KeyFile

ADDING = """
import sys
from twinset.index import Index
place, few, size = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
from twinset.index import folder_merging, folder_writing
folder_writing.FEW, folder_writing.RECENT, folder_merging.TIER = few, 3 * few, 3
index = Index.open(place)
number = len(list(index.documents()))
while True:
    names = [f"{number + each}" for each in range(size)]
    index.add_texts(names, [f"document {name} has words of its own like {name}" for name in names])
    index.work.store.tidy()
    number += size
    print(number, flush=True)
"""


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Packs and merges come after few documents."""
    monkeypatch.setattr(folder_writing, "FEW", 5)
    monkeypatch.setattr(folder_writing, "RECENT", 20)
    monkeypatch.setattr(folder_merging, "TIER", 3)


def killed_while_adding(place: Path, acknowledged: int, few: int, size: int, delay: float) -> int:
    """Kill a program in the midst of its additions; the documents that it said were in."""
    command = [sys.executable, "-c", ADDING, str(place), str(few), str(size)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    said = process.stdout.readline()
    assert said, "it ended by itself"
    time.sleep(delay)
    process.send_signal(signal.SIGKILL)
    rest = process.stdout.read()
    process.wait()
    return max([acknowledged, int(said), *map(int, rest.split())])


def ensure_whole(place: Path, acknowledged: int) -> None:
    with Index.open(place) as index:
        assert index.check() == []
        documents = dict(index.documents())
        assert acknowledged <= len(documents) == index.info()["documents"]
        for number in range(len(documents)):
            assert documents[str(number)].startswith(f"document {number} has")
        asked = [str(number) for number in range(0, acknowledged, 7)]
        for answer in index.query_texts([None] * len(asked), [documents[name] for name in asked]):
            assert answer.matches[0].score == 1


@pytest.mark.parametrize(("few", "size"), [(1000, 3), (5, 11)], ids=["catalogue", "packs"])
def test_a_kill_loses_nothing_that_was_acknowledged(tmp_path: Path, few: int, size: int) -> None:
    place = tmp_path / "index"
    Index.create(place).close()
    acknowledged = 0
    for delay in (0.02, 0.11):
        acknowledged = killed_while_adding(place, acknowledged, few, size, delay)
        ensure_whole(place, acknowledged)


@pytest.mark.long
@pytest.mark.parametrize(("few", "size"), [(1000, 3), (5, 11)], ids=["catalogue", "packs"])
def test_fifty_kills_lose_nothing(tmp_path: Path, few: int, size: int) -> None:
    place = tmp_path / "index"
    Index.create(place).close()
    acknowledged = 0
    for number in range(50):
        acknowledged = killed_while_adding(place, acknowledged, few, size, number * 0.007)
        ensure_whole(place, acknowledged)


def test_packs_and_merges_change_no_answer(tmp_path: Path, small_parts: None) -> None:
    texts = near(60)
    with Index.create(tmp_path / "index", threshold=0.5) as index:
        names = list(texts)
        for at in range(0, len(names), 7):
            some = names[at : at + 7] if at % 2 else names[at : at + 7][:7]
            index.add_texts(some, [texts[name] for name in some])
            index.work.store.tidy()  # type: ignore[attr-defined]
        info = index.info()
        assert 1 < info["packs"] < 9
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
        assert (after["packs"], after["key_files"], after["removed"]) == (1, 1, 0)
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


def test_another_text_for_an_id_is_refused_or_replaces(tmp_path: Path) -> None:
    with Index.create(tmp_path / "index") as index:
        index.add({"a": "first words of a document", "b": "other ones"})
        with pytest.raises(IdTakenError, match="'a' with another text"):
            index.add({"c": "new", "a": "second words of a document"})
        assert "c" not in index
        done = index.add({"a": "second words of a document", "b": "other ones"}, replace=True)
        assert (done.added, done.replaced, done.unchanged) == (0, 1, 1)
        assert index.text("a") == "second words of a document"
        with pytest.raises(IdTakenError):
            index.add_texts(["x", "x"], ["one", "two"])
        assert index.add_texts(["x", "x"], ["one", "two"], replace=True).added == 1
        assert index.text("x") == "two"
        assert index.info()["documents"] == 3


IDS = [
    "",
    " ",
    "a/b?c#d",
    "ключ",
    "\x00",
    "'; DROP TABLE recent; --",
    "a" * 5000,
    "\n",
    "💥",
    "\u0301",
]


@pytest.mark.parametrize("packed", [False, True])
def test_ids_of_any_characters(
    tmp_path: Path, packed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder_writing, "FEW", 0 if packed else 1000)
    texts = [f"words of the document number {number} and no others" for number in range(len(IDS))]
    with Index.create(tmp_path / "index") as index:
        index.add_texts(IDS, texts)
        for name, text in zip(IDS, texts, strict=True):
            assert name in index
            assert index.text(name) == text
        [answer] = index.query_texts([None], [texts[4]])
        assert [match.id for match in answer.matches] == [IDS[4]]
        assert index.remove(IDS) == len(IDS)


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
        again = index.add({"old": text, "new": "nothing like it"}, dedup=True)
        assert (again.added, again.unchanged, again.duplicates) == (0, 2, [])


def test_an_id_twice_in_one_batch_is_no_duplicate_of_itself(tmp_path: Path) -> None:
    texts = ["good words are here in a row and more", "quite another text of the same id here"]
    with Index.create(tmp_path / "index", threshold=0.3) as index:
        with pytest.raises(IdTakenError, match="the input has the id 'ok' more than once"):
            index.add_texts(["ok", "ok"], texts, dedup=True)
        index.add_texts(["ok"], texts[:1])
        done = index.add_texts(["ok"], [texts[0] + " again"], dedup=True, replace=True)
        assert (done.replaced, done.duplicates) == (1, [])
        assert index.text("ok") == texts[0] + " again"


def test_half_characters_and_wrong_types(tmp_path: Path) -> None:
    with Index.create(tmp_path / "index") as index:
        index.add_texts(["a\udcff"], ["words \udc00 of a text"])
        assert "a\udcff" in index
        assert index.remove(["a\udcff"]) == 1
        wrong: Any = index
        for call in (
            lambda: wrong.remove("abc"),
            lambda: wrong.remove([1]),
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
        (place / "merged-left.keys").write_bytes(b"half")
        (place / "0-left.pack").write_bytes(b"half")
        reader = index.documents()
        next(reader)
        index.remove(list(near(60))[::2])
        begun = time.monotonic()
        index.compact()
        assert time.monotonic() - begun < 30
        assert len(list(reader)) == len(near(60)) - 1
        names = {path.suffix for path in place.iterdir() if path.suffix in (".pack", ".keys")}
        assert names == {".pack", ".keys"}
        assert len(files_of(place, "pack")) == len(files_of(place, "keys")) == 1


def test_what_is_not_damaged_can_be_written(tmp_path: Path, small_parts: None) -> None:
    place = tmp_path / "index"
    texts = {str(number): f"words of document {number} and {number * 7}" for number in range(12)}
    with Index.create(place) as index:
        names = list(texts)
        for some in (names[:6], names[6:]):
            index.add_texts(some, [texts[name] for name in some])
        index.add_texts(["late"], ["a document of the catalogue"])
    first, _ = files_of(place, "pack")
    first.write_bytes(first.read_bytes()[:-20])
    for path in files_of(place, "keys"):
        path.unlink()
    faults: list[str] = []
    with Index.open(place) as index:
        saved = dict(index.documents(faults.append))
    assert list(saved) == [*names[6:], "late"]
    assert len(faults) == 1
    connection = sqlite3.connect(place / "catalogue.sqlite")
    with connection:
        connection.execute("UPDATE recent SET body = x'28b52ffd0000'")
    connection.close()
    with Index.open(place) as index:
        assert any("'late'" in fault for fault in index.check())


def test_a_folder_that_cannot_be_written_can_be_asked(tmp_path: Path) -> None:
    place = tmp_path / "disk"
    place.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "tmpfs", str(place)], check=False).returncode:
        pytest.skip("mounting a file system needs root")
    try:
        with Index.create(place / "index") as index:
            index.add({"a": "words of a document"})
            index.compact()
        subprocess.run(["mount", "-o", "remount,ro", str(place)], check=True)
        with Index.open(place / "index") as index:
            assert index.query_texts([None], ["words of a document"])[0].matches[0].id == "a"
            assert index.check() == []
            with pytest.raises((TwinsetError, OSError), match=r"[Rr]ead-only|readonly"):
                index.add({"b": "other words"})
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


def test_a_second_writer_waits_or_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locks, "WAIT", 0.2)
    with Index.create(tmp_path / "index") as index, Index.open(tmp_path / "index") as other:
        with locks.held(tmp_path / "index", "writer"):
            with pytest.raises(IndexBusyError, match="another program"):
                other.add({"a": "words"})
            assert other.query_texts([None], ["words"])[0].matches == ()
        monkeypatch.setattr(locks, "WAIT", 20.0)
        with locks.held(tmp_path / "index", "writer"):
            thread = threading.Thread(target=other.add, args=({"a": "words"},))
            thread.start()
            time.sleep(0.05)
        thread.join()
        assert "a" in index


def test_several_writers_and_readers_at_once(tmp_path: Path, small_parts: None) -> None:
    place = tmp_path / "index"
    with Index.create(place) as index:
        faults: list[BaseException] = []

        def write(writer: int) -> None:
            try:
                for number in range(12):
                    name = f"{writer}-{number}"
                    index.add_texts([name], [f"the words of {name} are its own {name} {name}"])
                    index.work.store.tidy()  # type: ignore[attr-defined]
            except BaseException as fault:
                faults.append(fault)

        def read() -> None:
            try:
                with Index.open(place) as other:
                    for _ in range(30):
                        for name, text in list(other.documents()):
                            assert other.query_texts([None], [text])[0].matches[0].id == name
            except BaseException as fault:
                faults.append(fault)

        threads = [threading.Thread(target=write, args=(number,)) for number in range(3)]
        threads += [threading.Thread(target=read)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert faults == []
        assert index.info()["documents"] == 36
        assert index.check() == []


def test_files_are_on_the_disk_before_the_catalogue_lists_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    events: list[str] = []
    real = os.fsync

    def fsync(descriptor: int) -> None:
        real(descriptor)
        events.append(Path(os.readlink(f"/proc/self/fd/{descriptor}")).name)

    if not Path("/proc/self/fd").exists():
        pytest.skip("the names of open files are looked up in /proc")
    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(folder_writing, "FEW", 2)
    with Index.create(tmp_path / "index") as index:
        store: Any = index.work.store  # type: ignore[attr-defined]
        listed = catalogue.list_pack
        monkeypatch.setattr(
            catalogue, "list_pack", lambda *pack: (events.append("listed"), listed(*pack))
        )
        index.add_texts(list("abc"), ["one", "two", "three"])
        assert [name.rpartition(".")[2] for name in events] == [
            *("pack", "index", "keys", "index"),
            "listed",
        ]
        connection = store._reader.connection
        assert connection.execute("PRAGMA synchronous").fetchone() == (2,)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_a_full_disk_leaves_the_index_whole(tmp_path: Path) -> None:
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1500k", "tmpfs", str(place)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("mounting a small file system needs root")
    try:
        texts = {str(number): os.urandom(400).hex() for number in range(300)}
        large = {f"large {number}": os.urandom(800).hex() for number in range(3000)}
        with Index.create(place / "index", unit="char") as index:
            index.add(texts)
            for more in (large, dict(list(large.items())[:900])):
                with pytest.raises((TwinsetError, OSError)) as said:
                    index.add(more)
                assert "full" in str(said.value) or "space" in str(said.value)
                assert dict(index.documents()) == texts
                assert index.check() == []
            assert index.query_texts([None], [texts["7"]])[0].matches[0].id == "7"
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


def files_of(place: Path, suffix: str) -> list[Path]:
    return sorted(place.glob(f"*.{suffix}"))


@pytest.mark.parametrize("suffix", ["pack", "keys"])
def test_damage_is_noticed(tmp_path: Path, suffix: str, small_parts: None) -> None:
    place = tmp_path / "index"
    with Index.create(place) as index:
        index.add(near(60))
    [path, *_] = files_of(place, suffix)
    whole = path.read_bytes()
    path.write_bytes(whole[:100] + bytes([whole[100] ^ 1]) + whole[101:])
    with Index.open(place) as index:
        assert any(f"{path.name}: the" in fault for fault in index.check())
    path.write_bytes(whole[:-9])
    with Index.open(place) as index:
        assert any("damaged" in fault for fault in index.check())
        with pytest.raises(ReportError, match="is damaged"):
            index.query_texts([None], ["words"])
    path.unlink()
    with Index.open(place) as index:
        assert any("missing" in fault for fault in index.check())
        with pytest.raises(ReportError, match="lacks files"):
            index.query_texts([None], ["words"])


def test_what_is_no_index_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ReportError, match="is no index"):
        Index.open(tmp_path)
    place = tmp_path / "index"
    Index.create(place).close()
    with pytest.raises(ReportError, match="not empty"):
        Index.create(place)
    connection = sqlite3.connect(place / "catalogue.sqlite")
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(ReportError, match="format 99"):
        Index.open(place)
    (place / "catalogue.sqlite").write_bytes(b"something else" * 100)
    with pytest.raises(ReportError, match="damaged"):
        Index.open(place)


def test_files_of_a_killed_writer_are_removed(tmp_path: Path) -> None:
    place = tmp_path / "index"
    with Index.create(place) as index:
        for name in ("0-left.pack", "0-left.keys", "merged-left.keys"):
            (place / name).write_bytes(b"half")
        index.add({"a": "words"})
        assert files_of(place, "pack") == files_of(place, "keys") == []


def test_a_merged_file_has_all_rows(tmp_path: Path, small_parts: None) -> None:
    place = tmp_path / "index"
    with Index.create(place) as index:
        for part in range(4):
            texts = {f"{part}-{n}": f"text {part} {n} with some words" for n in range(6)}
            index.add_texts(list(texts), list(texts.values()))
        rows = sum(len(KeyFile(path)) for path in files_of(place, "keys"))
        index.work.store.tidy()  # type: ignore[attr-defined]
        merged = [KeyFile(path) for path in files_of(place, "keys")]
        assert sum(map(len, merged)) == rows
        assert any(path.name.startswith("merged-") for path in files_of(place, "keys"))


def test_an_index_can_be_handed_on(tmp_path: Path) -> None:
    with Index.create(tmp_path / "index") as index:
        index.add(near())
        want = [answer.as_dict() for answer in index.query(near())]
    (tmp_path / "index").rename(tmp_path / "moved")
    with Index.open(tmp_path / "moved") as index:
        assert [answer.as_dict() for answer in index.query(near())] == want
        json.dumps(index.info())
