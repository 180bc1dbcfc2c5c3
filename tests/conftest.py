"""What tests of several rooms share."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest


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
