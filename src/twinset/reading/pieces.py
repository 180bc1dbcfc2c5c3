"""Records that are neither lines nor rows: blocks cut into pieces, each a document or not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from twinset.model import Batch
from twinset.reading.blocks import Block
from twinset.reading.fork import OTHER, ROW, Writers
from twinset.reading.rows import Rows
from twinset.reading.source import Job


@dataclass(frozen=True, slots=True)
class Piece:
    """Bytes of the input that belong together, and what they are (a kind of `fork`)."""

    raw: bytes
    kind: int
    fault: tuple[str, str] | None = None  # kind and detail of what is wrong with it as a record
    counted: str | None = None  # the name it is counted by, where it is passed over


# What a document is made of: its id, its text, and its number for ordering.
Parsed = tuple[str | None, str | None, float]


def read_pieces(
    job: Job,
    blocks: Iterator[Block],
    cut: Callable[[bytes], Iterator[Piece]],
    parse: Callable[[bytes, int], Parsed],
) -> Iterator[Batch]:
    """A batch for every block; ``parse`` makes a document of a piece and its number from 1."""
    place = 0
    for block in blocks:
        rows = Rows()
        for piece in _pieces(job, block, cut):
            place += piece.kind == ROW
            if piece.counted:
                job.counts[piece.counted] += 1
            if piece.fault:
                job.faults.add(place or None, *piece.fault)
            if piece.kind == ROW:
                refused = piece.fault is not None and piece.fault[0] == "too-long"
                id, text, order = _NOTHING if refused else parse(piece.raw, place)
                rows.add(id, text, place, order)
        if len(rows) or job.faults or job.counts:
            yield rows.batch(job)


def split_pieces(
    job: Job, blocks: Iterator[Block], cut: Callable[[bytes], Iterator[Piece]], out: Writers
) -> None:
    """Hand every piece to the outputs as it is."""
    for block in blocks:
        if block.part in ("middle", "last"):
            out.more(block.data)
            continue
        for piece in _pieces(job, block, cut):
            out.record(piece.raw, piece.kind)


_NOTHING: Parsed = (None, None, float("nan"))


def _pieces(job: Job, block: Block, cut: Callable[[bytes], Iterator[Piece]]) -> Iterator[Piece]:
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
        yield Piece(b"", OTHER)


def _refused(job: Job, raw: bytes) -> Piece:
    return Piece(raw, ROW, ("too-long", f"the record is longer than {job.limit:,} bytes"))
