"""The folder of an index: what was acknowledged is there, whatever happens."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import subprocess
import tracemalloc
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.disks import disk_of
from tests.index.pairs import files_of, near
from twinset.errors import ReportError, TwinsetError
from twinset.index import Index, folder


def test_what_is_not_damaged_can_be_written(tmp_path: Path, small_parts: None) -> None:
    place = tmp_path / "index"
    texts = {str(number): f"words of document {number} and {number * 7}" for number in range(900)}
    with Index.create(place) as index:
        index.add(texts)
    for path in files_of(place, "keys"):
        path.unlink()
    change(place, "UPDATE documents SET body = x'28b52ffd0000' WHERE id = '8'")
    catalogue = place / "index.sqlite"
    content = bytearray(catalogue.read_bytes())
    at = content.index(texts["700"].encode()) & -(1 << 14)  # a page of documents
    content[at : at + 200] = bytes(200)
    catalogue.write_bytes(content)
    faults: list[str] = []
    with Index.open(place) as index:
        saved = dict(index.documents(faults.append))
    assert saved.items() < texts.items()
    assert "8" not in saved
    assert "700" not in saved
    assert 600 < len(saved) < 899
    assert any("'8'" in fault for fault in faults)
    assert len(faults) == 900 - len(saved)


def change(place: Path, command: str) -> None:
    """Damage a catalogue, by a command of SQL."""
    connection = sqlite3.connect(place / "index.sqlite")
    with connection:
        connection.execute(command)
    connection.close()


DAMAGE = [
    "UPDATE documents SET id = 'other' WHERE id = 'late1'",
    "UPDATE documents SET id = x'ff' WHERE id = 'late1'",
    "UPDATE documents SET digest = digest + 1 WHERE id = 'late1'",
    "UPDATE documents SET digest = 'a' WHERE id = 'late1'",
    "UPDATE documents SET size = size + 1 WHERE id = 'late1'",
    "UPDATE documents SET size = -1 WHERE id = 'late1'",
    "UPDATE documents SET body = x'28b52ffd0000' WHERE id = 'late1'",
    "UPDATE documents SET body = 7 WHERE id = 'late1'",
    "UPDATE documents SET number = 999 WHERE id = 'late1'",
    "DELETE FROM documents WHERE id = 'late1'",
    "UPDATE recent SET keys = substr(keys, 9)",
    "UPDATE recent SET number = number + 1000",
    "DELETE FROM recent",
    "UPDATE state SET next = next - 3",
    "UPDATE state SET next = 'a'",
    "UPDATE state SET documents = documents + 1",
    "DELETE FROM state",
    "UPDATE keys SET rows = rows + 1",
    "UPDATE keys SET name = 5",
    "UPDATE keys SET name = '../' || name",
    "DELETE FROM keys",
    "UPDATE removed SET place = -place",
    "DELETE FROM removed",
    "UPDATE facts SET value = replace(value, '0.5', '0.6') WHERE name = 'contents'",
    "DELETE FROM facts",
    "DROP TABLE documents",
    "DROP TABLE recent",
]


@pytest.fixture(scope="module")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index with files of keys, removed documents, and others in the catalogue."""
    place = tmp_path_factory.mktemp("late") / "index"
    with pytest.MonkeyPatch.context() as patch, Index.create(place, threshold=0.5) as index:
        patch.setattr(folder, "FEW", 5)
        index.add(near(18))
        index.remove([id for id, _ in list(index.documents())[::5]])
        texts = [f"words of the late document {n} and of no other" for n in (1, 1, 2)]
        index.add_texts(["late1", "late2", "late3"], texts)
    return place


@pytest.fixture
def late(made_once: Path, tmp_path: Path, small_parts: None) -> Path:
    """A copy of it."""
    return Path(shutil.copytree(made_once, tmp_path / "index"))


@pytest.mark.parametrize("command", DAMAGE)
def test_a_catalogue_that_was_changed_is_seen_and_said(late: Path, command: str) -> None:
    change(late, command)
    faults: list[str] = []
    uses: list[Callable[[Index], Any]] = [
        lambda index: faults.extend(index.check()),
        lambda index: list(index.documents(faults.append)),
        lambda index: list(index.query(near(18))),
        lambda index: index.add_texts(["late4"], ["words that are new"]),
        lambda index: index.remove(["late1", "late4"]),
        lambda index: index.compact(),
    ]
    for use in uses:
        try:
            with Index.open(late) as index:
                use(index)
        except TwinsetError as fault:
            faults.append(str(fault))
        assert faults


