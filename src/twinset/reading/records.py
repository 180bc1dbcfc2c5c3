"""Formats whose records Python cuts and parses one by one (ROMIP, WARC).

Where there are other processes, these parse a group of records at a time. Which place a record has
is known only when all before it are parsed: so groups count from 1, and their places are moved when
their turn comes.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from typing import NamedTuple

import numpy as np

from twinset.model import Batch
from twinset.plan import ReadOptions
from twinset.reading.base import MORE, ROW, RecordBytes, RecordFormat, Row, Rows
from twinset.reading.batches import BatchBuilder
from twinset.reading.faults import FAILED, Faults
from twinset.reading.record_blocks import RecordBlock
from twinset.reading.source import ReadJob, Source
from twinset.reading.stream import ByteStream, open_text_stream
from twinset.system.processes import LostCall, Workers
from twinset.system.threads import in_order
from twinset.text.repeated import RepeatedLines

PIECE = 1 << 19
"""Bytes of records that go to another process at a time."""


class RawRecord(NamedTuple):
    """Bytes of the input that belong together, and what they are (`ROW`, `FRAME` or `OTHER`).

    ``fault`` is the kind and detail of what is wrong with it as a record; ``counted`` the name it
    is counted by, where it is passed over.
    """

    raw: bytes
    kind: int
    fault: tuple[str, str] | None = None
    counted: str | None = None

    @property
    def is_too_long(self) -> bool:
        """Whether it is not parsed for its size."""
        return self.fault is not None and self.fault[0] == "too-long"


# The parts of a document: its id, its text, its number for ordering, and what `ReadJob.raw` says.
Parsed = tuple[str | None, str | None, float, bytes | None]
_NOTHING: Parsed = (None, None, float("nan"), None)


class CutFormat(RecordFormat):
    """A format that says how a block is cut into records and what a record holds."""

    def blocks(self, job: ReadJob, stream: ByteStream) -> Iterator[RecordBlock]:
        """Blocks of whole records."""
        raise NotImplementedError

    def cut(self, data: bytes) -> Iterator[RawRecord]:
        """The records of a block, and what is before, between and behind them."""
        raise NotImplementedError

    def group_ends(self, data: bytes, size: int) -> Iterator[int]:
        """Where groups of at least so many bytes end, each behind a record; the last is the end."""
        raise NotImplementedError

    def parse(self, job: ReadJob, raw: bytes, place: int) -> Parsed:
        """The document of a record, which is number ``place`` from 1."""
        raise NotImplementedError

    def fields(self, job: ReadJob, raw: bytes, place: int) -> Row | None:
        """All that a document has, None where it has no text."""
        raise NotImplementedError

    def missing(self, raw: bytes) -> bytes:
        """What a record lacks before one of another source can follow it."""
        return b""

    def read(self, job: ReadJob) -> Iterator[Batch]:
        """Batches of documents; places count them."""
        stream, _, _ = open_text_stream(job)
        with closing(stream):
            blocks = self.blocks(job, stream)
            if job.workers is not None and job.workers.pays(job.source.size or 0):
                yield from self._read_apart(job, job.workers, blocks)
            else:
                yield from self.read_here(job, blocks)

    def rows(self, job: ReadJob) -> Iterator[Rows]:
        """The documents with all their fields."""
        stream, _, _ = open_text_stream(job)
        place = 0
        with closing(stream):
            for block in self.blocks(job, stream):
                rows: list[Row | None] = []
                unread: list[bytes] = [] if block.part in ("whole", "first") else [block.raw]
                for piece in self._pieces(job, block):
                    if piece.kind == ROW:
                        place += 1
                        row = None if piece.is_too_long else self.fields(job, piece.raw, place)
                        rows.append(row)
                        unread += [piece.raw] if row is None else []
                yield Rows(rows, b"".join(unread))

    def records(self, job: ReadJob) -> Iterator[RecordBytes]:
        """The records as they are."""
        stream, _, _ = open_text_stream(job)
        with closing(stream):
            for block in self.blocks(job, stream):
                if block.part != "whole":
                    yield RecordBytes.single(block.data, ROW if block.part == "first" else MORE)
                    continue
                pieces = list(self._pieces(job, block))
                ends = np.cumsum([len(piece.raw) for piece in pieces], dtype=np.int64)
                kinds = np.array([piece.kind for piece in pieces], np.uint8)
                yield RecordBytes(block.data, ends, kinds, self.missing(pieces[-1].raw))

    def read_here(self, job: ReadJob, blocks: Iterator[RecordBlock]) -> Iterator[Batch]:
        """A batch for every block."""
        place = 0
        for block in blocks:
            rows = BatchBuilder()
            for piece in self._pieces(job, block):
                place += piece.kind == ROW
                if piece.counted:
                    job.counts[piece.counted] += 1
                if piece.fault:
                    job.faults.add(place or None, *piece.fault)
                if piece.kind == ROW:
                    parsed = _NOTHING if piece.is_too_long else self.parse(job, piece.raw, place)
                    id, text, order, raw = parsed
                    rows.add(id, text, place, order, raw)
            if len(rows) or job.faults or job.counts:
                yield rows.batch(job)

    def _pieces(self, job: ReadJob, block: RecordBlock) -> Iterator[RawRecord]:
        fault = "too-long", f"the record is longer than {job.limit:,} bytes"
        if block.part == "first":
            yield RawRecord(block.raw, ROW, fault)
        for piece in self.cut(block.raw) if block.part == "whole" else ():
            is_long = piece.kind == ROW and len(piece.raw) > job.limit
            yield piece._replace(fault=fault) if is_long else piece

    def _read_apart(
        self, job: ReadJob, workers: Workers, blocks: Iterator[RecordBlock]
    ) -> Iterator[Batch]:
        """A batch for every group of records, by other processes, in their order."""
        how = RecordsJob(self, job.source, job.options, job.repeated)

        def answers(group: RecordBlock | bytes) -> list[Batch]:
            if isinstance(group, RecordBlock):  # the beginning of a record that is too long
                apart = job.apart()
                apart.faults = Faults(job.source.name, "skip")
                return list(self.read_here(apart, iter([group])))
            (batch,) = workers.results(read_group, [(how, group)])
            if not isinstance(batch, LostCall):
                return [batch]
            singles = list(self._groups(group, 1))
            parts = workers.results(read_group, [(how, single) for single in singles])
            return [_failed(job) if isinstance(part, LostCall) else part for part in parts]

        place = 0
        groups = in_order(
            answers,
            self._all_groups(blocks),
            workers.most + 2,
            ahead=partial(job.ahead, workers.most),
            size=lambda group: len(group) if isinstance(group, bytes) else 0,
            most=job.ahead_bytes,
        )
        with closing(groups):
            for batch in (batch for batches in groups for batch in batches):
                for fault in batch.faults:
                    job.faults.add((fault.line or 0) + place or None, fault.kind, fault.detail)
                faults, places = job.faults.take(), batch.places + place
                place += len(batch)
                if len(batch) or faults or batch.counts:
                    yield dataclasses.replace(batch, places=places, faults=faults)

    def _all_groups(self, blocks: Iterator[RecordBlock]) -> Iterator[RecordBlock | bytes]:
        for block in blocks:
            if block.part == "whole":
                yield from self._groups(block.raw, PIECE)
            elif block.part == "first":
                yield RecordBlock(block.data[:1].copy(), "first")

    def _groups(self, data: bytes, size: int) -> Iterator[bytes]:
        begin = 0
        for end in self.group_ends(data, size):
            yield data[begin:end]
            begin = end


class RecordsJob(NamedTuple):
    """What a process needs to know to read records of a source."""

    format: CutFormat
    source: Source
    options: ReadOptions
    repeated: RepeatedLines | None


def read_group(how: RecordsJob, data: bytes) -> Batch:
    """The documents of a group; places count from 1, and a fault before the first has none."""
    job = ReadJob(how.source, how.options, Faults(how.source.name, "skip"))
    job.repeated = how.repeated
    block = RecordBlock(np.frombuffer(data, dtype=np.uint8))
    batch = next(how.format.read_here(job, iter([block])), None)
    return BatchBuilder().batch(job) if batch is None else job.with_pages(batch)


def _failed(job: ReadJob) -> Batch:
    """What is left of a record that has ended the process that read it."""
    apart, rows = job.apart(), BatchBuilder()
    apart.faults = Faults(job.source.name, "skip")
    apart.faults.add(1, "failed", FAILED)
    rows.add(None, None, 1)
    return rows.batch(apart)
