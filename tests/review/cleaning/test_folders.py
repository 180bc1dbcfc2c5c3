"""Folders that hold the same files, and folders whose files have copies elsewhere."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

from hypothesis import given

from tests.kernels.examples import examples
from tests.review.cleaning.drawn import Drawn, cleaned, folders
from tests.review.cleaning.made import MadeFile, report
from twinset.review.cleaning.cleaning import FolderCleaning
from twinset.review.cleaning.model import PROPOSED
from twinset.review.cleaning.rules import MarkRule


def _cleaning(place: Path, **contents: str) -> FolderCleaning:
    files = [MadeFile(name.replace("_", "/"), content) for name, content in contents.items()]
    return FolderCleaning.of(report(place, files), place / "home")


def test_equal_folders_are_one_line_and_folders_inside_are_not_repeated(tmp_path: Path) -> None:
    cleaning = _cleaning(
        tmp_path, a_x="1", a_in_y="22", b_other="1", b_in_y="22", c_in_y="22", d_z="1"
    )
    root = tmp_path / "folder"
    same = [(s.folders, s.files, s.bytes) for s in cleaning.folders().same]
    assert same == [
        ((root / "a", root / "b"), 2, 3),
        ((root / "a/in", root / "b/in", root / "c"), 1, 2),
    ]


def test_a_folder_in_a_folder_alone_is_not_the_same_as_itself(tmp_path: Path) -> None:
    assert _cleaning(tmp_path, a_b_c_x="1", d="2").folders().same == ()


def test_folders_that_hold_only_empty_files_are_not_listed(tmp_path: Path) -> None:
    assert _cleaning(tmp_path, a_x="", b_x="").folders().same == ()


def test_a_folder_is_spare_where_all_of_it_has_copies_elsewhere(tmp_path: Path) -> None:
    cleaning = _cleaning(tmp_path, a_x="1", a_y="22", b_x="1", c_y="22", c_z="333")
    rows = {row.folder.name: row for row in cleaning.folders().rows}
    assert (rows["a"].files, rows["a"].elsewhere, rows["a"].elsewhere_bytes) == (2, 2, 3)
    assert (rows["c"].files, rows["c"].elsewhere, rows["c"].bytes) == (2, 1, 5)
    assert [rows[name].is_spare for name in "abc"] == [True, True, False]
    cleaning.apply_rule(MarkRule("in-folder", folder=rows["a"].folder))
    assert [row.id for row in cleaning.selected()] == ["a/x", "a/y"]


@given(folders())
@examples(40)
def test_figures_are_those_of_the_definition(drawn: Drawn) -> None:
    kinds = drawn.kinds()
    paths = [file.path for file in drawn.files]
    with cleaned(drawn) as cleaning:
        overview = cleaning.folders()
        by_folder = {os.path.relpath(r.folder, cleaning.root): r for r in overview.rows}
        root = os.path.basename(cleaning.root)
        for folder in ("x", "y", "keep"):
            inside = [path for path in paths if path.startswith(f"{folder}/")]
            copied = [
                path
                for path in inside
                if any(kinds.get((path, o)) in PROPOSED for o in paths if o not in inside)
            ]
            row = by_folder.get("." if root == folder else folder)
            assert (0 if row is None else row.elsewhere) == len(copied)
        expected = Counter(
            tuple(sorted(f.content for f in drawn.files if f.path.startswith(f"{folder}/")))
            for folder in ("x", "y", "keep")
        )
        sets = sum(1 for held, count in expected.items() if held and count > 1)
        assert len(overview.same) == sets
