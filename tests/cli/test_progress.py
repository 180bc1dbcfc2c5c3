"""Progress: lines for logs, a bar for terminals, silence where it is wanted."""

from __future__ import annotations

import io
import json
import os
import pty
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import twinset
from tests.cli.conftest import COMMAND
from twinset.cli.progress import File, Lines, writing
from twinset.model import Batch
from twinset.reading.batches import empty_batch
from twinset.result.folder import ROW
from twinset.run import Silent
from twinset.run.streaming import watched
from twinset.system import threads


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_lines_come_at_most_every_so_often() -> None:
    stream, clock = io.StringIO(), Clock()
    lines = Lines(stream, every=10, clock=clock)
    lines.stage("reading", 100e6)
    for _ in range(50):
        clock.now += 1
        lines.advance(1e6)
    lines.stage("comparing", None)
    lines.close()
    told = stream.getvalue().splitlines()
    assert told[0] == "reading: 10%, 1 MB/s, 1:30 min left"
    assert told[4] == "reading: 50%, 1 MB/s, 50 s left"
    assert told[5] == "reading: done in 50 s"
    assert told[6] == "comparing: done in 0.0 s"
    assert len(told) == 7


def test_the_file_says_which_document_is_being_read(tmp_path: Path) -> None:
    clock = Clock()
    file = File(str(tmp_path / "progress.json"), clock=clock)
    file.stage("reading", 100)
    clock.now = 1
    file.advance(10, "lease.docx")
    state = json.loads((tmp_path / "progress.json").read_text())
    assert (state["at"], state["done"]) == ("lease.docx", 10)
    clock.now = 2
    file.advance(10)
    assert json.loads((tmp_path / "progress.json").read_text())["at"] == "lease.docx"
    file.stage("comparing", None)
    assert json.loads((tmp_path / "progress.json").read_text())["at"] == ""


def test_a_long_wait_for_a_batch_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """A slow file, such as a scan, must not make the progress stand still."""
    monkeypatch.setattr(threads, "PATIENCE", 0.01)
    advances: list[tuple[float, str]] = []

    class Slow:
        total_bytes, bytes_read, now_reading = 100, 0, ""

        def batches(self) -> Iterator[Batch]:
            self.bytes_read, self.now_reading = 40, "scan.pdf"
            time.sleep(0.2)
            yield empty_batch("input", (), {})

    class Listener(Silent):
        def advance(self, amount: float, at: str = "") -> None:
            advances.append((amount, at))

    assert len(list(watched(Slow(), "reading", Listener()))) == 1
    assert len(advances) > 2
    assert (40, "scan.pdf") in advances
    assert sum(amount for amount, _ in advances) == 40


def test_unknown_totals_tell_the_rate_only() -> None:
    stream, clock = io.StringIO(), Clock()
    lines = Lines(stream, every=1, clock=clock)
    lines.stage("comparing", None)
    clock.now = 2
    lines.advance(5000)
    assert stream.getvalue() == "comparing: 2.5 k/s\n"


def test_a_bar_on_a_terminal(tmp_path: Path, corpus: Path) -> None:
    ours, theirs = pty.openpty()
    run = subprocess.Popen(
        [*COMMAND, "find", str(corpus), "-o", "out"],
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        cwd=tmp_path,
        env=os.environ | {"TERM": "xterm", "COLUMNS": "100"},
    )
    os.close(theirs)
    told = b""
    try:
        while piece := os.read(ours, 4096):
            told += piece
    except OSError:  # the terminal is gone with its last user
        pass
    finally:
        os.close(ours)
    assert run.wait(timeout=60) == 0
    assert b"reading" in told
    assert b"Traceback" not in told


def test_writing_documents_has_a_share(corpus: Path, tmp_path: Path) -> None:
    stages: list[list[float | None]] = []

    class Recorder(Silent):
        def stage(self, name: str, total: float | None) -> None:
            stages.append([total, 0])

        def advance(self, amount: float, at: str = "") -> None:
            stages[-1][1] = (stages[-1][1] or 0) + amount

    findings = twinset.dedup(corpus)
    with writing(Recorder(), findings):
        findings.save(tmp_path / "out")
        time.sleep(0.8)
    assert stages == [[5, 5]]


@pytest.mark.parametrize(
    ("form", "passes"),
    [
        ({}, 1),
        ({"to": "jsonl.gz", "no_split": True, "annotate": True}, 1),
        ({"to": "csv"}, 2),
        ({"to": "csv", "shards": 2}, 4),
    ],
)
def test_what_is_read_again_to_be_written_counts_again(
    corpus: Path, tmp_path: Path, form: dict[str, Any], passes: int
) -> None:
    findings = twinset.dedup(corpus)
    findings.save(tmp_path / "out", **form)
    rows = sum(map(len, (findings.documents, findings.pairs, findings.clusters)))
    assert findings.writing.planned == pytest.approx(5 * passes + ROW * rows)
    assert findings.writing.done >= findings.writing.planned


def test_plain_files_count_twice_as_each_is_waited_for(tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / f"{number}.txt").write_text(f"some words of file {number}")
    findings = twinset.dedup([tmp_path])
    findings.save(tmp_path / "out")
    planned = findings.writing.planned
    assert planned == pytest.approx(6 + ROW * 3)
    assert findings.writing.done >= planned
