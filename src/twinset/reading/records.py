"""Formats whose records Python cuts and parses one by one (ROMIP, WARC)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import closing
from typing import NamedTuple

import numpy as np

from twinset.model import Batch
from twinset.reading.base import MORE, ROW, RecordBytes, RecordFormat, Row, Rows
from twinset.reading.batches import BatchBuilder
from twinset.reading.cleaning import as_text
from twinset.reading.record_blocks import RecordBlock
from twinset.reading.source import ReadJob
from twinset.reading.stream import ByteStream, open_text_stream
from twinset.text.pages import Named


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


class ParsedRecord(NamedTuple):
    """A document as its record holds it, with any mark-up; its number for ordering.

    ``raw`` is what `ReadJob.raw` says.
    """

    id: str | None = None
    text: str | None = None
    named: Named = None
    order: float = math.nan
    raw: bytes | None = None


class CutFormat(RecordFormat):
    """A format that says how a block is cut into records and what a record holds."""

    def blocks(self, job: ReadJob, stream: ByteStream) -> Iterator[RecordBlock]:
        """Blocks of whole records."""
        raise NotImplementedError

    def cut(self, data: bytes) -> Iterator[RawRecord]:
        """The records of a block, and what is before, between and behind them."""
        raise NotImplementedError

    def parse(self, job: ReadJob, raw: bytes, place: int) -> ParsedRecord:
        """The document of a record, which is number ``place`` from 1."""
        raise NotImplementedError

    def fields(self, id: str | None, text: str, raw: bytes) -> Row:
        """All that a document has."""
        raise NotImplementedError

    def missing(self, raw: bytes) -> bytes:
        """What a record lacks before one of another source can follow it."""
        return b""

    def read(self, job: ReadJob) -> Iterator[Batch]:
        """Batches of documents; places count them."""
        stream, _, _ = open_text_stream(job)

        def numbered() -> Iterator[tuple[list[RawRecord], int]]:
            place = 0
            for block in self.blocks(job, stream):
                pieces = list(self._pieces(job, block))
                yield pieces, place
                place += sum(piece.kind == ROW for piece in pieces)

        def parsed(item: tuple[list[RawRecord], int]) -> Batch:
            apart = job.apart()
            return apart.with_pages(self._batch(apart, *item))

        with closing(stream), closing(job.side_by_side(parsed, numbered())) as batches:
            yield from (batch for batch in batches if len(batch) or batch.faults or batch.counts)

    def _batch(self, job: ReadJob, pieces: list[RawRecord], place: int) -> Batch:
        rows, named = BatchBuilder(), list[Named]()
        for piece in pieces:
            place += piece.kind == ROW
            if piece.counted:
                job.counts[piece.counted] += 1
            if piece.fault:
                job.faults.add(place or None, *piece.fault)
            if piece.kind == ROW:
                none = piece.is_too_long
                record = ParsedRecord() if none else self.parse(job, piece.raw, place)
                rows.add(record.id, record.text, place, record.order, record.raw)
                named.append(record.named)
        return rows.batch(job, named)

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
                        rows.append(None if piece.is_too_long else self._row(job, piece.raw, place))
                        unread += [piece.raw] if rows[-1] is None else []
                yield Rows(rows, b"".join(unread))

    def _row(self, job: ReadJob, raw: bytes, place: int) -> Row | None:
        record = self.parse(job, raw, place)
        if record.text is None:
            return None
        return self.fields(record.id, as_text(job, record.text, place, record.named), raw)

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

    def _pieces(self, job: ReadJob, block: RecordBlock) -> Iterator[RawRecord]:
        fault = "too-long", f"the record is longer than {job.limit:,} bytes"
        if block.part == "first":
            yield RawRecord(block.raw, ROW, fault)
        for piece in self.cut(block.raw) if block.part == "whole" else ():
            is_long = piece.kind == ROW and len(piece.raw) > job.limit
            yield piece._replace(fault=fault) if is_long else piece
