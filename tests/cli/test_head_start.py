"""A large file of JSON lines is parsed while the libraries load, and nothing else changes."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from tests.cli.conftest import WORDS, Twinset
from twinset import _kernels
from twinset.cli.limits import SCARCE
from twinset.system import head_start

OPTIONS = ("--memory", "600MB", "--threads", "16", "--quiet")
"""With these a batch holds some 2 MB, which is less than the file has."""


class Watched:
    """The kernel, and what was taken of it."""

    taken: list[bool]
    kernel = _kernels.JsonlAhead

    def __init__(self, *arguments: Any) -> None:
        self._ahead = Watched.kernel(*arguments)
        time.sleep(0.2)  # as long as libraries take to load, which are loaded here
        Watched.taken = []

    def take(self, begin: int, end: int) -> Any:
        """What was parsed of a range."""
        found = self._ahead.take(begin, end)
        Watched.taken.append(found is not None)
        return found


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """A file of several batches, with repeated, broken, blank and odd lines."""
    path = tmp_path / "large.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for number in range(1500):
            own = " ".join(f"{word}{number // 3}" for word in WORDS.split()) * 14
            file.write(json.dumps({"id": f"d{number}", "text": own, "body": own[::-1]}) + "\n")
            if number % 400 == 0:
                file.write('\n{"id": 7.5, "text": "odd one"}\n{"broken": \n')
    return path


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> type[Watched]:
    """The kernel with a list of what is taken of it."""
    monkeypatch.setattr(_kernels, "JsonlAhead", Watched)
    Watched.taken = []
    return Watched


def tables(report: Path) -> list[Any]:
    """The tables of a report."""
    return [pq.read_table(report / f"{name}.parquet") for name in ("pairs", "clusters")]


def test_the_answer_is_the_same(twinset: Twinset, large: Path, watched: type[Watched]) -> None:
    plain = twinset("find", large, "-o", "plain", "--memory", SCARCE, "--quiet")
    assert plain.returncode == 0
    assert watched.taken == []
    ahead = twinset("find", large, "-o", "ahead", *OPTIONS)
    assert ahead.returncode == 0
    assert watched.taken[0]
    assert ahead.stdout.replace("ahead", "plain").splitlines()[0] == plain.stdout.splitlines()[0]
    folder = large.parent
    assert tables(folder / "plain") == tables(folder / "ahead")
    manifests = [
        json.loads((folder / name / "manifest.json").read_text("utf-8"))
        for name in ("plain", "ahead")
    ]
    for name in ("inputs", "faults"):
        assert manifests[0][name] == manifests[1][name]


@pytest.mark.parametrize(
    "options",
    [
        ("--keep", "date:max"),
        ("--within", "."),
        ("--threads", "1"),
        ("--memory", str(SCARCE)),
        ("--each-file",),
    ],
    ids=lambda options: options[0],
)
def test_nothing_is_taken_that_was_begun_in_another_way(
    twinset: Twinset, large: Path, watched: type[Watched], options: tuple[str, ...]
) -> None:
    twinset("find", large, "-o", "report", *OPTIONS, *options)
    assert not any(watched.taken)
    with large.open("rb") as file:
        assert head_start.taken(file.fileno(), ("id", "text", "")) is None


def test_other_fields_are_parsed_ahead_as_well(
    twinset: Twinset, large: Path, watched: type[Watched]
) -> None:
    assert twinset("find", large, "-o", "report", *OPTIONS, "--text", "body").returncode == 0
    assert any(watched.taken)


def test_a_file_that_changes_meanwhile_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("{}\n", "utf-8")
    with path.open("rb") as file:
        head_start.leave(file.fileno(), ("id",), "work")
        assert head_start.taken(file.fileno(), ("text",)) is None
        assert head_start.taken(file.fileno(), ("id",)) is None  # the other question gave it up
        head_start.leave(file.fileno(), ("id",), "work")
        assert head_start.taken(file.fileno(), ("id",)) == "work"
        head_start.leave(file.fileno(), ("id",), "work")
        path.write_text("{}\n{}\n", "utf-8")
        assert head_start.taken(file.fileno(), ("id",)) is None


def test_a_missing_file_and_a_wrong_option_are_said_as_ever(twinset: Twinset, large: Path) -> None:
    missing = twinset("find", "missing.jsonl", "-o", "report", *OPTIONS)
    assert missing.returncode == 2
    assert "missing.jsonl" in missing.stderr
    wrong = twinset("find", large, "-o", "report", "--threshold", "7")
    assert wrong.returncode == 2
    assert "threshold" in wrong.stderr
