"""A run that can be resumed: each stage takes what an earlier run has kept and keeps the rest.

What takes longest is kept: batches as they were read, word counts, and pairs. Features are made of
the batches again.
"""

from __future__ import annotations

import dataclasses
import json
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pyarrow as pa

from twinset._version import VERSION
from twinset.errors import PlanError
from twinset.finding.methods.base import Search
from twinset.model import Batch, Documents, Position
from twinset.plan import Plan
from twinset.reading import Inputs
from twinset.reading.inputs import Earlier
from twinset.reading.source import Source
from twinset.run.documents import Collected
from twinset.run.pairing import Paired, VerifiedPairs
from twinset.run.parts import PartsFolder, load
from twinset.run.progress import Progress
from twinset.run.streaming import Collector, collect
from twinset.text.repeated import RepeatedLines
from twinset.text.statistics import Statistics
from twinset.text.wording import spelt_wording

MOST_BYTES = 8 << 20
MOST_SECONDS = 20.0
"""Texts of so many bytes, or what was read in this time, are a part: a kill costs no more."""


def resumable(documents: Documents) -> Inputs:
    """The documents, if another run can read them again."""
    if not isinstance(documents, Inputs):
        raise PlanError(
            ["resume is for documents of files: what is in memory is gone with the run"]
        )
    if any(source.is_spool for source in documents.sources):
        raise PlanError(
            ["resume cannot read standard input again: write it to a file and name that"]
        )
    return documents


def described_run(inputs: Inputs, plan: Plan, dedup: bool) -> dict[str, Any]:
    """Version, plan, named files and inputs, the weightiest first."""
    described = {
        "twinset": VERSION,
        "command": "dedup" if dedup else "find",
        "plan": plan.as_dict(),
        "forms": plan.forms.versions(),
        "files": dict(_named_files(plan)),
        "batch_bytes": inputs.batch_bytes,
        "inputs": {source.name: _state(source) for source in inputs.sources},
        "order": [source.name for source in inputs.sources],
    }
    plain: dict[str, Any] = json.loads(json.dumps(described, default=str))
    return plain


def _state(source: Source) -> dict[str, Any]:
    """What is known of a source, with its time of change and the state of the files in it."""
    listed = blake2b(digest_size=16)
    for path in source.files:
        listed.update(os.fsencode(str(path)) + b"\0")
    states = source.states
    for size, modified in zip(states.bytes.tolist(), states.modified.tolist(), strict=True):
        listed.update(b"%d %d\n" % (size, modified))
    path = source.path
    # that of a folder says nothing of its files
    changed = path.stat().st_mtime_ns if isinstance(path, Path) and path.is_file() else None
    return {**source.described(None), "modified": changed, "files": listed.hexdigest()}


def _named_files(part: Any) -> Iterator[tuple[str, list[int]]]:
    """Files that an option of the plan names, as word counts, with size and time of change."""
    if isinstance(part, str):
        for name in part.split("+"):
            if name and os.path.isfile(name):
                status = os.stat(name)
                yield os.path.abspath(name), [status.st_size, status.st_mtime_ns]
    elif isinstance(part, list | tuple):
        for item in part:
            yield from _named_files(item)
    elif dataclasses.is_dataclass(part) and not isinstance(part, type):
        for field in dataclasses.fields(part):
            yield from _named_files(getattr(part, field.name))


@dataclass(slots=True)
class PassPart:
    """Batches of the pass, where it ended, and the digests of sources that were known then."""

    batches: list[Batch]
    end: Position
    digests: dict[str, int]


