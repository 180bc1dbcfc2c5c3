"""WARC: HTML and text responses, resources and conversions (WET); ids are target URIs."""

from __future__ import annotations

import io
import json
import math
import re
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Literal

from twinset.model import Batch
from twinset.reading.batches import order_of
from twinset.reading.cleaning import as_text
from twinset.reading.encoding import broken_characters, decode, without_surrogates
from twinset.reading.formats import refusal
from twinset.reading.output.decisions import OTHER, ROW
from twinset.reading.output.mark_up import with_headers
from twinset.reading.output.records import Outputs
from twinset.reading.record_blocks import Buffer, RecordBlock, record_blocks
from twinset.reading.record_groups import RecordsJob, read_apart
from twinset.reading.records import Parsed, RawRecord, read_records, record_rows, write_records
from twinset.reading.rows.block import RowBlock
from twinset.reading.rows.kinds import FieldKinds
from twinset.reading.rows.record import Record, Verbatim
from twinset.reading.signs import SIGNS, WARC
from twinset.reading.source import ReadJob
from twinset.reading.stream import ByteStream, open_stream
from twinset.spec.numerals import counted
from twinset.text.pages import Named

_LENGTH = re.compile(rb"^content-length:[ \t]*(\d{1,15})[ \t]*\r?$", re.IGNORECASE | re.MULTILINE)
_TYPE = re.compile(rb"^warc-type:[ \t]*(\w+)", re.IGNORECASE | re.MULTILINE)
_HEAD_END = re.compile(rb"\r?\n\r?\n")
_DOCUMENTS = (b"response", b"resource", b"conversion")
_TEXTUAL = ("text/html", "text/plain", "application/xhtml+xml", "")
_MAX_HEADER = 1 << 16
# What is undone of a payload: many archives hold it decoded and its header as it was, or a header
# with a word that is no coding.
Undone = Literal["all", "content", "transfer", "none"]
_LESS_UNDONE: tuple[Undone, ...] = ("content", "transfer", "none")
_CODED = re.compile(rb"[\0-\x08\x0e-\x1a\x1c-\x1f]")
_CHUNK = re.compile(rb"[0-9A-Fa-f]{1,8}[ \t]*(?:;[^\r\n]*)?\r\n")
_LOOK = 1 << 12  # bytes of a payload that tell whether it is still coded
_FIELDS = ("id", "date", "content_type", "text", "warc_headers", "http_headers")


@dataclass(frozen=True)
class Warc:
    """Records of a web archive; those that hold no text are passed over."""

    suffixes: ClassVar[tuple[str, ...]] = SIGNS["warc"].suffixes
    sniff = staticmethod(SIGNS["warc"].sniff)

    def read(self, job: ReadJob) -> Iterator[Batch]:
        """Batches of documents; places count the records that are documents."""
        with closing(open_stream(job)) as stream:
            blocks = _blocks(job, stream)
            if job.workers is not None and job.workers.pays(job.source.size or 0):
                yield from read_apart(job, job.workers, blocks, group_ends, read_group)
            else:
                yield from read_records(job, blocks, cut, partial(_parse, job))

    def rows(self, job: ReadJob) -> Iterator[RowBlock]:
        """The documents as rows: what a search asks for, then all named fields of the record."""
        with closing(open_stream(job)) as stream:
            yield from record_rows(
                job, _blocks(job, stream), cut, lambda raw, place: _fields(job, raw, place)
            )

    def row_kinds(self, job: ReadJob) -> FieldKinds:
        """Texts under the same names in every file; the named fields are JSON."""
        return FieldKinds.of_texts(_FIELDS)

    def write(self, job: ReadJob, outputs: Outputs) -> None:
        """Hand over the records as they are; requests and the like stay with the kept ones."""
        with closing(open_stream(job)) as stream, outputs.files() as out:
            end = _End()
            write_records(job, _blocks(job, stream), end.watch, out, with_headers)
            out.left_open(end.missing)


