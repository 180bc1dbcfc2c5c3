"""``twinset clean``: lists, removes, undoes; asks before files go."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import COMMAND, Twinset
from tests.review.cleaning.made import MadeFile, report
from twinset.review import opened
from twinset.review.cleaning.cleaning import FolderCleaning

FILES = [
    MadeFile("lease.txt", "rent ten", 5),
    MadeFile("lease 2019.txt", "rent of nine", 4),
    MadeFile("old/lease 2019.txt", "rent of nine", 3),
    MadeFile("cv.txt", "curriculum", 2),
    MadeFile("it's\n-rf $(x).txt", "curriculum", 1),
    MadeFile("form a.txt", "form one"),
    MadeFile("form b.txt", "form two"),
]
PAIRS = [
    ("lease.txt", "lease 2019.txt", "revision", 0.8),
    ("form a.txt", "form b.txt", "same-form", 0.9),
]
VERSIONS = ("--kind", "revision")
GOING = {"lease 2019.txt", "old/lease 2019.txt", "it's\n-rf $(x).txt"}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a report beside it, and a home of its own."""
    monkeypatch.setenv("HOME", str(tmp_path / "person"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "person" / "data"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "person" / "state"))
    (tmp_path / "person").mkdir()
    report(tmp_path, FILES, PAIRS)
    return tmp_path / "folder"


def names(folder: Path) -> set[str]:
    return {str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()}


def printed(twinset: Twinset, *arguments: Any) -> dict[str, Any]:
    done = twinset("clean", *arguments, "--json", "-q")
    assert done.returncode == 0, done.stderr
    value: dict[str, Any] = json.loads(done.stdout)
    return value


def test_the_list_says_what_goes_what_stays_and_the_next_command(
    folder: Path, twinset: Twinset
) -> None:
    usual = twinset("clean", "report").stdout
    assert "2 files of 2 groups can go, which frees 22 B." in usual
    assert "  stays   lease 2019.txt (12 B): another version" in usual
    assert "--kind revision lets them go, too" in usual
    done = twinset("clean", "report", *VERSIONS)
    assert done.returncode == 0
    assert "3 files of 2 groups can go, which frees 34 B." in done.stdout
    assert f"Next: twinset clean {folder.parent / 'report'} --kind revision --trash" in done.stdout
    assert "  stays   lease.txt" in done.stdout
    assert "  can go  old/lease 2019.txt (12 B)" in done.stdout
    assert "form" not in done.stdout
    assert names(folder) == {file.path for file in FILES}
    some = twinset("clean", "report", *VERSIONS, "--top", 1)
    assert "... and 1 more group (--top N, or --csv)." in some.stdout
    value = printed(twinset, "report", *VERSIONS)
    assert value["totals"] == {"groups": 2, "files": 3, "bytes": 34}
    assert {f["path"] for g in value["groups"] for f in g["files"] if f["action"] == "remove"} == {
        str(folder / name) for name in GOING
    }


def test_the_next_command_repeats_the_choice_and_can_be_copied(
    folder: Path, twinset: Twinset
) -> None:
    report = (folder.parent / "report").rename(folder.parent / "my report")
    choice = ("--kind", "equal-bytes", "--keep", "oldest")
    listed = twinset("clean", "my report", *choice).stdout
    assert f"Next: twinset clean '{report}' {' '.join(choice)} --trash" in listed


def test_trash_and_undo(folder: Path, twinset: Twinset) -> None:
    before = names(folder)
    done = twinset("clean", "report", *VERSIONS, "--trash", "--yes", "-q")
    assert done.returncode == 0, done.stderr
    assert "3 files moved to the trash (34 B)." in done.stdout
    assert names(folder) == before - GOING
    [entry] = printed(twinset, "--history")["operations"]
    assert (entry["how"], entry["state"], entry["files"]) == ("trash", "done", 3)
    assert f"To undo: twinset clean --undo --operation {entry['operation']}" in done.stdout
    assert "trash" in twinset("clean", "--history").stdout
    other = twinset("clean", "another", "--undo")
    assert "nothing to undo of another; --history lists" in other.stderr
    undone = twinset("clean", "report", "--undo", "-q")
    assert undone.stdout == "3 files back in place (34 B).\n"
    assert names(folder) == before
    again = twinset("clean", "--undo", "-q")
    assert again.returncode == 1
    assert "there is nothing to undo" in again.stderr


def test_move_by_kind_and_undo_by_name(folder: Path, twinset: Twinset) -> None:
    value = printed(twinset, "report", "--move", "removed", "--yes", "--kind", "equal-bytes")
    going = {"it's\n-rf $(x).txt", "old/lease 2019.txt"}
    assert {file["path"] for file in value["done"]} == {str(folder / name) for name in going}
    assert (folder.parent / "removed" / "it's\n-rf $(x).txt").is_file()
    back = printed(twinset, "--undo", "--operation", value["operation"])
    assert len(back["done"]) == 2
    assert names(folder) == {file.path for file in FILES}