class KeptPass:
    """The batches of one pass as they were read: a resumed run reads those that follow."""

    def __init__(self, folder: PartsFolder, documents: Inputs) -> None:
        self._folder, self._documents = folder, documents
        self._paths = folder.whole("read")
        self._count, self._begun, self._held = len(self._paths), 0.0, 0
        self._waiting: list[Batch] = []

    def earlier(self, progress: Progress) -> Earlier:
        """What earlier runs have left; the pass goes on from there."""
        if not self._paths:
            return Earlier(note=self._keep)
        last, documents = load(self._paths[-1]), self._documents
        total, before = documents.total_bytes, documents.bytes_before(last.end)
        share = f": {before / total:.0%} was read before" if total else ""
        progress.stage(f"going on at part {len(self._paths) + 1}{share}", None)
        earlier = Earlier(last.end, last.digests, self._batches())
        if last.end.source < len(documents.sources):
            earlier.note = self._keep
        return earlier

    def _batches(self) -> Iterator[Batch]:
        for path in self._paths:
            yield from load(path).batches

    def _keep(self, batch: Batch | None) -> None:
        """Keep a batch, with those without documents before it; None is the end of the pass.

        Called by the thread that reads.
        """
        end = Position(len(self._documents.sources))
        if batch is not None:
            if not (len(batch) or batch.faults or batch.counts):
                return
            if not self._waiting:
                self._begun = time.monotonic()
            self._waiting.append(batch)
            self._held += batch.texts.nbytes
            is_late = time.monotonic() - self._begun >= MOST_SECONDS
            if not len(batch) or not (is_late or self._held >= MOST_BYTES):
                return
            end = batch.end
        self._count += 1
        part = PassPart(self._waiting, end, self._documents.known_digests)
        self._folder.keep("read", self._count, part)
        self._waiting, self._held = [], 0


@dataclass(slots=True)
class CountedWords:
    """Word counts and repeated text from passes before the search."""

    statistics: Statistics
    lines: RepeatedLines | None
    repeated: pa.Table | None
    paragraphs: pa.Table | None


class KeptRun:
    """A run whose finished parts are kept in a folder."""

    def __init__(self, folder: PartsFolder, documents: Documents, plan: Plan, dedup: bool) -> None:
        self._folder, self._plan, self._documents = folder, plan, resumable(documents)
        known = folder.begin(described_run(self._documents, plan, dedup))
        self._documents.batch_bytes = known["batch_bytes"]  # the same cuts, whatever the memory

    def statistics(self) -> Statistics | None:
        """The word counts of an earlier run over these documents."""
        words = self._value("words")
        if words is None:
            return None
        repetition = self._documents.repetition
        repetition.lines, repetition.table = words.lines, words.repeated
        if self._plan.drop_boilerplate is not None:
            from twinset.text.boilerplate import BoilerplateCutter

            repetition.boilerplate = BoilerplateCutter.of_table(words.paragraphs)
            repetition.paragraphs = words.paragraphs
        statistics: Statistics = words.statistics
        return statistics

    def keep_statistics(self, search: Search) -> None:
        """Keep the word counts, where the search has made some."""
        if search.statistics is None or self._plan.statistics:
            return
        counted = dataclasses.replace(search.statistics, wording=spelt_wording(self._plan))
        repetition = self._documents.repetition
        known = (repetition.lines, repetition.table, repetition.paragraphs)
        self._keep("words", CountedWords(counted, *known))

    def collect(self, collector: Collector, progress: Progress) -> Collected:
        """The pass over the documents, from where it was left."""
        earlier = KeptPass(self._folder, self._documents).earlier(progress)
        return collect(self._documents, collector, progress, earlier=earlier)

    def compared(self) -> VerifiedPairs | None:
        """The pairs of an earlier run."""
        compared: VerifiedPairs | None = self._value("pairs")
        return compared

    def keep_compared(self, paired: Paired) -> None:
        """Keep the pairs, so that a kill in what follows does not cost the comparison."""
        figures = paired.threshold, paired.compared, paired.absorbed, paired.not_enumerated
        self._keep("pairs", VerifiedPairs(paired.pairs, *figures))

    def _value(self, name: str) -> Any:
        return next(map(load, self._folder.whole(name)), None)

    def _keep(self, name: str, value: Any) -> None:
        """Keep one value, unless it is kept already."""
        if not self._folder.whole(name):
            self._folder.keep(name, 1, value)
