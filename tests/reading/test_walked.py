"""Walking folders: the order of what is read and of what is not, and names as columns."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from twinset.plan import ReadOptions
from twinset.reading import Inputs, open_inputs

NAMES = ["b.txt", ".hidden", "a/z.txt", "a/.b/c.txt", "a/b/c.md", "c.txt", ".d.txt", "d/_SUCCESS"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in NAMES:
        path = tmp_path / "in" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"the text of {name}")
    return tmp_path / "in"


def names(inputs: Inputs) -> list[str]:
    (source,) = inputs.sources
    return [os.path.relpath(str(path), source.path) for path in source.files]


def test_files_and_what_is_passed_over_come_in_order(folder: Path) -> None:
    (folder / "ab.txt").symlink_to("nowhere")
    inputs = open_inputs(folder)
    assert names(inputs) == ["a/b/c.md", "a/z.txt", "b.txt", "c.txt"]
    passed_over = [os.path.relpath(file.path, folder) for file in inputs.passed_over]
    assert passed_over == [".d.txt", ".hidden", "a/.b", "d/_SUCCESS"]
    assert [fault.source for fault in inputs.opening_faults] == [str(folder / "ab.txt")]


def test_links_are_followed_within_bounds_alone(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "outside.txt").write_text("outside")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "e.txt").write_text("in another folder")
    (folder / "bb.txt").symlink_to(tmp_path / "outside.txt")
    (folder / "bc").symlink_to(tmp_path / "other")
    every = ["a/b/c.md", "a/z.txt", "b.txt", "bb.txt", "bc/e.txt", "c.txt"]
    assert names(open_inputs(folder)) == every
    bounds = ReadOptions(within=(str(folder), str(tmp_path / "other")))
    assert names(open_inputs(folder, bounds)) == [name for name in every if name != "bb.txt"]


def test_a_file_of_an_earlier_folder_is_read_once(folder: Path, tmp_path: Path) -> None:
    more = tmp_path / "more"
    more.mkdir()
    (more / "f.txt").write_text("a text of its own")
    alone = open_inputs([folder, more])
    assert [len(source.files) for source in alone.sources] == [4, 1]
    os.link(folder / "b.txt", more / "g.txt")
    for inputs in ([folder, more, folder / "c.txt"], [folder / "c.txt", folder, more]):
        opened = open_inputs(inputs)
        assert sum(len(source.files) or 1 for source in opened.sources) == 5
        reasons = [file.reason for file in opened.passed_over if file.reason != "hidden_files"]
        assert reasons == ["named_twice"] * 2
