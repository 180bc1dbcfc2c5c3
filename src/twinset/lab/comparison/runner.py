"""Runs methods one after the other and keeps what they found, so that none is run twice."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from twinset.engine.manifest import version
from twinset.lab.comparison.documents import Collection
from twinset.lab.comparison.worker import Job
from twinset.lab.evaluation.pair_set import Relation
from twinset.model import Ints
from twinset.model.columns import numbers
from twinset.plan import Plan, Resources
from twinset.system.children import run_child
from twinset.system.files import fresh_file, read_object, write_json

CHILD = [sys.executable, "-c", "from twinset.lab.comparison.worker import main; main()"]
# What a table of methods needs to know of one; `worker.work` tells it.
AMOUNTS = ("seconds", "shared_seconds", "cpu_seconds", "memory_mb")
COUNTS = ("candidates", "not_enumerated_pairs")


@dataclass(frozen=True)
class Entry:
    """A method as it was asked for, and the plan that runs it."""

    name: str
    plan: Plan

    def key(self, digest: str) -> str:
        """What decides the result: the plan, the documents and the version."""
        decides = {"plan": self.plan.as_dict(), "documents": digest, "twinset": version()}
        text = json.dumps(decides, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Outcome:
    """What a method found and took, or why it failed."""

    entry: Entry
    facts: dict[str, Any]
    path: Path
    reused: bool = False

    @property
    def fault(self) -> str | None:
        """Why there is no result."""
        return self.facts.get("fault")

    @cached_property
    def pairs(self) -> Relation:
        """The pairs found."""
        return Relation.of_classes(*self._columns())

    def fits(self, documents: int) -> bool:
        """Whether the file holds classes of so many documents, and pairs of them."""
        classes, left, right = self._columns()
        every = np.concatenate([classes, left, right])
        is_within = not len(every) or (every.min() >= 0 and every.max() < documents)
        return len(classes) == documents and len(left) == len(right) and bool(is_within)

    def _columns(self) -> tuple[Ints, Ints, Ints]:
        import pyarrow.parquet as pq

        table = pq.read_table(self.path)
        classes, left, right = (
            np.asarray(numbers(table[name].combine_chunks().flatten()), np.int64)
            for name in ("classes", "left", "right")
        )
        return classes, left, right


class Counts(Protocol):
    """Word counts of the collection for a plan that needs them, and what they took to make."""

    def of(self, plan: Plan) -> tuple[str, float] | None:
        """The file of counts and the seconds that it took."""
        ...


def run_method(
    entry: Entry, collection: Collection, counts: Counts, folder: Path, means: Resources
) -> Outcome:
    """The stored outcome of a method, or a new one.

    Word counts of this very collection spare a pass and change nothing, so they are no part of the
    key.
    """
    place = folder / "-".join([_plain(entry.name), entry.key(collection.digest)])
    table, about = place.with_suffix(".parquet"), place.with_suffix(".json")
    stored = _stored(entry, table, about, len(collection))
    if stored is not None:
        return stored
    plan = entry.plan.as_dict()
    shared = counts.of(entry.plan)
    if shared is not None:
        plan["statistics"] = shared[0]
        if plan["read"]["within"]:  # the counts lie in a folder of our own
            plan["read"]["within"] = (*plan["read"]["within"], str(Path(shared[0]).parent))
    texts = collection.texts.path
    try:
        with fresh_file(table) as draft:
            job = Job(texts, plan, means.threads, means.memory, means.folder, str(draft))
            facts = _in_child(job)
            if "fault" in facts:
                raise _FailedError(facts)
    except _FailedError as failed:
        return Outcome(entry, failed.facts, table)
    facts["shared_seconds"] = round(shared[1], 4) if shared else 0.0
    write_json(about, facts, indent=1)
    return Outcome(entry, facts, table)


class _FailedError(Exception):
    """A method that came to no result; ``facts`` says why."""

    def __init__(self, facts: dict[str, Any]) -> None:
        self.facts = facts


def _stored(entry: Entry, table: Path, about: Path, documents: int) -> Outcome | None:
    """What an earlier run has kept; None where there is nothing, or something is damaged."""
    facts = read_object(about)
    if facts is None or not _are_facts(facts) or not table.is_file():
        return None
    outcome = Outcome(entry, facts, table, reused=True)
    try:
        is_whole = outcome.fits(documents)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, pa.ArrowException):
        return None
    return outcome if is_whole else None


def _are_facts(facts: dict[str, Any]) -> bool:
    return (
        all(isinstance(facts.get(name), int | float) for name in AMOUNTS)
        and all(isinstance(facts.get(name), int) for name in COUNTS)
        and isinstance(facts.get("spec"), str)
    )


def _in_child(job: Job) -> dict[str, Any]:
    # A file in the current folder must not take the place of a module.
    environment = {**os.environ, "PYTHONSAFEPATH": "1"}
    done = run_child(CHILD, job.spelt(), env=environment)
    try:
        facts: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    except (IndexError, ValueError):
        last = done.stderr.strip().splitlines()[-1:] or [f"it ended with code {done.returncode}"]
        return {"fault": f"the process broke off: {last[0]}"}
    return facts


def _plain(name: str) -> str:
    """A name that may stand in a file name."""
    return "".join(mark if mark.isalnum() else "_" for mark in name)[:60]