class _End:
    """Watches the records go by to know what the last one lacks before another file follows."""

    def __init__(self) -> None:
        self.missing = b""

    def watch(self, data: bytes) -> Iterator[RawRecord]:
        for piece in cut(data):
            head = _HEAD_END.search(piece.raw)
            length = _LENGTH.search(piece.raw, 0, head.end()) if head else None
            short = int(length.group(1)) - (len(piece.raw) - head.end()) if head and length else 0
            # a record that is cut off would take the beginning of the next file for its content
            self.missing = b"\n" * max(short, 0) + b"\r\n\r\n" if short > -4 else b""
            yield piece


def _blocks(job: ReadJob, stream: ByteStream) -> Iterator[RecordBlock]:
    def last_end(buffer: Buffer, have: int) -> int:
        begin, ends = 0, _RecordEnds(buffer, have, complete=False)
        while (end := ends.behind(begin)) and end < have:
            begin = end
        return begin

    return record_blocks(stream, job.block_bytes, job.limit, last_end, WARC, mark_leads=True)


def read_group(how: RecordsJob, data: bytes) -> Batch:
    """The documents of some records, for other processes."""
    return how.batch(data, cut, _parse)


def group_ends(data: bytes, size: int) -> Iterator[int]:
    """Where groups of records of at least so many bytes end."""
    begin, end, ends = 0, 0, _RecordEnds(data, len(data), complete=True)
    while end < len(data):
        end = min(ends.behind(end) or len(data), len(data))
        if end - begin >= size or end == len(data):
            yield end
            begin = end


def cut(data: bytes) -> Iterator[RawRecord]:
    """The records of a block one after another; bytes that belong to none are pieces too."""
    begin, ends = 0, _RecordEnds(data, len(data), complete=True)
    while begin < len(data):
        end = min(ends.behind(begin) or len(data), len(data))
        yield _piece(data[begin:end])
        begin = end


class _RecordEnds:
    """Where the records in the first ``have`` bytes end, asked from front to back.

    ``complete`` says that no more bytes follow, so what is missing will not come. Marks of records
    may lie close together before one blank line, or before none: it is looked for once.
    """

    def __init__(self, data: bytes | Buffer, have: int, complete: bool) -> None:
        self._data, self._have, self._complete = data, have, complete
        self._head: tuple[int, int] | None = None  # the blank line that was found last
        self._searched = 0  # no other begins before
        self._without_length = 0  # the end of a header that has no length

    def behind(self, begin: int) -> int:
        """The end of the record at this place, with the blank lines after it; 0 when unknown."""
        data, have = self._data, self._have
        if data[begin : begin + len(WARC)] != WARC:
            return max(data.find(WARC, begin, have), 0)
        head = self._head_end(begin)
        if not head and have < begin + _MAX_HEADER and not self._complete:
            return 0
        length = None
        if head and head != self._without_length:
            length = _LENGTH.search(data, begin, head)
            self._without_length = 0 if length else head
        if not length:
            return max(data.find(WARC, begin + 1, have), 0)
        end = head + int(length.group(1))
        while end < have and data[end] in b"\r\n":
            end += 1
        return end if end <= have else 0

    def _head_end(self, begin: int) -> int:
        """Where the header that begins here ends; 0 where it does not, or is too long."""
        if self._head is not None and self._head[0] >= begin:
            return self._head[1]
        limit = min(self._have, begin + _MAX_HEADER)
        match = _HEAD_END.search(self._data, max(begin, self._searched), limit)
        self._head = match and match.span()
        # a blank line may lie across the limit
        self._searched = match.start() if match else max(limit - 3, 0)
        return match.end() if match else 0


def _piece(raw: bytes) -> RawRecord:
    if not raw.startswith(WARC):
        return RawRecord(
            raw,
            OTHER,
            ("syntax", "bytes that are no WARC record are passed over") if raw.strip() else None,
        )
    head = _HEAD_END.search(raw)
    record_type = _TYPE.search(raw, 0, head.end()) if head else None
    length = _LENGTH.search(raw, 0, head.end()) if head else None
    if not head or not record_type or not length:
        return RawRecord(
            raw, OTHER, ("syntax", "a WARC record without a proper header is passed over")
        )
    if record_type.group(1).lower() not in _DOCUMENTS or not _is_textual(raw):
        return RawRecord(raw, OTHER, counted="other_records")
    short = int(length.group(1)) - (len(raw) - head.end())
    if short > 0:
        return RawRecord(raw, ROW, ("truncated", f"the record ends {counted(short, 'byte')} early"))
    return RawRecord(raw, ROW)


