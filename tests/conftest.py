"""What tests of several rooms share."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import settings

# Property tests try half of the examples that they name; make test-long tries them all, and
# make sanitize a tenth, since compiled code is many times slower under the sanitizers.
for name, share in (("half", 50), ("all", 100), ("sanitized", 10)):
    settings.register_profile(name, max_examples=share, deadline=None)
settings.load_profile("half")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """One more than there are processors: tests of the page wait for a browser or for a job."""
    usable = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else ()
    return (len(usable) or os.cpu_count() or 1) + 1


@pytest.fixture(scope="module")
def runs_here() -> Iterator[Callable[[Any], dict[str, Any]]]:
    """Runs of a comparison or an experiment stay in this process: most of each is its imports.

    The value is what makes a process of its own for each.
    """
    from twinset.lab.runs import runner
    from twinset.lab.runs.worker import answer

    real = runner.run_in_process
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(runner, "run_in_process", lambda job: json.loads(answer(job.as_json())))
        yield real