def test_a_flipped_bit_is_seen_or_changes_no_answer(late: Path) -> None:
    def answers() -> Any:
        with Index.open(late) as index:
            texts = dict(index.documents())
            return texts, [answer.as_dict() for answer in index.query(texts)]

    whole = {path: path.read_bytes() for path in late.iterdir() if path.stat().st_size}
    want = answers()
    chance = random.Random(7)
    for flip in range(160):
        path = sorted(whole)[flip % len(whole)]
        content = bytearray(whole[path])
        content[chance.choice(np.flatnonzero(content))] ^= 1 << chance.randrange(8)
        for each, before in whole.items():
            each.write_bytes(content if each == path else before)
        try:
            with Index.open(late) as index:
                seen = index.check()
            assert seen or answers() == want, (path.name, flip)
        except TwinsetError:
            pass
        for left in {*late.iterdir()} - whole.keys():
            left.unlink()


def test_a_damaged_document_is_not_made_whole(late: Path) -> None:
    change(late, "UPDATE documents SET body = (SELECT body FROM documents WHERE id = 'late3')")
    with Index.open(late) as index:
        before = index.check()
        assert sum("'late" in fault for fault in before) == 2
        many = {f"new {n}": f"the words of {n} are its own {n}" for n in range(9)}
        assert index.add(many).added == 9
        index.remove(["new 1"])
        index.compact()
        assert index.check() == before
        gone = [fault.split("'")[1] for fault in before]
        assert index.remove(gone) == len(before)
        index.compact()
        assert index.check() == []
        assert index.text("late3") == "words of the late document 2 and of no other"


def test_damaged_keys_are_not_made_whole(late: Path) -> None:
    change(late, "UPDATE recent SET keys = substr(keys, 9)")
    many = {f"new {n}": f"the words of {n} are its own {n}" for n in range(9)}
    with Index.open(late) as index:
        before = index.check()
        for work in (index.compact, lambda: index.add(many)):
            with pytest.raises(TwinsetError, match="are not what was written"):
                work()
        assert index.check() == before != []


def test_a_damaged_document_costs_itself_alone(late: Path) -> None:
    change(late, "UPDATE documents SET body = x'28b52ffd0000' WHERE id = 'late1'")
    asked = ["words of the late document 1 and of no other", *near(18).values()]
    with Index.open(late) as index:
        first, *others = index.query_texts([None] * len(asked), asked)
        assert ([match.id for match in first.matches], first.unread) == (["late2"], 1)
        assert first.as_dict()["unread"] == 1
        assert any(answer.matches for answer in others)
        assert not any(answer.unread for answer in others)
        with pytest.raises(TwinsetError, match="damaged, and were not compared"):
            index.add_texts(["new"], asked[:1], dedup=True)


def test_a_frame_that_claims_too_much_is_not_unpacked(late: Path) -> None:
    # one segment, whose length of 4.2 GB stands in eight bytes; then blocks of equal bytes
    head = b"\x28\xb5\x2f\xfd\xe0" + (4_200_000_000).to_bytes(8, "little")
    blocks = (b"\x02\x00\x10a" * 32_042)[:-4] + b"\x03\x00\x10a"
    text = head + blocks
    change(late, f"UPDATE documents SET body = x'{text.hex()}' WHERE id = 'late1'")
    with Index.open(late) as index:
        tracemalloc.start()
        try:
            with pytest.raises(TwinsetError):
                index.text("late1")
            assert list(index.documents(lambda _: None))
            assert tracemalloc.get_traced_memory()[1] < 1 << 28
        finally:
            tracemalloc.stop()


