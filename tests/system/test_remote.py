"""Paths elsewhere behave like those of the file system, here in the memory of the process."""

from __future__ import annotations

import os
from pathlib import PurePosixPath
from uuid import uuid4

import pytest

from twinset.system.remote import RemotePath, is_remote


@pytest.fixture
def folder() -> RemotePath:
    return RemotePath.of(f"memory://{uuid4().hex}/")


@pytest.mark.parametrize("name", ["s3://b/x", "hf://datasets/a/b", "https://a.b/c", "memory://x"])
def test_addresses(name: str) -> None:
    assert is_remote(name)


@pytest.mark.parametrize("name", ["c:/x", "c://x", "x.jsonl", "/a/b", "s3:/b/x", "://x", "-", 3])
def test_other_names(name: object) -> None:
    assert not is_remote(name)


def test_the_parts_of_a_path(folder: RemotePath) -> None:
    file = folder / "shards" / "a.jsonl"
    assert (file.name, file.suffix, str(file.parent)) == ("a.jsonl", ".jsonl", f"{folder}/shards")
    assert file.with_name("b.csv") == folder / "shards/b.csv"
    assert file.relative_to(folder) == PurePosixPath("shards/a.jsonl")
    assert RemotePath.of(str(file)) == file


def test_what_is_written_is_read(folder: RemotePath) -> None:
    file = folder / "a.txt"
    assert not file.exists()
    with file.open("wb") as out:
        out.write(b"one two")
    assert file.is_file()
    assert folder.is_dir()
    with file.open() as text:
        assert text.read() == b"one two"
    file.write_bytes(b"three")
    assert file.read_bytes() == b"three"


def test_a_missing_file_is_named(folder: RemotePath) -> None:
    with pytest.raises(FileNotFoundError) as caught:
        (folder / "none").read_bytes()
    assert caught.value.filename == str(folder / "none")


def test_the_system_does_not_take_it_for_a_local_path(folder: RemotePath) -> None:
    with pytest.raises(TypeError):
        os.stat(folder)  # type: ignore[call-overload]
