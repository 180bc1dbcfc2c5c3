"""Pairs that are no copies: gone from this list and the next one, and back when taken back."""

from __future__ import annotations

from pathlib import Path

from tests.review.cleaning.made import MadeFile, report
from twinset.review.cleaning.cleaning import FolderCleaning

FILES = [MadeFile("a", "one"), MadeFile("b", "two"), MadeFile("c", "two"), MadeFile("d", "more")]
PAIRS = [("a", "b", "equal-words", 0.8), ("a", "d", "equal-words", 0.8)]


def _goes(cleaning: FolderCleaning) -> list[str]:
    return [row.id for row in cleaning.selected()]


def test_an_ignored_pair_holds_for_all_files_of_its_contents(tmp_path: Path) -> None:
    cleaning = FolderCleaning.of(report(tmp_path / "1", FILES, PAIRS), tmp_path / "home")
    assert _goes(cleaning) == ["b", "c", "d"]
    cleaning.ignore(1, 0)
    assert _goes(cleaning) == ["c", "d"]
    (pair,) = cleaning.ignored()
    assert [Path(name).name for name in pair.names] == ["b", "a"]
    moved = [MadeFile("x/first", "one"), MadeFile("second", "two")]
    later = report(tmp_path / "2", moved, [("x/first", "second", "equal-words", 0.8)])
    assert FolderCleaning.of(later, tmp_path / "home").groups().total == 0
    cleaning.stop_ignoring(pair.line)
    assert _goes(cleaning) == ["b", "c", "d"]
    assert FolderCleaning.of(later, tmp_path / "home").groups().total == 1


def test_equal_files_may_be_ignored_too(tmp_path: Path) -> None:
    cleaning = FolderCleaning.of(report(tmp_path, FILES), tmp_path / "home")
    assert _goes(cleaning) == ["c"]
    cleaning.ignore(1, 2)
    assert cleaning.groups().total == 0


def test_choices_on_others_survive_an_ignored_pair(tmp_path: Path) -> None:
    cleaning = FolderCleaning.of(report(tmp_path, FILES, PAIRS), tmp_path / "home")
    cleaning.set_action([3], "keep")
    cleaning.ignore(0, 1)
    assert _goes(cleaning) == ["c"]
    cleaning.undo()
    assert _goes(cleaning) == ["c", "d"]


def test_strange_lines_of_the_list_are_passed_over(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    strange = ['{"keys": ["a"]}', "[]", '{"keys": ["blake2b:zz", "x"], "names": ["a", "b"]}', '{"k']
    (home / "ignored.jsonl").write_text("\n".join(strange), encoding="utf-8")
    cleaning = FolderCleaning.of(report(tmp_path, FILES, PAIRS), home)
    assert _goes(cleaning) == ["b", "c", "d"]
    cleaning.ignore(0, 3)
    assert _goes(cleaning) == ["b", "c"]


def test_a_file_whose_content_was_not_looked_at_is_known_by_its_path(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    index = report(tmp_path, FILES, PAIRS)
    table = tmp_path / "report" / "documents.parquet"
    documents = pq.read_table(table)
    nothing = pa.nulls(len(documents), pa.binary())
    pq.write_table(documents.drop_columns(["digest"]).append_column("digest", nothing), table)
    cleaning = FolderCleaning.of(index, tmp_path / "home")
    assert _goes(cleaning) == ["b", "d"]
    cleaning.ignore(0, 1)
    assert _goes(cleaning) == ["d"]
