"""The folder of an index: what was acknowledged is there, whatever happens."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.index.pairs import files_of, near
from twinset.errors import ReportError, TwinsetError
from twinset.index import (
    Index,
    catalogue,
    folder_writing,
)

ADDING = """
import sys
from twinset.index import Index
place, few, size = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
from twinset.index import folder_merging, folder_writing
folder_writing.FEW, folder_writing.RECENT = few, 3 * few
folder_merging.KEYS = folder_merging.PACKS = 3
index = Index.open(place)
number = len(list(index.documents()))
while True:
    names = [f"{number + each}" for each in range(size)]
    index.add_texts(names, [f"document {name} has words of its own like {name}" for name in names])
    index.work.store.tidy()
    number += size
    print(number, flush=True)
"""


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


def test_a_full_disk_is_no_damage(tmp_path: Path) -> None:
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1500k", "tmpfs", str(place)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("mounting a small file system needs root")
    try:
        Index.create(place / "index").close()
        with suppress(OSError), (place / "rest").open("wb", buffering=0) as file:
            while file.write(bytes(1 << 12)):
                pass
        with pytest.raises(ReportError, match="its disk is full"):
            Index.open(place / "index")
        (place / "rest").unlink()
        with Index.open(place / "index") as index:
            assert index.check() == []
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


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


@pytest.mark.parametrize("suffix", ["pack", "keys"])
def test_no_merge_hides_damage(tmp_path: Path, suffix: str, small_parts: None) -> None:
    place = tmp_path / "index"
    texts = {str(number): f"words of document {number} and {number * 7}" for number in range(40)}
    names = list(texts)
    with Index.create(place) as index:
        for some in (names[:10], names[10:20]):
            index.add_texts(some, [texts[name] for name in some])
    [path, *_] = files_of(place, suffix)
    whole = path.read_bytes()
    path.write_bytes(whole[:30] + bytes([whole[30] ^ 1]) + whole[31:])
    with Index.open(place) as index:
        index.remove(["0"])
        before = index.check()
        with pytest.raises(ReportError, match=r"is damaged: its .* are not what was written"):
            index.compact()
        index.add_texts(names[20:30], [texts[name] for name in names[20:30]])
        with pytest.raises(ReportError, match=r"is damaged: its .* are not what was written"):
            index.work.store.tidy()  # type: ignore[attr-defined]
        assert index.check() == before != []
        assert index.info()["documents"] == 29


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
