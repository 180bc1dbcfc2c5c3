"""Records that Python parses (ROMIP, WARC), a group at a time by other processes.

Which place a record has is known only when all before it are parsed: so groups count from 1, and
their places are moved when their turn comes.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from typing import NamedTuple

import numpy as np

from twinset.model import Batch
from twinset.plan import ReadOptions
from twinset.reading.batches import BatchBuilder
from twinset.reading.faults import FAILED, Faults
from twinset.reading.record_blocks import RecordBlock
from twinset.reading.records import Parsed, RawRecord, read_records
from twinset.reading.source import ReadJob, Source
from twinset.system.pool import in_order
from twinset.system.processes import LostCall, Workers
from twinset.text.repeated import RepeatedLines

PIECE = 1 << 19
"""Bytes of records that go to another process at a time."""

Cut = Callable[[bytes], Iterator[RawRecord]]
Ends = Callable[[bytes, int], Iterator[int]]
"""Where groups of at least so many bytes end, each behind a record; the end of the data is last."""


class RecordsJob(NamedTuple):
    """What a process needs to know to read records of a source."""

    source: Source
    options: ReadOptions
    repeated: RepeatedLines | None

    def batch(self, data: bytes, cut: Cut, parse: Callable[[ReadJob, bytes, int], Parsed]) -> Batch:
        """The documents of a group; places count from 1, and a fault before the first has none."""
        job = ReadJob(self.source, self.options, Faults(self.source.name, "skip"))
        job.repeated = self.repeated
        block = RecordBlock(np.frombuffer(data, dtype=np.uint8))
        batches = read_records(job, iter([block]), cut, lambda raw, at: parse(job, raw, at))
        batch = next(batches, None)
        return BatchBuilder().batch(job) if batch is None else job.with_pages(batch)


ReadRecords = Callable[[RecordsJob, bytes], Batch]


def read_apart(
    job: ReadJob,
    workers: Workers,
    blocks: Iterator[RecordBlock],
    ends: Ends,
    read: ReadRecords,
) -> Iterator[Batch]:
    """A batch for every group of records, in their order."""
    how = RecordsJob(job.source, job.options, job.repeated)

    def answers(group: RecordBlock | bytes) -> list[Batch]:
        if isinstance(group, RecordBlock):  # the beginning of a record that is too long
            apart = job.apart()
            apart.faults = Faults(job.source.name, "skip")
            return list(read_records(apart, iter([group]), lambda _: iter(()), _never))
        (batch,) = workers.results(read, [(how, group)])
        if not isinstance(batch, LostCall):
            return [batch]
        singles = list(_groups(group, ends, 1))
        parts = workers.results(read, [(how, single) for single in singles])
        return [_failed(job) if isinstance(part, LostCall) else part for part in parts]

    place = 0
    ahead = partial(job.ahead, workers.most)
    groups = in_order(answers, _all_groups(blocks, ends), workers.most + 2, ahead=ahead)
    with closing(groups):
        for batches in groups:
            for batch in batches:
                for fault in batch.faults:
                    line = (fault.line or 0) + place or None
                    job.faults.add(line, fault.kind, fault.detail)
                faults, places = job.faults.take(), batch.places + place
                place += len(batch)
                if len(batch) or faults or batch.counts:
                    yield dataclasses.replace(batch, places=places, faults=faults)


def _never(raw: bytes, place: int) -> Parsed:
    raise AssertionError("a record that is too long is not parsed")


def _all_groups(blocks: Iterator[RecordBlock], ends: Ends) -> Iterator[RecordBlock | bytes]:
    for block in blocks:
        if block.part == "whole":
            yield from _groups(block.data.tobytes(), ends, PIECE)
        elif block.part == "first":
            yield RecordBlock(block.data[:1].copy(), "first")


def _groups(data: bytes, ends: Ends, size: int) -> Iterator[bytes]:
    begin = 0
    for end in ends(data, size):
        yield data[begin:end]
        begin = end


def _failed(job: ReadJob) -> Batch:
    """What is left of a record that has ended the process that read it."""
    apart, rows = job.apart(), BatchBuilder()
    apart.faults = Faults(job.source.name, "skip")
    apart.faults.add(1, "failed", FAILED)
    rows.add(None, None, 1)
    return rows.batch(apart)
