"""A run that could read nothing ends with exit code 1, and leaves nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Twinset


@pytest.fixture
def misnamed(tmp_path: Path) -> Path:
    path = tmp_path / "rows.jsonl"
    lines = (json.dumps({"id": n, "content": {"body": f"text number {n}"}}) for n in range(50))
    path.write_text("\n".join(lines))
    return path


@pytest.mark.parametrize("command", ["find", "dedup"])
def test_a_wrong_text_field_is_no_success(
    twinset: Twinset, misnamed: Path, tmp_path: Path, command: str
) -> None:
    done = twinset(command, misnamed, "-o", "out", "-q")
    assert done.returncode == 1
    assert "did you mean --text content.body?" in done.stderr
    assert "none of the 50 rows holds text" in done.stderr
    assert done.stdout == ""
    assert not (tmp_path / "out").exists()
    again = twinset(command, misnamed, "-o", "out", "-q", "--text", "content.body")
    assert again.returncode == 0


@pytest.mark.parametrize(
    "options", [["--text", "content.body", "--id", "key"], ["--level", "line"], ["--text", "txt"]]
)
def test_a_wrong_field_of_several_files_leaves_nothing(
    twinset: Twinset, tmp_path: Path, options: list[str]
) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for name in "ab":
        row = {"id": name, "content": {"body": f"the text of {name}"}}
        (folder / f"{name}.jsonl").write_text(f"{json.dumps(row)}\n")
    done = twinset("dedup", folder, "-o", "out", "-q", *options)
    assert done.returncode == 1
    assert "none of the 2 rows holds" in done.stderr
    assert not (tmp_path / "out").exists()


def test_the_manifest_is_printed_with_the_fault(twinset: Twinset, misnamed: Path) -> None:
    done = twinset("find", misnamed, "-o", "out", "-q", "--json")
    assert done.returncode == 1
    assert "content.body" in json.loads(done.stdout)["unread"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["plan"],
        ["tune"],
        ["lab", "compare", "--methods", "minhash,exact", "-o", "out"],
        ["lab", "generate", "-o", "out", "--op", "replace-words:10%"],
    ],
)
def test_other_commands_stop(twinset: Twinset, misnamed: Path, arguments: list[str]) -> None:
    done = twinset(*arguments, misnamed)
    assert done.returncode == 1, done.stdout
    assert "did you mean --text content.body?" in done.stderr


def test_an_empty_folder_and_one_of_images(twinset: Twinset, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    done = twinset("find", folder, "-o", "out", "-q")
    assert (done.returncode, (tmp_path / "out").exists()) == (1, False)
    (folder / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n\0")
    done = twinset("dedup", folder, "-o", "out", "-q")
    assert done.returncode == 0
    assert "Compared byte for byte alone, since nothing reads their text: 1 picture." in done.stdout


def test_more_unread_rows_can_be_allowed(twinset: Twinset, tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"text": 1}\n{"text": 2}\n{"text": "words"}\n')
    assert twinset("find", path, "-o", "out", "-q").returncode == 1
    done = twinset("find", path, "-o", "out", "-q", "--max-unread", "0.7")
    assert done.returncode == 0, done.stderr
    done = twinset("find", path, "-o", "out", "-q", "--max-unread", "0.7")
    assert "exists already" in done.stderr
