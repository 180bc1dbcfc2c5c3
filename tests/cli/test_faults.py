"""Faults are sentences with exit codes, never tracebacks."""

from __future__ import annotations

import errno
import signal
import subprocess
from pathlib import Path

import pytest
import typer

from tests.cli.conftest import COMMAND, Twinset
from twinset.cli.faults import in_sentences
from twinset.errors import PlanError, ReportError


@pytest.mark.parametrize(
    ("fault", "code", "told"),
    [
        (ReportError("no such report"), 1, "twinset: no such report\n"),
        (PlanError(["one", "two"]), 2, "twinset: one\ntwinset: two\n"),
        (KeyboardInterrupt(), 130, "twinset: interrupted, nothing written\n"),
        (MemoryError(), 1, "--memory"),
        (OSError(errno.ENOSPC, "No space left", "out/pairs"), 1, "disk is full"),
        (PermissionError(errno.EACCES, "Permission denied", "/locked/x"), 1, "permission denied"),
        (OSError("odd"), 1, "twinset: odd\n"),
    ],
)
def test_faults_become_sentences(
    fault: BaseException, code: int, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(typer.Exit) as caught, in_sentences():
        raise fault
    assert caught.value.exit_code == code
    assert told in capsys.readouterr().err


def test_bugs_are_not_hidden() -> None:
    with pytest.raises(ZeroDivisionError), in_sentences():
        raise ZeroDivisionError


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["find", "missing.jsonl", "-o", "out"], 1, "missing.jsonl"),
        (["find", "corpus.jsonl"], 2, "-o"),
        (["find", "corpus.jsonl", "-o", "out", "-t", "7"], 2, "threshold"),
        (["find", "corpus.jsonl", "-o", "out", "-t", "seven"], 2, "--threshold"),
        (["find", "corpus.jsonl", "-o", "out", "--image", "oil"], 2, "oil"),
        (["find", "corpus.jsonl", "-o", "out", "--memory", "much"], 2, "much"),
        (["find", "corpus.jsonl", "-o", "corpus.jsonl"], 1, "is a file"),
        (["show", "nowhere"], 1, "nowhere"),
        (["methods", "magic"], 2, "magic"),
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


def start_reading(folder: Path, interrupts: signal.Handlers) -> subprocess.Popen[bytes]:
    """A run that waits for the rest of its stdin, started as a shell would start it.

    Shells let jobs in the background ignore SIGINT, and children inherit that: the tests
    themselves may be such a job, so the child's handling is set and never left to them.
    """
    run = subprocess.Popen(
        [*COMMAND, "find", "-", "-o", "report"],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=folder,
        preexec_fn=lambda: signal.signal(signal.SIGINT, interrupts),
    )
    assert run.stdin is not None
    run.stdin.write(b'{"id": "a", "text": "words"}\n')
    run.stdin.flush()
    with pytest.raises(subprocess.TimeoutExpired):
        run.wait(timeout=3)
    return run


def assert_nothing_written(run: subprocess.Popen[bytes], folder: Path) -> None:
    assert run.stderr is not None
    assert b"interrupted, nothing written" in run.stderr.read()
    assert run.returncode == 130
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_leaves_nothing(tmp_path: Path, how: signal.Signals) -> None:
    run = start_reading(tmp_path, signal.SIG_DFL)
    try:
        run.send_signal(how)
        run.wait(timeout=30)
    finally:
        run.kill()
    assert_nothing_written(run, tmp_path)


def test_a_run_in_the_background_is_ended_by_sigterm_alone(tmp_path: Path) -> None:
    run = start_reading(tmp_path, signal.SIG_IGN)
    try:
        run.send_signal(signal.SIGINT)  # Ctrl-C, meant for what is in the foreground
        with pytest.raises(subprocess.TimeoutExpired):
            run.wait(timeout=2)
        run.terminate()
        run.wait(timeout=30)
    finally:
        run.kill()
    assert_nothing_written(run, tmp_path)


def test_a_reader_that_has_seen_enough() -> None:
    show = subprocess.Popen(
        [*COMMAND, "methods"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert show.stdout is not None
    show.stdout.close()
    assert show.stderr is not None
    assert show.stderr.read() == ""
    assert show.wait(timeout=60) == 0
