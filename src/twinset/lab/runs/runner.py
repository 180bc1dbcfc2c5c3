"""Makes runs, each in a process of its own, and stores their results.

A stored result has two files: the pairs (Parquet) and the facts (JSON), which are written last. A
result that is not whole is not used: the run is made again.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from twinset.lab.evaluation.pair_set import PairSet
from twinset.lab.runs.documents import Collection
from twinset.lab.runs.planned import PlannedRun
from twinset.lab.runs.stored_pairs import read_pairs
from twinset.lab.runs.word_counts import SharedWordCounts
from twinset.lab.runs.worker import RunJob
from twinset.plan import Resources
from twinset.system.children import run_child
from twinset.system.files import fresh_file, read_object, write_json

CHILD = [sys.executable, "-c", "from twinset.lab.runs.worker import main; main()"]
# The facts that tables of runs need; `worker.run_job` returns them.
AMOUNTS = ("seconds", "shared_seconds", "cpu_seconds", "memory_mb")
COUNTS = ("candidates", "not_enumerated_pairs")


@dataclass(frozen=True)
class Outcome:
    """What a run found and what it cost, or why it failed; ``path`` has the pairs."""

    planned: PlannedRun
    facts: dict[str, Any]
    path: Path
    documents: int
    reused: bool = False

    @property
    def fault(self) -> str | None:
        """Why there is no result."""
        return self.facts.get("fault")

    @cached_property
    def pairs(self) -> PairSet:
        """The pairs found."""
        return read_pairs(self.path, self.documents)

    def is_whole(self) -> bool:
        """Whether all facts are there, and the file holds pairs of the documents."""
        if not _has_facts(self.facts):
            return False
        try:
            read_pairs(self.path, self.documents)
        except ValueError:
            return False
        return True


class Runner:
    """Runs plans on one collection; results are stored in ``store`` and used again."""

    def __init__(
        self, collection: Collection, temporary: Path, store: Path, resources: Resources
    ) -> None:
        self._collection, self._store, self._resources = collection, store, resources
        self._counts = SharedWordCounts(collection, temporary, resources.threads)

    def stored(self, planned: PlannedRun) -> Outcome | None:
        """The stored outcome of a run, if it is whole."""
        pairs, about = self._files(planned)
        facts = read_object(about)
        if facts is None:
            return None
        outcome = Outcome(planned, facts, pairs, len(self._collection), reused=True)
        return outcome if outcome.is_whole() else None

    def run(self, planned: PlannedRun) -> Outcome:
        """The stored outcome of a run, or a new one."""
        outcome = self.stored(planned)
        if outcome is not None:
            return outcome
        pairs, about = self._files(planned)
        facts = self._run_anew(planned, pairs)
        if "fault" not in facts:
            write_json(about, facts, indent=1)
        return Outcome(planned, facts, pairs, len(self._collection))

    def _files(self, planned: PlannedRun) -> tuple[Path, Path]:
        name = "".join(mark if mark.isalnum() else "_" for mark in planned.name)[:60]
        collection = self._collection
        stored = f"{name}-{planned.key(collection.digest, collection.raw_digest)}"
        return self._store / f"{stored}.parquet", self._store / f"{stored}.json"

    def _run_anew(self, planned: PlannedRun, path: Path) -> dict[str, Any]:
        """Write the pairs of a run to a file and return the facts, or its fault alone."""
        fields = planned.plan.as_dict()
        # Stored word counts of this collection save a pass and change no result, so they are not
        # part of the key.
        counts = self._counts.of(planned.plan)
        if counts is not None:
            fields["statistics"] = str(counts.path)
            if fields["read"]["within"]:  # the counts lie in a folder of our own
                fields["read"]["within"] = (*fields["read"]["within"], str(counts.path.parent))
        texts, resources = self._collection.texts.path, self._resources
        try:
            with fresh_file(path) as draft:
                job = RunJob(
                    texts,
                    fields,
                    planned.by,
                    resources.threads,
                    resources.memory,
                    resources.folder,
                    str(draft),
                )
                facts = run_in_process(job)
                if "fault" in facts:
                    raise _FailedError
        except _FailedError:
            return facts
        return facts | {"shared_seconds": round(counts.seconds, 4) if counts else 0.0}


class _FailedError(Exception):
    """The outcome of a run that failed; its draft is removed."""


def _has_facts(facts: dict[str, Any]) -> bool:
    return (
        all(isinstance(facts.get(name), int | float) for name in AMOUNTS)
        and all(isinstance(facts.get(name), int) for name in COUNTS)
        and isinstance(facts.get("spec"), str)
        and isinstance(facts.get("timings"), dict)
        and isinstance(facts.get("clusters"), dict)
    )


def run_in_process(job: RunJob) -> dict[str, Any]:
    """The facts that a worker returns, or the fault that ended it."""
    # A file in the current folder must not take the place of a module.
    environment = {**os.environ, "PYTHONSAFEPATH": "1"}
    process = run_child(CHILD, job.as_json(), env=environment)
    try:
        facts: dict[str, Any] = json.loads(process.stdout.splitlines()[-1])
    except (IndexError, ValueError):
        ended = f"it ended with code {process.returncode}"
        last = process.stderr.strip().splitlines()[-1:] or [ended]
        return {"fault": f"the process broke off: {last[0]}"}
    return facts
