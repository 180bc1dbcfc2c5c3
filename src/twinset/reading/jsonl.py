"""JSON lines: one object per line. The kernel takes ordinary lines, Python's json the odd ones."""

from __future__ import annotations

import io
import json
import math
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, cast

import numpy as np
import pyarrow as pa

from twinset import _kernels
from twinset._kernels import Digest
from twinset.model import Batch, Position
from twinset.reading.arrays import replaced, string_array
from twinset.reading.base import MORE, OTHER, ROW, RecordBytes, RecordFormat, Row, Rows
from twinset.reading.batches import BatchBuilder, lookup, order_of
from twinset.reading.cleaning import as_text, cleaned
from twinset.reading.formats import SIGNS
from twinset.reading.record_blocks import RecordBlock, line_blocks
from twinset.reading.source import ReadJob
from twinset.reading.stream import ByteStream, bounds_of, open_text_stream
from twinset.system.places import open_place
from twinset.text.encoding import HALF, byte_order_mark, decode_utf8_by_definition, has_half

_LONGEST_MARK = 4
_SHORT = 1 << 20
"""Bytes of lines that are worth the handling of a batch."""
_ABSENT = object()  # in place of a field that a record does not have


@dataclass(frozen=True)
class JsonLines(RecordFormat):
    """Lines of JSON objects with the named fields; blank lines are skipped."""

    has_fields: ClassVar[bool] = True
    joint: ClassVar[bytes] = b"\n"

    suffixes: ClassVar[tuple[str, ...]] = SIGNS["jsonl"].suffixes
    sniff = staticmethod(SIGNS["jsonl"].sniff)

    def read(self, job: ReadJob) -> Iterator[Batch]:
        """A batch for every block of lines, several of them parsed at a time."""

        def parsed(lines: NumberedLines) -> Batch:
            apart = job.apart()
            if lines.block.part == "whole":
                batch = apart.with_pages(lines_batch(apart, lines.block, lines.before))
            else:
                detail = f"the line is longer than {job.limit:,} bytes"
                apart.faults.add(lines.before + 1, "too-long", detail)
                rows = BatchBuilder()
                rows.add(None, None, lines.before + 1)
                batch = rows.batch(apart)
            return replace(batch, end=lines.end)

        blocks = _plain_blocks(job) or _numbered(open_text_stream(job)[0], job)
        with closing(job.side_by_side(parsed, blocks)) as batches:
            yield from batches

    def rows(self, job: ReadJob) -> Iterator[Rows]:
        """The objects as rows; a line that is none has no row."""
        stream, _, _ = open_text_stream(job)
        with closing(stream):
            for block in line_blocks(stream, job.batch_bytes, job.limit):
                if block.part != "whole":
                    yield Rows([None] if block.part == "first" else [], block.raw)
                    continue
                rows: list[Row | None] = []
                unread: list[bytes] = []
                for line in io.BytesIO(block.raw):
                    if line.strip():
                        rows.append(_object_in(line, job.limit))
                        unread += [line] if rows[-1] is None else []
                yield Rows(rows, b"".join(unread))

    def records(self, job: ReadJob) -> Iterator[RecordBytes]:
        """The lines as they are."""
        stream, _, _ = open_text_stream(job)
        with closing(stream):
            for block in line_blocks(stream, job.batch_bytes, job.limit):
                if block.part != "whole":
                    yield RecordBytes.single(block.data, ROW if block.part == "first" else MORE)
                    continue
                ends = _kernels.line_ends(block.data, job.threads)
                blank = _kernels.blank_lines(block.data, ends)
                yield RecordBytes(block.data, ends, np.where(blank, OTHER, ROW).astype(np.uint8))


def _object_in(line: bytes, limit: int) -> Row | None:
    if len(line.rstrip(b"\r\n")) > limit:
        return None
    try:
        record = json.loads(decode_utf8_by_definition(line)[0].rstrip("\r\n"))
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


class NumberedLines(NamedTuple):
    """Lines, or the beginning of one without end, behind so many others; where a pass goes on."""

    block: RecordBlock
    before: int
    end: Position


