"""Runs the rows of an experiment, one after the other or some at a time."""

from __future__ import annotations

import dataclasses
import queue
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress

from twinset.engine.progress import Progress
from twinset.lab.runs.planned import PlannedRun
from twinset.lab.runs.runner import Outcome, Runner
from twinset.plan import Resources
from twinset.plan.resources import OWN_MEMORY


def share_of(resources: Resources, jobs: int) -> Resources:
    """What one of several runs at a time may use."""
    return dataclasses.replace(
        resources,
        threads=max(1, resources.threads // jobs),
        memory=max(OWN_MEMORY, resources.memory // jobs),
    )


def run_rows(
    planned: Sequence[PlannedRun],
    names: Sequence[str],
    runner: Runner,
    jobs: int,
    progress: Progress,
) -> list[Outcome]:
    """The outcomes in the order of the plans; a plan that comes twice runs once."""
    distinct: dict[str, list[int]] = {}
    for number, run in enumerate(planned):
        distinct.setdefault(run.key(""), []).append(number)
    outcomes: dict[int, Outcome] = {}
    missing = []
    for numbers in distinct.values():
        stored = runner.stored(planned[numbers[0]])
        if stored is None:
            missing.append(numbers)
        else:
            outcomes |= dict.fromkeys(numbers, stored)
    for numbers, outcome in _run(missing, planned, names, runner, jobs, progress):
        outcomes |= dict.fromkeys(numbers, outcome)
    return [outcomes[number] for number in range(len(planned))]


def _run(
    missing: Sequence[list[int]],
    planned: Sequence[PlannedRun],
    names: Sequence[str],
    runner: Runner,
    jobs: int,
    progress: Progress,
) -> Iterator[tuple[list[int], Outcome]]:
    if jobs == 1:
        for count, numbers in enumerate(missing, 1):
            progress.stage(f"{names[numbers[0]]} ({count} of {len(missing)})", None)
            yield numbers, runner.run(planned[numbers[0]])
        return
    progress.stage(f"rows, {jobs} at a time", len(missing))
    waiting: queue.SimpleQueue[list[int]] = queue.SimpleQueue()
    for numbers in missing:
        waiting.put(numbers)
    done: queue.SimpleQueue[tuple[list[int], Outcome | BaseException]] = queue.SimpleQueue()
    # Daemons: a program that is interrupted does not wait for them, and their runs end with it.
    for _ in range(min(jobs, len(missing))):
        arguments = (waiting, done, planned, runner)
        threading.Thread(target=_work, args=arguments, daemon=True).start()
    for _ in missing:
        numbers, outcome = done.get()
        if isinstance(outcome, BaseException):
            raise outcome
        progress.advance(1)
        yield numbers, outcome


def _work(
    waiting: queue.SimpleQueue[list[int]],
    done: queue.SimpleQueue[tuple[list[int], Outcome | BaseException]],
    planned: Sequence[PlannedRun],
    runner: Runner,
) -> None:
    with suppress(queue.Empty):
        while True:
            numbers = waiting.get_nowait()
            try:
                done.put((numbers, runner.run(planned[numbers[0]])))
            except BaseException as fault:  # raised where the rows are waited for
                done.put((numbers, fault))
                return
