"""Runs methods one after the other, each in a process of its own, and stores their results.

A stored result has two files: the pairs (Parquet) and the facts (JSON), which are written last. A
result that is not whole is not used: the method runs again.
"""

from __future__ import annotations

import dataclasses
import json
import os
import sys
import time
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from twinset.lab.comparison.documents import Collection
from twinset.lab.comparison.options import MethodPlan
from twinset.lab.comparison.worker import MethodJob
from twinset.lab.evaluation.pair_set import PairSet
from twinset.methods.base import Signature
from twinset.methods.lexical import Lexical
from twinset.model import Ints
from twinset.model.columns import numbers
from twinset.plan import Plan, Resources
from twinset.report.tables import write_parquet
from twinset.system.children import run_child
from twinset.system.files import fresh_file, read_object, write_json
from twinset.text.statistics import WordSurvey
from twinset.text.tokens import Cleaning
from twinset.text.wording import reworded, rewriter_of, spelt_wording

CHILD = [sys.executable, "-c", "from twinset.lab.comparison.worker import main; main()"]
# The facts that a table of methods needs; `worker.run_job` returns them.
AMOUNTS = ("seconds", "shared_seconds", "cpu_seconds", "memory_mb")
COUNTS = ("candidates", "not_enumerated_pairs")


@dataclass(frozen=True)
class Outcome:
    """What a method found and what it cost, or why it failed; ``path`` has the pairs."""

    method: MethodPlan
    facts: dict[str, Any]
    path: Path
    reused: bool = False

    @property
    def fault(self) -> str | None:
        """Why there is no result."""
        return self.facts.get("fault")

    @cached_property
    def pairs(self) -> PairSet:
        """The pairs found."""
        return PairSet.of_classes(*self._columns())

    def is_whole(self, documents: int) -> bool:
        """Whether all facts are there, and the file holds classes and pairs of the documents."""
        return _has_facts(self.facts) and self.path.is_file() and self._has_pairs(documents)

    def _has_pairs(self, documents: int) -> bool:
        try:
            classes, left, right = self._columns()
        except (OSError, ValueError, KeyError, TypeError, AttributeError, pa.ArrowException):
            return False
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


class Runner:
    """Runs methods on one collection; results are stored in ``store`` and used again."""

    def __init__(
        self, collection: Collection, temporary: Path, store: Path, resources: Resources
    ) -> None:
        self._collection, self._store, self._resources = collection, store, resources
        self._counts = SharedWordCounts(collection, temporary, resources.threads)

    def run(self, method: MethodPlan) -> Outcome:
        """The stored outcome of a method, or a new one."""
        name = "".join(mark if mark.isalnum() else "_" for mark in method.name)[:60]
        stored = self._store / f"{name}-{method.key(self._collection.digest)}"
        pairs, about = stored.with_suffix(".parquet"), stored.with_suffix(".json")
        facts = read_object(about)
        if facts is not None:
            outcome = Outcome(method, facts, pairs, reused=True)
            if outcome.is_whole(len(self._collection)):
                return outcome
        outcome = Outcome(method, self._run_anew(method.plan, pairs), pairs)
        if outcome.fault is None:
            write_json(about, outcome.facts, indent=1)
        return outcome

    def _run_anew(self, plan: Plan, path: Path) -> dict[str, Any]:
        """Write the pairs of a method to a file and return the facts, or its fault alone."""
        fields = plan.as_dict()
        # Stored word counts of this collection save a pass and change no result, so they are not
        # part of the key.
        counts = self._counts.of(plan)
        if counts is not None:
            fields["statistics"] = str(counts.path)
            if fields["read"]["within"]:  # the counts lie in a folder of our own
                fields["read"]["within"] = (*fields["read"]["within"], str(counts.path.parent))
        texts, resources = self._collection.texts.path, self._resources
        try:
            with fresh_file(path) as draft:
                job = MethodJob(
                    texts,
                    fields,
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
    """The outcome of a method that failed; its draft is removed."""


def _has_facts(facts: dict[str, Any]) -> bool:
    return (
        all(isinstance(facts.get(name), int | float) for name in AMOUNTS)
        and all(isinstance(facts.get(name), int) for name in COUNTS)
        and isinstance(facts.get("spec"), str)
    )


def run_in_process(job: MethodJob) -> dict[str, Any]:
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


@dataclass(frozen=True)
class WordCounts:
    """A file of word counts and the seconds that counting took."""

    path: Path
    seconds: float


class SharedWordCounts:
    """Word counts of the collection, counted once for each way of cleaning."""

    def __init__(self, collection: Collection, folder: Path, threads: int) -> None:
        self._collection, self._folder, self._threads = collection, folder, threads
        self._counts: dict[tuple[Cleaning, str], WordCounts] = {}

    def of(self, plan: Plan) -> WordCounts | None:
        """The counts that the plan's method would make for itself; None if it makes none."""
        cleaning = None if plan.statistics else _cleaning_of(plan.method)
        if cleaning is None:
            return None
        key = cleaning, spelt_wording(plan)
        if key not in self._counts:
            self._counts[key] = self._count(cleaning, plan)
        return self._counts[key]

    def _count(self, cleaning: Cleaning, plan: Plan) -> WordCounts:
        begun = time.perf_counter()
        survey, rewriter = WordSurvey(cleaning, self._threads), rewriter_of(plan)
        for batch in self._collection.texts.batches():
            survey.add(reworded(batch.texts, rewriter, self._threads))
        path = self._folder / f"words-{len(self._counts)}.parquet"
        counted = dataclasses.replace(survey.finish(), wording=spelt_wording(plan))
        write_parquet(counted.table(), path)
        return WordCounts(path, time.perf_counter() - begun)


def _cleaning_of(method: Any) -> Cleaning | None:
    """How a method cleans the words that it counts; None if it counts none, or more than words."""
    if isinstance(method, Lexical):
        return method.cleaning()
    if not isinstance(method, Signature) or not method.counts:
        return None
    counts_more = type(method).second_survey is not Signature.second_survey
    return None if counts_more else method.cleaning()
