"""Questions: only where an answer changes something, the most informative first, carried on."""

from __future__ import annotations

from pathlib import Path

from tests.review.cleaning.made import MadeFile, report
from twinset.review.cleaning.cleaning import FolderCleaning


def _cleaning(place: Path) -> FolderCleaning:
    files = [
        MadeFile("new/lease.txt", "l" * 10),
        MadeFile("old/lease v1.txt", "m" * 10),
        MadeFile("rent.txt", "n" * 10),
        MadeFile("old/rent v7.txt", "o" * 10),
        MadeFile("big.txt", "p" * 1000),
        MadeFile("extract.txt", "q" * 500),
        MadeFile("sure.txt", "r" * 900),
        MadeFile("sure 2.txt", "s" * 900),
        MadeFile("equal", "t"),
        MadeFile("equal 2", "t"),
    ]
    pairs = [
        ("new/lease.txt", "old/lease v1.txt", "revision", 0.7),
        ("rent.txt", "old/rent v7.txt", "revision", 0.8),
        ("big.txt", "extract.txt", "part", 0.6),
        ("sure.txt", "sure 2.txt", "revision", 0.95),
    ]
    return FolderCleaning.of(report(place, files, pairs), place / "home")


def test_questions_are_asked_where_there_is_doubt_and_alike_ones_once(tmp_path: Path) -> None:
    asked, total = _cleaning(tmp_path).questions()
    assert total == 2
    assert [(q.row.id, q.keeper.id, q.kind, q.files, q.bytes) for q in asked] == [
        ("extract.txt", "big.txt", "part", 1, 500),
        ("old/lease v1.txt", "new/lease.txt", "revision", 2, 20),
    ]


def test_an_answer_holds_for_files_of_the_same_pattern(tmp_path: Path) -> None:
    cleaning = _cleaning(tmp_path)
    assert cleaning.answer(1, False).changed == 2
    assert [row.id for row in cleaning.selected()] == ["sure 2.txt", "equal 2"]
    assert [q.row.id for q in cleaning.questions()[0]] == ["extract.txt"]
    assert cleaning.answer(5, True).changed == 1
    assert cleaning.questions() == ([], 0)
    assert "extract.txt" in [row.id for row in cleaning.selected()]
    cleaning.undo()
    cleaning.undo()
    assert cleaning.questions()[1] == 2


def test_an_answer_may_be_for_one_file_alone_and_a_question_for_later(tmp_path: Path) -> None:
    cleaning = _cleaning(tmp_path)
    cleaning.answer(1, True, alike=False)
    assert [q.row.id for q in cleaning.questions()[0]] == ["extract.txt", "old/rent v7.txt"]
    assert [q.row.id for q in cleaning.questions(later=[5])[0]] == ["old/rent v7.txt"]


def test_files_of_the_same_names_are_alike_in_the_same_two_folders(tmp_path: Path) -> None:
    names = ("a/x", "b/x", "a/y", "b/y", "a/z", "c/z")
    files = [MadeFile(name, name * 5) for name in names]
    pairs = [(*names[at : at + 2], "revision", 0.7) for at in (0, 2, 4)]
    cleaning = FolderCleaning.of(report(tmp_path, files, pairs), tmp_path / "home")  # type: ignore[arg-type]
    assert [q.alike for q in cleaning.questions()[0]] == [(1, 3), (5,)]


def test_a_person_says_which_of_two_folders_stays_where_no_policy_does(tmp_path: Path) -> None:
    day = 24 * 3600 * 10**9
    files = [
        *(MadeFile(f"backup/{name}", name * 9, day) for name in "abc"),
        *(MadeFile(f"home/{name}", name * 9, day) for name in "ab"),
        MadeFile("home/c", "c" * 9, 2 * day),
    ]
    index = report(tmp_path, files, plan={"keep": ["newest"]})
    cleaning = FolderCleaning.of(index, tmp_path / "home")
    assert [row.id for row in cleaning.selected()] == ["backup/c", "home/a", "home/b"]
    (question,) = cleaning.folder_questions()
    assert [folder.name for folder in question.folders] == ["backup", "home"]
    assert (question.files, question.bytes) == (2, 18)
    backup, home = question.folders
    assert cleaning.answer_folders(home, backup).changed == 4
    assert [row.id for row in cleaning.selected()] == ["backup/a", "backup/b", "backup/c"]
    assert cleaning.folder_questions() == []
    cleaning.undo()
    cleaning.answer_folders(backup, home)
    assert [row.id for row in cleaning.selected()] == ["backup/c", "home/a", "home/b"]
    assert cleaning.folder_questions() == []