@pytest.mark.usefixtures("folder")
def test_the_list_up_to_a_kind_counts_these_copies_alone(twinset: Twinset) -> None:
    listed = twinset("clean", "report", "--kind", "equal-bytes").stdout
    assert "  stays   lease 2019.txt: " in listed
    assert "  can go  old/lease 2019.txt " in listed
    assert "2 files of 2 groups can go, which frees 22 B." in listed
    assert "version" not in listed
    assert printed(twinset, "report", *VERSIONS)["totals"]["files"] == 3


def test_what_changed_is_named_and_stays(folder: Path, twinset: Twinset) -> None:
    (folder / "lease 2019.txt").write_text("rent of eight")
    value = printed(twinset, "report", *VERSIONS, "--trash", "--yes")
    assert [(r["path"], r["reason"]) for r in value["refused"]] == [
        (str(folder / "lease 2019.txt"), "refused_changed")
    ]
    assert len(value["done"]) == 2


def test_another_policy_keeps_another_copy(folder: Path, twinset: Twinset) -> None:
    moved = ("report", *VERSIONS, "--move", "x", "--yes")
    usual = {step["path"] for step in printed(twinset, *moved)["done"]}
    assert str(folder / "lease 2019.txt") in usual
    printed(twinset, "--undo")
    done = printed(twinset, *moved, "--keep", "longest")["done"]
    assert {os.path.relpath(step["path"], folder) for step in done} == {
        "lease.txt",
        "old/lease 2019.txt",
        "it's\n-rf $(x).txt",
    }
    bad = twinset("clean", "report", "--keep", "nicest")
    assert bad.returncode == 2
    assert "nicest" in bad.stderr


def test_a_table(folder: Path, twinset: Twinset) -> None:
    twinset("clean", "report", *VERSIONS, "--csv", "go.csv")
    rows = list(csv.DictReader(io.StringIO(Path("go.csv").read_text())))
    assert {row["path"] for row in rows} == {str(folder / name) for name in GOING}
    assert {row["keeper"] for row in rows} == {str(folder / n) for n in ("lease.txt", "cv.txt")}
    assert {row["kind"] for row in rows} == {"another version", "identical files"}


def test_a_form_that_a_person_has_marked_goes(folder: Path, twinset: Twinset) -> None:
    cleaning = FolderCleaning.of(opened(folder.parent / "report"), folder.parent / "home")
    form = [file.path for file in FILES].index("form b.txt")
    assert cleaning.set_action([form], "remove").changed == 1
    value = printed(twinset, "report", "--move", "removed", "--yes")
    assert str(folder / "form b.txt") in [file["path"] for file in value["done"]]


MISTAKES = {
    "report --top -3": "--top: -3 is not in the range x>=0",
    "report --trash": "There is no terminal to ask on: add --yes",
    "report --trash --csv x": "one thing at a time, not --trash and --csv",
    "report --kind twin": "must be one of equal-bytes, equal-words, equal-layout, revision",
    "report --kind part": "what is no copy goes only if you mark it yourself",
    "report --move folder/x --yes": "lies in the folder that was searched",
    "report --operation x": "--operation says what --undo is about",
    "--undo --operation x": "there is no operation 'x'; nothing was done yet",
    "": "name the folder of a report",
    "folder": "make one of its files first: twinset find folder --preset files -o report",
}


@pytest.mark.usefixtures("folder")
def test_faults_are_sentences(twinset: Twinset) -> None:
    for line, words in MISTAKES.items():
        done = twinset("clean", *line.split())
        assert done.returncode in (1, 2), line
        assert words in done.stderr


def test_a_report_of_records_holds_no_files(report: Path, twinset: Twinset) -> None:
    done = twinset("clean", report)
    assert done.returncode == 1
    assert "holds no files of a folder" in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
@pytest.mark.parametrize(("answer", "goes"), [("y", True), ("n", False), ("", False)])
def test_a_person_is_asked_on_a_terminal(folder: Path, answer: str, goes: bool) -> None:
    import pty

    master, slave = pty.openpty()
    os.write(master, f"{answer}\n".encode())
    command = [*COMMAND, "clean", "report", *VERSIONS, "--move", "removed", "-q"]
    run = subprocess.run(
        command, stdin=slave, capture_output=True, text=True, cwd=folder.parent, check=False
    )
    os.close(master)
    os.close(slave)
    assert run.returncode == 0, run.stderr
    assert f"Move 3 files (34 B) to {folder.parent / 'removed'}? [y/N] " in run.stderr
    assert (folder.parent / "removed").exists() is goes
    assert ("Nothing was changed." in run.stderr) is not goes
