"""What a run that was killed leaves behind: nothing that stays, and no process that lives on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from twinset.system.files import fresh_file
from twinset.system.temporary import TemporaryFile, TemporaryFolder, sweep

TWINSET = [sys.executable, "-c", "from twinset.cli import main; main()"]
PATIENCE = 60.0


def wait_for(what: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE
    while not what():
        assert time.monotonic() < end, "it does not happen"
        time.sleep(0.02)


def start(command: list[str], place: Path, **options: int) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "TMPDIR": str(place / "temporary")}
    return subprocess.Popen(command, cwd=place, env=environment, **options)  # type: ignore[call-overload, no-any-return]


def kill(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGKILL)
    process.wait(timeout=PATIENCE)


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{pid}/stat")
    return not state.exists() or ") Z " not in state.read_text()


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with a small collection and an empty folder for temporary files."""
    (tmp_path / "temporary").mkdir()
    rows = ({"id": str(number), "text": f"a few words {number}"} for number in range(20))
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (tmp_path / "corpus.jsonl").write_text(text)
    return tmp_path


def left(place: Path) -> list[str]:
    return os.listdir(place / "temporary")


def test_the_spool_of_standard_input_goes_with_the_next_run(place: Path) -> None:
    run = start([*TWINSET, "find", "-", "-o", "report"], place, stdin=subprocess.PIPE)
    assert run.stdin is not None
    run.stdin.write(b'{"id": "a", "text": "words"}\n' * 100_000)
    run.stdin.flush()
    wait_for(lambda: left(place))
    kill(run)
    assert left(place), "the kill must come in the middle"
    assert start([*TWINSET, "find", "corpus.jsonl", "-o", "other", "-q"], place).wait() == 0
    assert left(place) == []


KILLED_BEFORE_THE_END = """
import os, signal
from twinset.result import result as report
report.manifest_text = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
from twinset.cli import main
main()
"""


@pytest.mark.parametrize(
    "command",
    [
        ["spans", "corpus.jsonl", "--least", "3", "--remove"],
        ["reuse", "corpus.jsonl", "corpus.jsonl", "--least", "4", "--shingle", "3"],
    ],
    ids=["spans", "reuse"],
)
def test_passages_are_there_whole_or_not_at_all(place: Path, command: list[str]) -> None:
    command = [*command, "-o", "passages"]
    run = start([sys.executable, "-c", KILLED_BEFORE_THE_END, *command], place)
    assert run.wait(timeout=PATIENCE) == -signal.SIGKILL
    assert not (place / "passages").exists()
    assert any("passages" in name for name in os.listdir(place)), "the kill comes in the middle"
    assert start([*TWINSET, *command, "-q"], place).wait(timeout=PATIENCE) == 0
    assert (place / "passages" / "manifest.json").is_file()
    assert [name for name in os.listdir(place) if "passages" in name] == ["passages"]
    assert left(place) == []


COMPARE = """
import slow
from pathlib import Path
from twinset.lab import experiment as api, runner
runner.run_job = slow.run_job
api.compare(Path("corpus.jsonl"), ["minhash"])
"""
SLOW = """
import os, time
from pathlib import Path
def run_job(*job):
    Path("worker").write_text(str(os.getpid()))
    time.sleep(600)
"""


def test_compare_leaves_no_worker_and_no_texts(place: Path) -> None:
    (place / "slow.py").write_text(SLOW)
    run = start([sys.executable, "-c", COMPARE], place)
    wait_for(lambda: (place / "worker").is_file() and (place / "worker").read_text())
    worker = int((place / "worker").read_text())
    assert is_alive(worker)
    kill(run)
    wait_for(lambda: not is_alive(worker))
    assert left(place), "the texts are there when the kill comes"
    assert start([*TWINSET, "find", "corpus.jsonl", "-o", "other", "-q"], place).wait() == 0
    assert left(place) == []


PARENT = """
import subprocess, sys
from twinset.system.children import environment_of_child
subprocess.run([sys.executable, "-c", sys.argv[1]], env=environment_of_child())
"""
CHILD = """
import os, sys, time
from pathlib import Path
from twinset.system import children
{change}
children.follow_parent()
Path("child").write_text(str(os.getpid()))
time.sleep(600)
"""


@pytest.mark.parametrize(
    "change", ["", "sys.platform = 'elsewhere'", "children._follow = lambda parent: None"]
)
def test_a_child_ends_with_its_parent(place: Path, change: str) -> None:
    if change.startswith("children") and sys.platform != "linux":
        pytest.skip("only Linux ends a child without its help")
    run = start([sys.executable, "-c", PARENT, CHILD.format(change=change)], place)
    wait_for(lambda: (place / "child").is_file() and (place / "child").read_text())
    pid = int((place / "child").read_text())
    kill(run)
    wait_for(lambda: not is_alive(pid))


def test_what_a_living_process_uses_is_not_swept(tmp_path: Path) -> None:
    spool = TemporaryFile(tmp_path)
    with TemporaryFolder(tmp_path) as folder, fresh_file(tmp_path / "plan.toml") as draft:
        sweep(tmp_path)
        with fresh_file(tmp_path / "plan.toml"):
            pass
        assert folder.is_dir()
        assert spool.path.is_file()
        assert draft.is_file()
    spool.close()
    assert os.listdir(tmp_path) == ["plan.toml"]


def test_files_of_others_are_not_swept(tmp_path: Path) -> None:
    names = ["twinset-temporary", "twinset-temporary-1-notes", "twinset-data", "twinset-1.spool"]
    for name in names:
        (tmp_path / name).write_text("mine")
    (tmp_path / "twinset-temporary-1-0123456789ab").symlink_to(tmp_path / "twinset-data")
    sweep(tmp_path)
    assert {*names} <= {*os.listdir(tmp_path)}
