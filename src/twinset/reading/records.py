"""Blocks of bytes cut into single records.

`read_records` and `write_records` serve formats whose records Python cuts one by one (ROMIP, WARC);
kernels cut lines and CSV rows, a block at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from twinset.lazy_dataclass import dataclass
from twinset.model import Batch
from twinset.model.outcomes import Outcomes
from twinset.reading.batches import BatchBuilder
from twinset.reading.output.decisions import OTHER, ROW
from twinset.reading.record_blocks import RecordBlock
from twinset.reading.source import ReadJob

if TYPE_CHECKING:
    from twinset.reading.output.notes import Note
    from twinset.reading.output.records import RecordWriter
    from twinset.reading.rows.block import FieldRows
    from twinset.reading.rows.record import Record


@dataclass(frozen=True, slots=True)
class RawRecord:
    """Bytes of the input that belong together, and what they are (`ROW`, `FRAME` or `OTHER`)."""

    raw: bytes
    kind: int
    fault: tuple[str, str] | None = None  # kind and detail of what is wrong with it as a record
    counted: str | None = None  # the name it is counted by, where it is passed over


# The parts of a document: its id, its text, its number for ordering, and what `ReadJob.raw` says.
Parsed = tuple[str | None, str | None, float, bytes | None]


def read_records(
    job: ReadJob,
    blocks: Iterator[RecordBlock],
    cut: Callable[[bytes], Iterator[RawRecord]],
    parse: Callable[[bytes, int], Parsed],
) -> Iterator[Batch]:
    """A batch for every block; ``parse`` makes a document of a piece and its number from 1."""
    place = 0
    for block in blocks:
        rows = BatchBuilder()
        for piece in _pieces(job, block, cut):
            place += piece.kind == ROW
            if piece.counted:
                job.counts[piece.counted] += 1
            if piece.fault:
                job.faults.add(place or None, *piece.fault)
            if piece.kind == ROW:
                refused = piece.fault is not None and piece.fault[0] == "too-long"
                id, text, order, raw = _NOTHING if refused else parse(piece.raw, place)
                rows.add(id, text, place, order, raw)
        if len(rows) or job.faults or job.counts:
            yield rows.batch(job)


def write_records(
    job: ReadJob,
    blocks: Iterator[RecordBlock],
    cut: Callable[[bytes], Iterator[RawRecord]],
    out: RecordWriter,
    annotated: Callable[[bytes, Note], bytes],
) -> None:
    """Hand every piece to the outputs as it is; ``annotated`` adds what was decided on it."""
    for block in blocks:
        if block.part in ("middle", "last"):
            out.more(block.data)
            continue
        for piece in _pieces(job, block, cut):
            is_whole = piece.kind == ROW and not (piece.fault and piece.fault[0] == "too-long")
            annotate = partial(_noted, annotated, piece) if is_whole else None
            out.record(piece.raw, piece.kind, annotate)


def _noted(
    annotated: Callable[[bytes, Note], bytes], piece: RawRecord, outcomes: Outcomes
) -> list[bytes]:
    from twinset.reading.output.notes import notes_of

    return [annotated(piece.raw, next(notes_of(outcomes)))]


def record_rows(
    job: ReadJob,
    blocks: Iterator[RecordBlock],
    cut: Callable[[bytes], Iterator[RawRecord]],
    fields: Callable[[bytes, int], Record | None],
) -> Iterator[FieldRows]:
    """The documents as rows; ``fields`` makes one of a piece and its number, None without text."""
    from twinset.reading.rows.block import FieldRows

    place, is_row = 0, False
    for block in blocks:
        if block.part in ("middle", "last"):
            yield FieldRows([], more=block.data.tobytes() if is_row else b"")
            continue
        rows: list[Record | None] = []
        unread: dict[int, bytes] = {}
        for piece in _pieces(job, block, cut):
            is_row = piece.kind == ROW
            if not is_row:
                continue
            place += 1
            refused = piece.fault is not None and piece.fault[0] == "too-long"
            record = None if refused else fields(piece.raw, place)
            if record is None:
                unread[len(rows)] = piece.raw
            rows.append(record)
        yield FieldRows(rows, unread)


_NOTHING: Parsed = (None, None, float("nan"), None)


def _pieces(
    job: ReadJob, block: RecordBlock, cut: Callable[[bytes], Iterator[RawRecord]]
) -> Iterator[RawRecord]:
    if block.part == "whole":
        for piece in cut(block.data.tobytes()):
            yield (
                piece
                if len(piece.raw) <= job.limit or piece.kind != ROW
                else _refused(job, piece.raw)
            )
    elif block.part == "first":
        yield _refused(job, block.data.tobytes())
    else:
        yield RawRecord(b"", OTHER)


def _refused(job: ReadJob, raw: bytes) -> RawRecord:
    return RawRecord(raw, ROW, ("too-long", f"the record is longer than {job.limit:,} bytes"))
