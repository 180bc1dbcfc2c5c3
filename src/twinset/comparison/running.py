"""Runs methods one after the other and keeps what they found, so that none is run twice."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from twinset.comparison.kept import Collection
from twinset.comparison.worker import Job
from twinset.evaluation.relation import Relation
from twinset.pipeline.manifest import version
from twinset.plan import Plan, Resources

CHILD = [sys.executable, "-c", "from twinset.comparison.worker import main; main()"]


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
        import pyarrow.parquet as pq

        from twinset.columns import numbers

        table = pq.read_table(self.path)
        classes, left, right = (
            np.asarray(numbers(table[name].combine_chunks().flatten()), np.int64)
            for name in ("classes", "left", "right")
        )
        return Relation.of_classes(classes, left, right)


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
    table, told = place.with_suffix(".parquet"), place.with_suffix(".json")
    if table.is_file() and told.is_file():
        return Outcome(entry, json.loads(told.read_text(encoding="utf-8")), table, reused=True)
    plan = entry.plan.as_dict()
    shared = counts.of(entry.plan)
    if shared is not None:
        plan["statistics"] = shared[0]
        if plan["read"]["within"]:  # the counts lie in a folder of our own
            plan["read"]["within"] = (*plan["read"]["within"], str(Path(shared[0]).parent))
    fresh = table.with_suffix(".partial")
    texts = collection.texts.path
    job = Job(texts, plan, means.threads, means.memory, means.folder, str(fresh))
    facts = _in_child(job)
    if "fault" in facts:
        fresh.unlink(missing_ok=True)
        return Outcome(entry, facts, table)
    facts["shared_seconds"] = round(shared[1], 4) if shared else 0.0
    fresh.replace(table)
    told.write_text(json.dumps(facts, indent=1), encoding="utf-8")
    return Outcome(entry, facts, table)


def _in_child(job: Job) -> dict[str, Any]:
    # A file in the current folder must not take the place of a module.
    environment = {**os.environ, "PYTHONSAFEPATH": "1"}
    done = subprocess.run(
        CHILD, input=job.spelt(), capture_output=True, text=True, check=False, env=environment
    )
    try:
        facts: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    except (IndexError, ValueError):
        last = done.stderr.strip().splitlines()[-1:] or [f"it ended with code {done.returncode}"]
        return {"fault": f"the process broke off: {last[0]}"}
    return facts


def _plain(name: str) -> str:
    """A name that may stand in a file name."""
    return "".join(mark if mark.isalnum() else "_" for mark in name)[:60]
