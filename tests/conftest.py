"""What tests of several rooms share."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

# Property tests try half of the examples that they name, the same ones on every machine; make
# test-long tries them all and draws them anew, and make sanitize a tenth, since compiled code is
# many times slower under the sanitizers.
for name, share in (("half", 50), ("all", 100), ("sanitized", 10)):
    settings.register_profile(name, max_examples=share, deadline=None, derandomize=name == "half")
settings.load_profile("half")

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


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let `make wheel` try the wheel that it has built."""
    parser.addoption("--wheel", help="folder with a wheel and an sdist, for tests/package")


def pytest_configure(config: pytest.Config) -> None:
    """Keep the caches of libraries in a folder of this worker, and the libraries off the network.

    They read these variables when they are imported, which is before any fixture.
    """
    caches = tempfile.mkdtemp(prefix="twinset-tests-")
    config.add_cleanup(lambda: shutil.rmtree(caches, ignore_errors=True))
    os.environ.update(ALONE, HF_HOME=caches)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """One more than there are processors: tests of the page wait for a browser or for a job."""
    usable = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else ()
    return (len(usable) or os.cpu_count() or 1) + 1


def mined_here(name: str, path: Path, support: int, kind: Any, seconds: float) -> Any:
    """The row of a miner that runs in this process, without a limit."""
    from twinset.clusters.mine import compare

    figures = compare.run_here(name, path, support, kind)
    return compare.Run(name, "finished", kind=kind, support=support, **figures)


@pytest.fixture(scope="module")
def runs_here() -> Iterator[Callable[[Any], dict[str, Any]]]:
    """Runs of comparisons, experiments and miners stay here: most of a process is its imports.

    The value is what makes a process of its own for each.
    """
    from twinset.clusters.mine import compare
    from twinset.lab.runs import runner
    from twinset.lab.runs.worker import answer

    real = runner.run_in_process
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(runner, "run_in_process", lambda job: json.loads(answer(job.as_json())))
        patched.setattr(compare, "_run", mined_here)
        yield real
