"""Ctrl-C and a polite kill end a run soon, with a sentence, and leave nothing behind."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from twinset.cli.lab.experiment import STOPPED

PATIENCE = 5.0  # a quiet machine takes a tenth of a second
SENTENCE = b"twinset: stopped; nothing was written\n"
CODES = {signal.SIGINT: 130, signal.SIGTERM: 143}
# Whoever runs the tests may ignore Ctrl-C, and children inherit that.
COMMAND = [
    sys.executable,
    "-c",
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler);"
    "from twinset.cli import main; main()",
]

# Sends itself Ctrl-C when the first module of a name is about to be imported.
INTERRUPTED_AT_IMPORT = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            sys.meta_path.remove(self)
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupt())
from twinset.__main__ import main
main()
"""


@contextmanager
def running(
    folder: Path, *arguments: str, command: list[str] = COMMAND
) -> Iterator[subprocess.Popen[bytes]]:
    """A command whose temporary files go to a folder of their own, ended in any case."""
    temporary = folder / "temporary"
    temporary.mkdir()
    run = subprocess.Popen(
        [*command, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        cwd=folder,
        env={"TMPDIR": str(temporary)},
    )
    try:
        yield run
    finally:
        run.kill()
        run.wait()


def stopped(run: subprocess.Popen[bytes], how: signal.Signals) -> bytes:
    """What a run says when a signal ends it; that it ends soon is part of the answer."""
    run.send_signal(how)
    begun = time.monotonic()
    _, said = run.communicate(timeout=60)
    assert time.monotonic() - begun < PATIENCE
    assert run.returncode == CODES[how]
    return said


def wait_until(run: subprocess.Popen[bytes], reached: Callable[[], bool]) -> None:
    begun = time.monotonic()
    while not reached():
        assert run.poll() is None, "it ended by itself"
        assert time.monotonic() - begun < 60
        time.sleep(0.02)


def _processor(pid: int) -> float:
    """Seconds of the processor that a process has had: many when it is at work."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


def _ended(pid: int) -> bool:
    """Whether a process is gone; one that nobody has asked after is still listed."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "ZX"
    except OSError:
        return True


@pytest.mark.parametrize("module", ["twinset.cli", "twinset.cli.find", "pyarrow"])
def test_ctrl_c_during_the_imports_ends_without_a_traceback(tmp_path: Path, module: str) -> None:
    (tmp_path / "a.jsonl").write_text('{"id": "a", "text": "one two three"}\n')
    program = INTERRUPTED_AT_IMPORT.format(module=module)
    command = [sys.executable, "-c", program, "find", "a.jsonl", "-o", "report"]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=60)
    assert ended.returncode == 130
    assert ended.stderr.strip() in (b"", SENTENCE.strip())
    assert not (tmp_path / "report").exists()


@pytest.mark.parametrize("how", CODES)
def test_a_run_that_waits_for_input_leaves_nothing(tmp_path: Path, how: signal.Signals) -> None:
    with running(tmp_path, "find", "-", "-o", "report", "-q") as run:
        # Stdin stays open, so the run is reading when the signal comes.
        assert run.stdin is not None
        run.stdin.write(b'{"id": "a", "text": "words"}\n')
        run.stdin.flush()
        with pytest.raises(subprocess.TimeoutExpired):
            run.wait(timeout=3)
        assert stopped(run, how) == SENTENCE
    assert [path.name for path in tmp_path.rglob("*")] == ["temporary"]


def test_a_search_without_end_is_stopped(tmp_path: Path) -> None:
    draw = random.Random(1)
    lines = (" ".join(map(str, sorted(draw.sample(range(60), 30)))) for _ in range(300))
    (tmp_path / "sets.fimi").write_text("\n".join(lines) + "\n")
    arguments = ["sets.fimi", "--support", "8", "--max-sets", str(10**9)]
    arguments += ["--algorithm", "search"]
    with running(tmp_path, "lab", "mine", *arguments) as run:
        wait_until(run, lambda: _processor(run.pid) > 1.5)
        assert stopped(run, signal.SIGTERM) == SENTENCE


def test_a_dense_join_is_stopped(tmp_path: Path) -> None:
    draw = random.Random(1)
    with open(tmp_path / "in.jsonl", "w") as file:
        for number in range(12_000):
            text = " ".join(draw.choices("abcdefgh", k=300))
            file.write(json.dumps({"id": number, "text": text}) + "\n")
    arguments = ["-o", "report", "--exact", "--shingle", "3", "--threshold", "0.75", "-q"]
    with running(tmp_path, "find", "in.jsonl", *arguments) as run:
        wait_until(run, lambda: _processor(run.pid) > 3)
        assert stopped(run, signal.SIGINT) == SENTENCE
    assert {path.name for path in tmp_path.rglob("*")} == {"in.jsonl", "temporary"}


def test_reading_by_many_threads_is_stopped(tmp_path: Path) -> None:
    line = json.dumps({"text": " ".join(map(str, range(2000)))}) + "\n"
    (tmp_path / "in.jsonl").write_text(line * 1000)
    arguments = ["in.jsonl", "-o", "report", "-q", "--threads", "16", "--memory", "1GB"]
    arguments += ["--image", "minwise:size=8192"]  # which takes many times as long as reading
    with running(tmp_path, "find", *arguments) as run:
        wait_until(run, lambda: _processor(run.pid) > 1.5)
        assert stopped(run, signal.SIGTERM) == SENTENCE
    assert list((tmp_path / "temporary").iterdir()) == []


@pytest.mark.parametrize("how", CODES)
def test_a_comparison_ends_with_its_worker(tmp_path: Path, how: signal.Signals) -> None:
    draw = random.Random(1)
    with open(tmp_path / "in.jsonl", "w") as file:
        for number in range(500):
            text = " ".join(draw.choices("abcdefgh", k=100))
            file.write(json.dumps({"id": number, "text": text}) + "\n")
    with running(
        tmp_path, "lab", "compare", "in.jsonl", "-o", "out", "--methods", "A0,A4", "-q"
    ) as run:
        children = Path(f"/proc/{run.pid}/task/{run.pid}/children")
        wait_until(run, lambda: bool(children.read_text()))
        worker = int(children.read_text().split()[0])
        wait_until(run, lambda: _processor(worker) > 0.2)
        said = stopped(run, how)
    assert said == f"twinset: {STOPPED}\n".encode()
    assert _ended(worker)
    assert list(tmp_path.rglob("*.partial")) == []
    assert list((tmp_path / "temporary").iterdir()) == []


def test_a_second_signal_does_not_disturb_the_tidying() -> None:
    code = (
        "import os, signal, time\n"
        "from twinset.cli.faults import Terminated, end_on_signals\n"
        "end_on_signals()\n"
        "try:\n"
        "    os.kill(os.getpid(), signal.SIGTERM); time.sleep(30)\n"
        "except Terminated:\n"
        "    os.kill(os.getpid(), signal.SIGTERM); time.sleep(0.1); print('tidy')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout == "tidy\n", done.stderr
