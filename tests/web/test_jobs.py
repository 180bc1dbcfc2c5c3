"""Jobs: they run, tell how far they are, and are found again whatever becomes of the server."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.disks import disk_of
from tests.web.conftest import COLLECTION, started
from twinset.cli.progress import File
from twinset.web.jobs import Job, Jobs, State
from twinset.web.render import GoneError


def wait(job: Job, until: Callable[[State], bool], seconds: float = 30) -> State:
    end = time.monotonic() + seconds
    while not until(state := job.state()):
        assert time.monotonic() < end, state
        time.sleep(0.05)
    return state


def over(state: State) -> bool:
    return state.is_over


@pytest.fixture
def jobs(tmp_path: Path) -> Jobs:
    return Jobs(tmp_path / "jobs")


@pytest.fixture
def endless(tmp_path: Path) -> list[str]:
    """A command that waits for its input for ever, as a very long run would."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    return ["find", str(pipe), "-o", str(tmp_path / "report")]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    with disk_of("96k", tmp_path) as place:
        yield place


def test_a_run_ends_with_its_report_and_stages(jobs: Jobs, tmp_path: Path) -> None:
    job = started(jobs, ["find", str(COLLECTION), "-o", str(tmp_path / "out"), "--json"], title="s")
    state = wait(job, over)
    assert state.status == "done"
    assert [stage.name for stage in state.stages] == [
        *("reading", "comparing", "clustering", "writing")
    ]
    assert all(stage.is_over for stage in state.stages)
    assert json.loads(job.output())["counts"]["documents"] > 300
    assert (tmp_path / "out" / "manifest.json").is_file()
    assert jobs.find(job.name).title == "s"
    assert job.written.startswith("twinset find ")


def test_a_failure_is_reported_in_the_words_of_the_command(jobs: Jobs, tmp_path: Path) -> None:
    state = wait(started(jobs, ["find", "/nothing/there", "-o", str(tmp_path / "out")]), over)
    assert state.status == "failed"
    assert "no such file or folder" in state.said[-1]


def test_two_run_at_once_and_another_server_finds_both(
    jobs: Jobs, endless: list[str], tmp_path: Path
) -> None:
    slow = started(jobs, endless)
    quick = started(jobs, ["find", str(COLLECTION), "-o", str(tmp_path / "quick")])
    assert wait(quick, over).status == "done"
    other_server = Jobs(tmp_path / "jobs")
    assert {job.name for job in other_server.all()} == {slow.name, quick.name}
    assert other_server.find(slow.name).state().status == "running"
    other_server.find(slow.name).cancel()
    other_server.find(slow.name).cancel()
    assert wait(slow, over).status == "cancelled"
    assert not (tmp_path / "report").exists()


def test_a_killed_run_is_reported_from_a_busy_one(jobs: Jobs, endless: list[str]) -> None:
    job = started(jobs, endless)
    assert job.state().status == "running"
    os.killpg(int((job.folder / "lock").read_text()), signal.SIGKILL)
    assert wait(job, over).status == "killed"


def test_a_command_ends_with_its_runner(jobs: Jobs, endless: list[str]) -> None:
    """Otherwise it would run on, and nobody would write how it ended."""
    job = started(jobs, endless)
    pipe = _when_read(endless[1])
    os.kill(int((job.folder / "lock").read_text()), signal.SIGKILL)
    assert wait(job, over).status == "killed"
    os.close(pipe)


def _when_read(pipe: str, seconds: float = 30) -> int:
    """Open a pipe for writing once the command reads it."""
    end = time.monotonic() + seconds
    while True:
        try:
            return os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            assert time.monotonic() < end
            time.sleep(0.05)


def test_a_run_outlives_the_server(tmp_path: Path, endless: list[str]) -> None:
    code = (
        "import sys; from pathlib import Path; from twinset.web.jobs import Jobs;"
        "jobs = Jobs(Path(sys.argv[1]));"
        "print(jobs.start(jobs.new(), sys.argv[2:]).name)"
    )
    server = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "jobs"), *endless],
        capture_output=True,
        text=True,
        check=True,
    )
    job = Jobs(tmp_path / "jobs").find(server.stdout.strip())
    assert job.state().status == "running"
    job.cancel()
    assert wait(job, over).status == "cancelled"


def test_a_full_disk_ends_with_a_message(small_disk: Path) -> None:
    """The job's own files lie on the disk that fills up, so that its end needs reserved room."""
    command = ["find", str(COLLECTION), "-o", str(small_disk / "report"), "--json"]
    state = wait(started(Jobs(small_disk / "jobs"), command), over)
    assert state.status == "failed"
    assert "the disk is full" in state.said[-1]
    assert not (small_disk / "report").exists()


def test_no_room_to_start_is_reported_at_once(small_disk: Path) -> None:
    (small_disk / "filled").write_bytes(b"x" * (88 << 10))
    with pytest.raises(OSError, match="No space left"):
        started(Jobs(small_disk / "jobs"), ["find", str(COLLECTION), "-o", "x"])


def test_what_is_not_there_is_reported(jobs: Jobs) -> None:
    with pytest.raises(GoneError):
        jobs.find("../../etc")


def test_rate_and_time_left(tmp_path: Path) -> None:
    now = [1000.0]
    file = File(str(tmp_path / "progress.json"), clock=lambda: now[0])
    file.stage("reading", 1000)
    now[0] += 2
    file.advance(250)
    job = Job(folder=tmp_path, command=("find",))
    (stage,) = job.state().stages
    assert stage.share == 0.25
    assert stage.rate == pytest.approx(125)
    assert stage.left == pytest.approx(6)
    file.stage("comparing", None)
    now[0] += 1
    file.close()
    assert [(s.name, s.seconds, s.is_over) for s in job.state().stages] == [
        ("reading", 2, True),
        ("comparing", 1, True),
    ]
