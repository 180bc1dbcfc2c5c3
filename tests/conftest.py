"""What tests of several rooms share."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

# Property tests try a third of the examples that they name, the same ones on every machine; make
# test-long tries them all and draws them anew, and make sanitize a tenth, since compiled code is
# many times slower under the sanitizers.
for name, share in (("third", 33), ("all", 100), ("sanitized", 10)):
    settings.register_profile(name, max_examples=share, deadline=None, derandomize=name == "third")
settings.load_profile("third")

# No test leaves this machine: libraries of tables and file systems would ask for newer data, for
# keys and for the kind of the machine, and report their use.
ALONE = {
    "HF_HUB_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "AWS_EC2_METADATA_DISABLED": "true",
    "AWS_CONFIG_FILE": os.devnull,
    "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
    "AWS_DEFAULT_REGION": "us-east-1",
}


MARK = "TWINSET_TESTS"
"""The variable by which processes that tests have started are known."""
PATIENCE = 20.0
"""Seconds that processes have to end in after the last test."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let `make wheel` try the wheel that it has built."""
    parser.addoption("--wheel", help="folder with a wheel and an sdist, for tests/package")


def pytest_configure(config: pytest.Config) -> None:
    """Keep the caches of libraries in a folder of this worker, and the libraries off the network.

    They read these variables when they are imported, which is before any fixture. Jobs in the
    background ignore Ctrl-C, which tests send to themselves.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    caches = tempfile.mkdtemp(prefix="twinset-tests-")
    os.environ[MARK] = f"{os.getpid()} {caches}"
    config.add_cleanup(lambda: shutil.rmtree(caches, ignore_errors=True))
    os.environ.update(ALONE, HF_HOME=caches)


@pytest.fixture(scope="session", autouse=True)
def no_process_is_left() -> Iterator[None]:
    """Fail where a process outlives the tests that have started it."""
    yield
    end = time.monotonic() + PATIENCE
    while (left := left_processes()) and time.monotonic() < end:
        time.sleep(0.2)
    assert not left, f"these processes are left: {left}"


def left_processes() -> list[str]:
    """Processes with our mark that will not end with this one: orphans, and those of a session."""
    mark, family, marked = f"{MARK}={os.environ[MARK]}".encode(), {os.getpid()}, []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if mark not in (folder / "environ").read_bytes().split(b"\0"):
                continue
            state, parent = (folder / "stat").read_text().rpartition(")")[2].split()[:2]
            command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            process = int(folder.name)
            if state != "Z" and process != os.getpid():
                family.add(process)
                marked.append((int(parent), os.getsid(process) == os.getsid(0), command))
        except OSError:  # it has ended meanwhile
            continue
    return [name for parent, is_ours, name in marked if not is_ours or parent not in family]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Spark goes first, in one worker, so that no other waits for it at the end."""
    items.sort(key=lambda item: item.path.parent.name != "spark")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """One more than there are processors: tests of the page wait for a browser or for a job."""
    usable = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else ()
    return (len(usable) or os.cpu_count() or 1) + 1


def mined_here(name: str, path: Path, support: int, kind: Any, seconds: float) -> Any:
    """The row of a miner that runs in this process, without a limit."""
    from twinset.finding.clusters.mine import compare

    figures = compare.run_here(name, path, support, kind)
    return compare.Run(name, "finished", kind=kind, support=support, **figures)


def ran_here(*job: Any) -> dict[str, Any]:
    """The facts of a run in this process, or its fault."""
    from twinset.errors import TwinsetError
    from twinset.lab.runner import run_job

    try:
        return run_job(*job)
    except TwinsetError as fault:
        return {"fault": str(fault)}


@pytest.fixture(scope="module")
def runs_here() -> Iterator[Callable[..., dict[str, Any]]]:
    """Runs of comparisons, experiments and miners stay here: most of a process is its imports.

    The value is what makes a process of its own for each.
    """
    from twinset.finding.clusters.mine import compare
    from twinset.lab import runner

    real = runner.run_in_process
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(runner, "run_in_process", ran_here)
        patched.setattr(compare, "_run", mined_here)
        yield real
