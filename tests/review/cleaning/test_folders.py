"""Folders that hold the same files, and marking all of one."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from hypothesis import given

from tests.kernels.examples import examples
from tests.review.cleaning.drawn import Drawn, cleaned, folders
from tests.review.cleaning.made import MadeFile, report
from twinset.review.cleaning.cleaning import FolderCleaning
from twinset.review.cleaning.state import MarkRule


def _cleaning(place: Path, **contents: str) -> FolderCleaning:
    files = [MadeFile(name.replace("_", "/"), content) for name, content in contents.items()]
    return FolderCleaning.of(report(place, files), place / "home")


def test_equal_folders_are_one_line_and_folders_inside_are_not_repeated(tmp_path: Path) -> None:
    cleaning = _cleaning(
        tmp_path, a_x="1", a_in_y="22", b_other="1", b_in_y="22", c_in_y="22", d_z="1"
    )
    root = tmp_path / "folder"
    assert cleaning.same_folders() == [
        (root / "a", root / "b"),
        (root / "a/in", root / "b/in", root / "c"),
    ]
    cleaning.apply_rule(MarkRule("none"))
    cleaning.apply_rule(MarkRule("in-folder", folder=root / "b"))
    assert [row.id for row in cleaning.selected()] == ["b/other", "b/in/y"]


def test_a_folder_in_a_folder_alone_is_not_the_same_as_itself(tmp_path: Path) -> None:
    assert _cleaning(tmp_path, a_b_c_x="1", d="2").same_folders() == []


def test_folders_that_hold_only_empty_files_are_not_listed(tmp_path: Path) -> None:
    assert _cleaning(tmp_path, a_x="", b_x="").same_folders() == []


@given(folders())
@examples(40)
def test_they_are_those_of_the_definition(drawn: Drawn) -> None:
    with cleaned(drawn) as cleaning:
        expected = Counter(
            tuple(sorted(f.content for f in drawn.files if f.path.startswith(f"{folder}/")))
            for folder in ("x", "y", "keep")
        )
        sets = sum(1 for held, count in expected.items() if held and count > 1)
        assert len(cleaning.same_folders()) == sets
