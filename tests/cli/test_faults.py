"""Faults are sentences with exit codes, never tracebacks."""

from __future__ import annotations

import errno
import shlex
import subprocess
from pathlib import Path

import pytest
from click.exceptions import Exit

from tests.cli.conftest import COMMAND, Twinset
from twinset.cli.faults import Terminated, in_sentences
from twinset.errors import PlanError, ReportError


@pytest.mark.parametrize(
    ("fault", "code", "told"),
    [
        (ReportError("no such report"), 1, "twinset: no such report\n"),
        (PlanError(["one", "two"]), 2, "twinset: one\ntwinset: two\n"),
        (KeyboardInterrupt(), 130, "twinset: stopped; nothing was written\n"),
        (Terminated(), 143, "twinset: stopped; nothing was written\n"),
        (ImportError("x.so: failed to map segment from shared object"), 1, "out of memory"),
        (RuntimeError("can't start new thread"), 1, "out of memory"),
        (MemoryError(), 1, "--memory"),
        (OSError(errno.ENOSPC, "No space left", "out/pairs"), 1, "disk is full"),
        (PermissionError(errno.EACCES, "Permission denied", "/locked/x"), 1, "permission denied"),
        (OSError("odd"), 1, "twinset: odd\n"),
    ],
)
def test_faults_become_sentences(
    fault: BaseException, code: int, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(Exit) as caught, in_sentences():
        raise fault
    assert caught.value.exit_code == code
    assert told in capsys.readouterr().err


@pytest.mark.parametrize("bug", [ZeroDivisionError(), ImportError("no name 'x'"), RuntimeError()])
def test_bugs_are_not_hidden(bug: Exception) -> None:
    with pytest.raises(type(bug)), in_sentences():
        raise bug


@pytest.mark.parametrize(
    "arguments",
    [
        ["find", "nowhere", "-o", "out"],
        ["dedup", "nowhere", "-o", "out"],
        ["lab", "compare", "nowhere", "-o", "out"],
        ["tune", "nowhere"],
        ["plan", "nowhere"],
        ["lab", "learn", "nowhere", "-o", "out", "--op", "reorder-paragraphs"],
        ["lab", "learn", "corpus.jsonl", "-o", "out", "--labels", "nowhere"],
        ["lab", "generate", "nowhere", "-o", "out", "--op", "reorder-paragraphs"],
        ["lab", "mine", "nowhere", "--support", "2"],
        ["lab", "evaluate", "nowhere", "--truth", "nowhere"],
        ["find", "corpus.jsonl", "-o", "out", "--plan", "nowhere"],
        ["find", "corpus.jsonl", "-o", "out", "--statistics", "nowhere"],
    ],
    ids=" ".join,
)
def test_every_command_says_the_same_of_a_missing_file(
    twinset: Twinset, corpus: Path, arguments: list[str]
) -> None:
    done = twinset(*arguments)
    assert done.returncode == 2, done.stderr
    assert "twinset: nowhere: there is no such " in done.stderr
    assert not (corpus.parent / "out" / "manifest.json").exists()


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["find", "corpus.jsonl"], 2, "-o"),
        (["find", "corpus.jsonl", "-o", "out", "-t", "7"], 2, "threshold"),
        (["find", "corpus.jsonl", "-o", "out", "-t", "seven"], 2, "--threshold"),
        (["find", "corpus.jsonl", "-o", "out", "--image", "oil"], 2, "oil"),
        (["find", "corpus.jsonl", "-o", "out", "--memory", "much"], 2, "much"),
        (["find", "corpus.jsonl", "-o", "out", "--memory", "16MB"], 2, "itself needs, 200MB"),
        (["find", "corpus.jsonl", "-o", "corpus.jsonl"], 1, "is a file"),
        (["show", "nowhere"], 2, "there is no report folder"),
        (["list", "parts", "magic"], 2, "magic"),
        (["list", "parts", "minhsh"], 2, "did you mean 'minhash'"),
        (["plan", "--recall", "2"], 2, "recall"),
        (["plan", "--image", "oph:size=2", "-t", "0.1"], 2, "larger image"),
        (["fnd"], 2, "fnd"),
    ],
)
def test_wrong_calls(
    twinset: Twinset, corpus: Path, arguments: list[str], code: int, told: str
) -> None:
    done = twinset(*arguments)
    assert done.returncode == code, done.stderr
    assert told in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    assert not (corpus.parent / "out").exists()


def test_an_existing_report_needs_force(twinset: Twinset, corpus: Path, report: Path) -> None:
    again = twinset("find", corpus, "-o", report)
    assert again.returncode == 1
    assert "--force" in again.stderr
    assert twinset("find", corpus, "-o", report, "--force", "-q").returncode == 0


@pytest.mark.parametrize("closed", [">&-", "<&- >&- 2>&-"])
def test_closed_streams_are_no_fault(corpus: Path, tmp_path: Path, closed: str) -> None:
    """No file of the report may take the number of a standard stream either."""
    command = shlex.join([*COMMAND, "find", str(corpus), "-o", str(tmp_path / "report"), "-q"])
    done = subprocess.run(["sh", "-c", f"{command} {closed}"], capture_output=True)
    assert done.returncode == 0
    assert done.stderr == b""
    assert (tmp_path / "report" / "pairs.parquet").exists()


def test_a_reader_that_has_seen_enough() -> None:
    show = subprocess.Popen(
        [*COMMAND, "list", "parts"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert show.stdout is not None
    show.stdout.close()
    assert show.stderr is not None
    assert show.stderr.read() == ""
    assert show.wait(timeout=60) == 0
