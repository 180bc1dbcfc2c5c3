"""What must not be read or written: links out of bounds, ZIP files that are traps."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.reading.helpers import gather
from twinset.errors import ReadError
from twinset.plan import ReadOptions
from twinset.reading import open_inputs
from twinset.reading.archive import ArchiveBounds, unpack
from twinset.reading.preview import preview


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    inside, outside = tmp_path / "in", tmp_path / "out"
    for place in (inside, outside):
        place.mkdir()
        (place / "own.txt").write_text(f"words {place.name}")
    (inside / "link.txt").symlink_to(outside / "own.txt")
    (inside / "folder").symlink_to(outside)
    (inside / "here.txt").symlink_to(inside / "own.txt")
    return inside


def test_links_out_of_bounds_are_passed_over(folder: Path) -> None:
    found = gather(open_inputs(folder, ReadOptions(within=(str(folder),))))
    assert found.ids == ["own.txt"]  # and here.txt is a link to it
    assert [fault.kind for fault in found.faults] == ["outside", "outside"]
    assert len(gather(open_inputs(folder)).ids) == 2


def test_inputs_out_of_bounds_are_passed_over(folder: Path) -> None:
    bounds = ReadOptions(within=(str(folder),))
    for given in (folder.parent / "out", folder / "link.txt", str(folder.parent / "o*")):
        assert gather(open_inputs([given], bounds)).ids == []
    with pytest.raises(ReadError, match="--within"):
        open_inputs([folder / "link.txt"], ReadOptions(within=(str(folder),), on_error="stop"))


def test_the_first_documents_of_every_source(folder: Path) -> None:
    (folder / "more.jsonl").write_text('{"id": "x", "text": "%s"}\n' % ("y " * 500) * 9)
    seen = preview([folder], documents=4, characters=10)
    assert [one.id for one in seen.documents] == ["folder/own.txt", "own.txt", "x", "x"]
    assert seen.documents[-1].text == "y y y y y "
    assert seen.documents[-1].length == 1000
    assert seen.bytes > 9000


def test_bounds_of_a_zip_file(tmp_path: Path) -> None:
    packed = tmp_path / "a.zip"
    with zipfile.ZipFile(packed, "w") as file:
        for number in range(5):
            file.writestr(f"{number}.txt", "x" * 1000)
    assert len(unpack(packed, tmp_path / "good")) == 5
    with pytest.raises(ReadError, match="more than 4 files"):
        unpack(packed, tmp_path / "many", ArchiveBounds(files=4))
    with pytest.raises(ReadError, match="trap"):
        unpack(packed, tmp_path / "large", ArchiveBounds(bytes=4999))
    assert not (tmp_path / "large").exists()


def two_of_one_name(packed: Path) -> None:
    with zipfile.ZipFile(packed, "w") as file:
        file.writestr("a", "a file")
        file.writestr("a/b", "and a file in a folder of its name")


def an_endless_name(packed: Path) -> None:
    with zipfile.ZipFile(packed, "w") as file:
        file.writestr("a" * 300, "words")


def a_beginning_cut_short(packed: Path) -> None:
    """The places in the directory then point before the beginning of the file."""
    with zipfile.ZipFile(packed, "w") as file:
        file.writestr("a.txt", "words" * 9)
        file.writestr("b.txt", "words")
    packed.write_bytes(packed.read_bytes()[30:])


def a_name_in_no_encoding(packed: Path) -> None:
    with zipfile.ZipFile(packed, "w") as file:
        file.writestr("в.txt", "words")
    packed.write_bytes(packed.read_bytes().replace("в".encode(), b"\xff\xff"))


def damaged(method: int) -> Callable[[Path], None]:
    def pack(packed: Path) -> None:
        with zipfile.ZipFile(packed, "w", method) as file:
            file.writestr("a.txt", "words and more words " * 50)
        data = bytearray(packed.read_bytes())
        begin = 30 + len("a.txt")
        data[begin + 9 : begin + 30] = b"\xa5" * 21
        packed.write_bytes(data)

    return pack


@pytest.mark.parametrize(
    "pack",
    [
        two_of_one_name,
        an_endless_name,
        a_beginning_cut_short,
        a_name_in_no_encoding,
        *map(
            damaged, (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
        ),
    ],
)
def test_a_zip_file_that_cannot_be_unpacked(tmp_path: Path, pack: Callable[[Path], None]) -> None:
    pack(tmp_path / "a.zip")
    with pytest.raises(ReadError, match=r"a\.zip: cannot be unpacked: .*; pack it again"):
        unpack(tmp_path / "a.zip", tmp_path / "unpacked")