def _record(raw: bytes, undone: Undone = "none") -> Any:
    from fastwarc.warc import ArchiveIterator

    try:
        return next(
            iter(ArchiveIterator(io.BytesIO(raw), parse_http=True, auto_decode=undone)), None
        )
    except (OSError, ValueError):
        return None


def _payload(decoded: Any, raw: bytes, most: int) -> tuple[bytes, bool] | None:
    """Up to so many bytes of what a record holds, and whether it is whole; None if it is damaged.

    ``decoded`` is the record with all codings undone, or None. Of chunks that end too early, the
    bytes are there with the marks between them.
    """
    if decoded is not None:
        with suppress(OSError, ValueError):
            return decoded.reader.read(most), True
    for undone in _LESS_UNDONE:
        record = _record(raw, undone)
        if record is None:
            continue
        with suppress(OSError, ValueError):
            payload: bytes = record.reader.read(most)
            if not _CODED.search(payload, 0, _LOOK):
                return payload, not _CHUNK.match(payload)
    return None


def _content_type(record: Any) -> str:
    if record.is_http:
        return (record.http_content_type or "").lower()
    return (record.headers.get("Content-Type") or "").split(";")[0].strip().lower()


def _is_textual(raw: bytes) -> bool:
    record = _record(raw)
    return record is None or _content_type(record) in _TEXTUAL


def _parse(job: ReadJob, raw: bytes, place: int) -> Parsed:
    decoded_record = _record(raw, "all")
    record = decoded_record or _record(raw)
    if record is None:
        job.faults.add(place, "syntax", "the WARC record cannot be parsed")
        return None, None, math.nan, None
    id = record.headers.get("WARC-Target-URI") or record.record_id
    order = _order(job, record, place)
    found = _payload(decoded_record, raw, job.limit + 1)
    if found is None:
        job.faults.add(place, "truncated", "the content is compressed and damaged")
        return id, None, order, None
    payload, is_whole = found
    if not is_whole:
        job.faults.add(place, "truncated", "the content is cut off; what is there is used")
    if len(payload) > job.limit:
        detail = f"the content unpacks to more than {job.limit:,} bytes"
        job.faults.add(place, "too-long", detail)
        return id, None, order, None
    if refused := refusal(payload, is_text=True, what="record"):
        job.faults.add(place, *refused)
        return id, None, order, None
    kind = _content_type(record)
    named: Named = None if kind == "" else "plain" if kind == "text/plain" else "page"
    decoded = decode(
        payload, hint=record.http_charset if record.is_http else None, html=named != "plain"
    )
    if decoded.broken:
        job.faults.add(place, "encoding", broken_characters(decoded.broken))
    return id, as_text(job, decoded.text, place, named), order, job.raw(payload)


def _order(job: ReadJob, record: Any, place: int) -> float:
    """What the documents are ordered by: the date, or a named field of either header."""
    part, _, name = (job.options.order or "").partition(".")
    if part == "date":
        return order_of(job, record.headers.get("WARC-Date"), place)
    if part == "warc_headers":
        return order_of(job, record.headers.get(name), place)
    if part == "http_headers" and record.is_http:
        return order_of(job, record.http_headers.get(name), place)
    return math.nan


def _fields(job: ReadJob, raw: bytes, place: int) -> Record | None:
    id, text, _, _ = _parse(job, raw, place)
    record = None if text is None else _record(raw)
    if record is None:
        return None
    http = record.http_headers if record.is_http else None
    values = (
        id,
        record.headers.get("WARC-Date"),
        _content_type(record) or None,
        text,
        _named_fields(record.headers),
        None if http is None else _named_fields(http),
    )
    return dict(zip(_FIELDS, values, strict=True))


def _named_fields(headers: Any) -> Verbatim:
    """An object of all named fields; the values of a name that is there twice stand in a list."""
    fields: dict[str, Any] = {}
    for name, value in headers.astuples():
        if name in fields:
            earlier = fields[name]
            fields[name] = [*(earlier if isinstance(earlier, list) else [earlier]), value]
        else:
            fields[name] = value
    return Verbatim(
        without_surrogates(json.dumps(fields, ensure_ascii=False, separators=(",", ":")))
    )
