"""Renames that never overwrite, on this system's own call and on the way around it."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

import pytest

from twinset.system import renames
from twinset.system.renames import exchange, rename_to_free


@pytest.fixture(params=["call", "links", "neither"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The ways to a free name: the system call, two links, and a file system without links."""
    if request.param != "call":
        monkeypatch.setattr(renames, "_system_call", lambda: None)
    if request.param == "neither":

        def link(*names: object, **options: object) -> None:
            raise PermissionError(errno.EPERM, "no links here")

        monkeypatch.setattr(os, "link", link)
    return str(request.param)


@pytest.mark.usefixtures("way")
def test_a_free_name_is_taken(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"bytes")
    rename_to_free(tmp_path / "a", tmp_path / "b")
    assert os.listdir(tmp_path) == ["b"]
    assert (tmp_path / "b").read_bytes() == b"bytes"


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("kind", ["file", "link to nowhere"])
def test_a_name_that_is_taken_stays_as_it_is(kind: str, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"new")
    if kind == "file":
        (tmp_path / "b").write_bytes(b"old")
    else:
        (tmp_path / "b").symlink_to("nowhere")
    with pytest.raises(FileExistsError):
        rename_to_free(tmp_path / "a", tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == b"new"
    assert (tmp_path / "b").is_symlink() or (tmp_path / "b").read_bytes() == b"old"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux exchanges names")
def test_two_names_change_places(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / name).write_text(name)
    assert exchange(tmp_path / "a", tmp_path / "b")
    assert (tmp_path / "a").read_text() == "b"
    assert (tmp_path / "b").read_text() == "a"
