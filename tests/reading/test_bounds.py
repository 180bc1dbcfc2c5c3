"""What must not be read or written: links out of bounds, ZIP files that are traps."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reading.helpers import gather
from twinset.errors import ReadError
from twinset.plan import ReadOptions
from twinset.reading import open_inputs
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
