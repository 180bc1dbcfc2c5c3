"""What is sent to a place elsewhere is there when it is complete, and only then."""

from __future__ import annotations

from pathlib import Path
from uuid import uuid4

import pytest

from twinset.system.remote import RemotePath
from twinset.system.upload import copy_file, upload


@pytest.fixture(params=["memory", "file"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> RemotePath:
    """A folder of a system without folders, and one of a system that has to make them."""
    if request.param == "file":
        return RemotePath.of(f"file://{tmp_path}/below/folder")
    return RemotePath.of(f"memory://{uuid4().hex}")


def test_what_is_written_is_there(folder: RemotePath) -> None:
    with upload(folder / "a.txt") as file:
        file.write(b"some words\n")
    assert (folder / "a.txt").read_bytes() == b"some words\n"


@pytest.mark.parametrize("fault", [KeyboardInterrupt, ValueError])
def test_an_exception_leaves_nothing(folder: RemotePath, fault: type[BaseException]) -> None:
    def interrupted() -> None:
        with upload(folder / "a.txt") as file:
            file.write(b"some words\n" * 1_000_000)
            raise fault

    with pytest.raises(fault):
        interrupted()
    assert not (folder / "a.txt").exists()


def test_files_are_copied_from_and_to_everywhere(folder: RemotePath, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"some words\n")
    copy_file(tmp_path / "a", folder / "b")
    copy_file(folder / "b", folder / "c")
    copy_file(folder / "c", tmp_path / "new" / "d")
    copy_file(tmp_path / "new" / "d", tmp_path / "e")
    assert (tmp_path / "e").read_bytes() == b"some words\n"