def _plain_blocks(job: ReadJob) -> Iterator[NumberedLines] | None:
    """The blocks of a plain file in UTF-8, behind the position where an earlier pass has ended.

    None where it is packed, elsewhere, or in another encoding.
    """
    source, after = job.source, job.after or Position()
    if source.compression is not None or not isinstance(source.path, Path):
        return None
    file = open_place(source.path, bounds_of(job), buffering=-1)
    mark, encoding = byte_order_mark(file.read(_LONGEST_MARK)) or (b"", "utf-8")
    if encoding != "utf-8":
        file.close()
        return None
    digest = Digest()
    if after.offset is None:
        after = Position(offset=len(mark))
        job.meter.bytes_read += len(mark)
        digest.update(np.frombuffer(mark, np.uint8))
    else:
        digest = Digest.of_state(np.frombuffer(after.digest, np.uint8))
        job.take_after()
    file.seek(after.offset or 0)
    if not source.is_spool:
        job.meter.file = os.fsencode(source.path.name).decode("utf-8", "replace")
    return _numbered(cast("ByteStream", file), job, after, digest)


def _numbered(
    stream: ByteStream,
    job: ReadJob,
    after: Position | None = None,
    digest: Digest | None = None,
) -> Iterator[NumberedLines]:
    """The blocks of a stream with their lines counted, behind a position of a plain file."""
    lines, at = (after.records, after.offset or 0) if after else (0, 0)
    size, endless = job.block_bytes, None
    if digest is not None:  # then blocks are of any size, and all threads have something to do
        size = min(size, max((job.source.size or 0) // (8 * job.threads), _SHORT))
    with closing(stream):
        for block in line_blocks(stream, size, job.limit):
            before, end = lines, Position()
            lines += _kernels.line_count(block.data) if block.part == "whole" else 0
            lines += block.part == "first"
            if digest is not None:
                digest.update(block.data)
                at += len(block.data)
                job.meter.bytes_read += len(block.data)
                end = Position(offset=at, records=lines, digest=digest.state().tobytes())
            if block.part == "first":
                endless = NumberedLines(block, before, end)
            elif endless is not None:  # a pass goes on behind the whole line
                endless = endless._replace(end=end)
            if block.part == "whole":
                yield NumberedLines(block, before, end)
            elif block.part == "last" and endless is not None:
                yield endless
                endless = None
    if endless is not None:
        yield endless
    if digest is not None:
        job.digest = digest.value()
        if at < (job.source.size or 0):
            detail = f"the file had {job.source.size:,} bytes and became shorter while it was read"
            job.faults.add(None, "truncated", detail)


def lines_batch(job: ReadJob, block: RecordBlock, before: int) -> Batch:
    """The documents of whole lines behind so many others of their file."""
    options = job.options
    fields = _kernels.jsonl_rows(block.data, *options.fields, 1, None)
    odd = fields["odd"].view(bool) | (fields["end"] - fields["begin"] > job.limit)
    has_id = fields["has_id"].view(bool)
    ids = string_array(pa.string(), fields["ids"], fields["id_offsets"], has_id)
    texts = string_array(pa.large_string(), fields["texts"], fields["text_offsets"], ~odd)
    places, order = fields["line"] + before, fields["order"]
    raw = texts.cast(pa.large_binary()) if options.raw else None
    texts = cleaned(job, texts, places)
    if odd.any():
        arrays = ids, texts, raw
        ids, texts, raw = _odd_rows(job, block, fields, np.flatnonzero(odd), places, arrays)
    return Batch(
        ids,
        texts,
        job.source.name,
        places,
        order if options.order else None,
        job.faults.take(),
        job.take_counts(),
        raw,
    )


def _odd_rows(
    job: ReadJob,
    block: RecordBlock,
    fields: Mapping[str, Any],
    rows: Any,
    places: Any,
    arrays: tuple[Any, Any, Any],
) -> tuple[Any, Any, Any]:
    """The arrays with the rows filled in that the kernel left to Python."""
    ids: dict[int, str | None] = {}
    raw: dict[int, str | None] = {}
    texts: dict[int, str | None] = {}
    for row in rows.tolist():
        begin, end = int(fields["begin"][row]), int(fields["end"][row])
        record = parse(job, block.data[begin:end].tobytes(), int(places[row]))
        ids[row], text, fields["order"][row] = record
        raw[row] = job.raw(text)
        texts[row] = text if text is None else as_text(job, text, int(places[row]))
    bytes_of = None if arrays[2] is None else replaced(arrays[2], raw)
    return replaced(arrays[0], ids), replaced(arrays[1], texts), bytes_of


def parse(job: ReadJob, raw: bytes, line: int) -> tuple[str | None, str | None, float]:
    """The id, text and order of one line by Python's json; after a fault the text is None."""
    nothing = (None, None, math.nan)
    if len(raw) > job.limit:
        job.faults.add(line, "too-long", f"the line is longer than {job.limit:,} bytes")
        return nothing
    content, damage = decode_utf8_by_definition(raw)
    try:
        # without its end, or an open quote would run into it
        record = json.loads(content.rstrip("\r\n"), object_pairs_hook=_object)
    except RecursionError:
        job.faults.add(line, "syntax", "the line is nested too deeply")
        return nothing
    except ValueError as fault:
        if raw.lstrip().startswith(b"["):
            detail = "the line begins a list; write one object per line"
        else:
            detail = f"the line is not JSON{_syntax_fault(fault)}"
        job.faults.add(line, "syntax", detail)
        return nothing
    if not isinstance(record, dict):
        job.faults.add(line, "syntax", f"the line holds {_kind(record)}, not an object")
        return nothing
    for field in filter(None, job.options.fields):
        if _is_twice(record, field):
            job.faults.add(line, "syntax", f"the field '{field}' is there twice: leave one of them")
            return nothing
    id = _id(job, record, line)
    order = (
        order_of(job, lookup(record, job.options.order), line) if job.options.order else math.nan
    )
    text = lookup(record, job.options.text, _ABSENT)
    if not isinstance(text, str):
        _not_text(job, text, line)
        return id, None, order
    if damage:
        job.faults.add(line, "encoding", damage)
    if has_half(text):
        job.faults.add(line, "encoding", f"the field '{job.options.text}' holds {HALF}")
        return id, None, order
    return id, text, order


class _Repeating(dict[str, Any]):
    """An object that has names more than once; of their values the last one is here."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.times = Counter(name for name, _ in pairs)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    return record if len(record) == len(pairs) else _Repeating(pairs)


def _is_twice(record: dict[str, Any], dotted: str) -> bool:
    """Whether a field, or what it lies in, is there more than once: `lookup` finds the last."""
    value: Any = record
    for name in [dotted] if dotted in record else dotted.split("."):
        if isinstance(value, _Repeating) and value.times[name] > 1:
            return True
        value = value.get(name) if isinstance(value, dict) else None
    return False


# What Python's parser says, in words for the reader of a message.
_SYNTAX_FAULTS = (
    ("Expecting ','", "a comma is missing"),
    ("Expecting ':'", "a colon is missing"),
    ("Expecting property name", "a name in double quotes is missing"),
    ("Expecting value", "a value is missing"),
    ("Unterminated string", "a quote is opened and never closed"),
    ("Invalid control character", "a text holds a control character"),
    ("Invalid \\", "a backslash begins no escape that JSON knows"),
    ("Extra data", "more follows after the end"),
)


def _syntax_fault(fault: ValueError) -> str:
    if not isinstance(fault, json.JSONDecodeError):
        return ": a number has too many digits"
    explanations = (words for begin, words in _SYNTAX_FAULTS if fault.msg.startswith(begin))
    return f": {next(explanations, 'the mistake is')} at character {fault.pos + 1:,}"


def _not_text(job: ReadJob, value: object, line: int) -> None:
    if value is _ABSENT:
        job.faults.add(line, "missing", f"there is no field '{job.options.text}'")
    elif value is None:
        job.faults.add(line, "missing", f"the field '{job.options.text}' is null")
    else:
        job.faults.add(
            line, "type", f"the field '{job.options.text}' holds {_kind(value)}, not text"
        )


def _id(job: ReadJob, record: dict[str, Any], line: int) -> str | None:
    value = lookup(record, job.options.id)
    if value is None or value == "":
        return None
    if isinstance(value, str) and has_half(value):
        job.faults.add(line, "encoding", f"the field '{job.options.id}' holds {HALF}")
        return None
    if isinstance(value, str):
        return value
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return str(value)
    job.faults.add(line, "type", f"the field '{job.options.id}' holds {_kind(value)}, not an id")
    return None


def _kind(value: object) -> str:
    names = {dict: "an object", list: "a list", str: "text", bool: "a truth value"}
    return "null" if value is None else names.get(type(value), "a number")