def test_a_folder_that_cannot_be_written_can_be_asked(tmp_path: Path) -> None:
    with disk_of("64m", tmp_path) as place:
        with Index.create(place / "index") as index:
            index.add({"a": "words of a document"})
            index.compact()
        subprocess.run(["mount", "-o", "remount,ro", str(place)], check=True)
        with Index.open(place / "index") as index:
            assert index.query_texts([None], ["words of a document"])[0].matches[0].id == "a"
            assert index.check() == []
            with pytest.raises((TwinsetError, OSError), match=r"[Rr]ead-only|readonly"):
                index.add({"b": "other words"})


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
    monkeypatch.setattr(folder, "FEW", 2)
    with Index.create(tmp_path / "index") as index:
        store: Any = index.work.store  # type: ignore[attr-defined]
        relist = folder._Change.relist

        def relisted(*files: Any) -> None:
            events.append("listed")
            relist(*files)

        monkeypatch.setattr(folder._Change, "relist", relisted)
        index.add_texts(list("abc"), ["one", "two", "three"])
        assert [name.rpartition(".")[2] for name in events] == ["keys", "index", "listed"]
        assert store._connection.execute("PRAGMA synchronous").fetchone() == (2,)
        assert store._connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_a_full_disk_leaves_the_index_whole(tmp_path: Path) -> None:
    with disk_of("1500k", tmp_path) as place:
        texts = {str(number): os.urandom(400).hex() for number in range(300)}
        large = {f"large {number}": os.urandom(800).hex() for number in range(3000)}
        with Index.create(place / "index", unit="char") as index:
            index.add(texts)
            for more in (large, dict(list(large.items())[:2000])):
                with pytest.raises((TwinsetError, OSError)) as said:
                    index.add(more)
                assert "full" in str(said.value) or "space" in str(said.value)
                assert dict(index.documents()) == texts
                assert index.check() == []
            assert index.query_texts([None], [texts["7"]])[0].matches[0].id == "7"


def test_a_full_disk_is_no_damage(tmp_path: Path) -> None:
    with disk_of("1500k", tmp_path) as place:
        Index.create(place / "index").close()
        with suppress(OSError), (place / "rest").open("wb", buffering=0) as file:
            while file.write(bytes(1 << 12)):
                pass
        with pytest.raises(ReportError, match="its disk is full"):
            Index.open(place / "index")
        (place / "rest").unlink()
        with Index.open(place / "index") as index:
            assert index.check() == []


def test_damage_is_noticed(tmp_path: Path, small_parts: None) -> None:
    place = tmp_path / "index"
    with Index.create(place) as index:
        index.add(near(60))
    [path, *_] = files_of(place, "keys")
    whole = path.read_bytes()
    path.write_bytes(whole[:100] + bytes([whole[100] ^ 1]) + whole[101:])
    with Index.open(place) as index:
        assert any(f"{path.name} is damaged" in fault for fault in index.check())
    path.write_bytes(whole[:-9])
    with Index.open(place) as index:
        assert any("damaged" in fault for fault in index.check())
        with pytest.raises(ReportError, match="is damaged"):
            index.query_texts([None], ["words"])
    path.unlink()
    with Index.open(place) as index:
        assert any("lacks files" in fault for fault in index.check())
        with pytest.raises(ReportError, match="lacks files"):
            index.query_texts([None], ["words"])


def test_no_merge_hides_damage(tmp_path: Path, small_parts: None) -> None:
    place = tmp_path / "index"
    texts = {str(number): f"words of document {number} and {number * 7}" for number in range(40)}
    names = list(texts)
    with Index.create(place) as index:
        for some in (names[:10], names[10:20]):
            index.add_texts(some, [texts[name] for name in some])
    [path, *_] = files_of(place, "keys")
    whole = path.read_bytes()
    path.write_bytes(whole[:30] + bytes([whole[30] ^ 1]) + whole[31:])
    with Index.open(place) as index:
        index.remove(["0"])
        before = index.check()
        with pytest.raises(ReportError, match=r"is damaged: it is not what was written"):
            index.compact()
        with pytest.raises(ReportError, match=r"is damaged: it is not what was written"):
            index.add_texts(names[20:30], [texts[name] for name in names[20:30]])
        assert index.check() == before != []
        assert index.info()["documents"] == 19


def test_what_is_no_index_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ReportError, match="is no index"):
        Index.open(tmp_path)
    place = tmp_path / "index"
    Index.create(place).close()
    with pytest.raises(ReportError, match="not empty"):
        Index.create(place)
    connection = sqlite3.connect(place / "index.sqlite")
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(ReportError, match="format 99"):
        Index.open(place)
    (place / "index.sqlite").write_bytes(b"something else" * 100)
    with pytest.raises(ReportError, match="damaged"):
        Index.open(place)
