"""WARC: HTML and text responses, resources and conversions (WET); ids are target URIs."""

from __future__ import annotations

import io
import json
import math
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from twinset.plan.spec import counted
from twinset.reading.base import OTHER, ROW, Row
from twinset.reading.batches import order_of
from twinset.reading.formats import SIGNS, WARC
from twinset.reading.record_blocks import Buffer, RecordBlock, record_blocks
from twinset.reading.records import CutFormat, ParsedRecord, RawRecord
from twinset.reading.signatures import refusal
from twinset.reading.source import ReadJob
from twinset.reading.stream import ByteStream
from twinset.text.encoding import broken_characters, decode, without_surrogates
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


@dataclass(frozen=True)
class Warc(CutFormat):
    """Records of a web archive; those that hold no text are passed over."""

    suffixes: ClassVar[tuple[str, ...]] = SIGNS["warc"].suffixes
    sniff = staticmethod(SIGNS["warc"].sniff)
    joint: ClassVar[bytes] = b""

    def blocks(self, job: ReadJob, stream: ByteStream) -> Iterator[RecordBlock]:
        """Blocks that end before a record."""

        def last_end(buffer: Buffer, have: int) -> int:
            begin, ends = 0, _RecordEnds(buffer, have, complete=False)
            while (end := ends.behind(begin)) and end < have:
                begin = end
            return begin

        return record_blocks(stream, job.block_bytes, job.limit, last_end, WARC, mark_leads=True)

    def cut(self, data: bytes) -> Iterator[RawRecord]:
        """The records of a block; bytes that belong to none are pieces too."""
        begin, ends = 0, _RecordEnds(data, len(data), complete=True)
        while begin < len(data):
            end = ends.behind(begin) or len(data)
            yield _piece(data[begin:end])
            begin = end

    def parse(self, job: ReadJob, raw: bytes, place: int) -> ParsedRecord:
        """The document of a record."""
        return _parse(job, raw, place)

    def fields(self, id: str | None, text: str, raw: bytes) -> Row:
        """What a search asks for, then all named fields of the record."""
        record = _record(raw)
        return {
            "id": id,
            "date": record.headers.get("WARC-Date"),
            "http_status": record.http_headers.status_code if record.is_http else None,
            "content_type": _content_type(record) or None,
            "text": text,
            "warc_headers": _named_fields(record.headers),
            "http_headers": _named_fields(record.http_headers) if record.is_http else None,
        }

    def missing(self, raw: bytes) -> bytes:
        """What is cut off: it would take the beginning of the next file for its content."""
        head = _HEAD_END.search(raw)
        length = _LENGTH.search(raw, 0, head.end()) if head else None
        short = int(length.group(1)) - (len(raw) - head.end()) if head and length else 0
        return b"\n" * max(short, 0) + b"\r\n\r\n" if short > -4 else b""


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


def _parse(job: ReadJob, raw: bytes, place: int) -> ParsedRecord:
    decoded_record = _record(raw, "all")
    record = decoded_record or _record(raw)
    if record is None:
        job.faults.add(place, "syntax", "the WARC record cannot be parsed")
        return ParsedRecord()
    id = record.headers.get("WARC-Target-URI") or record.record_id
    order = _order(job, record, place)
    found = _payload(decoded_record, raw, job.limit + 1)
    if found is None:
        job.faults.add(place, "truncated", "the content is compressed and damaged")
        return ParsedRecord(id, order=order)
    payload, is_whole = found
    if not is_whole:
        job.faults.add(place, "truncated", "the content is cut off; what is there is used")
    if len(payload) > job.limit:
        detail = f"the content unpacks to more than {job.limit:,} bytes"
        job.faults.add(place, "too-long", detail)
        return ParsedRecord(id, order=order)
    if refused := refusal(payload, is_text=True, what="record"):
        job.faults.add(place, *refused)
        return ParsedRecord(id, order=order)
    kind = _content_type(record)
    named: Named = None if kind == "" else "plain" if kind == "text/plain" else "page"
    decoded = decode(
        payload, hint=record.http_charset if record.is_http else None, html=named != "plain"
    )
    if decoded.broken:
        job.faults.add(place, "encoding", broken_characters(decoded.broken))
    return ParsedRecord(id, decoded.text, named, order, job.raw(payload))


def _order(job: ReadJob, record: Any, place: int) -> float:
    """What the documents are ordered by: the date, the status, or a named field of a header."""
    part, _, name = (job.options.order or "").partition(".")
    if part == "date":
        return order_of(job, record.headers.get("WARC-Date"), place)
    if part == "warc_headers":
        return order_of(job, record.headers.get(name), place)
    if part == "http_status" and record.is_http:
        return order_of(job, record.http_headers.status_code, place)
    if part == "http_headers" and record.is_http:
        return order_of(job, record.http_headers.get(name), place)
    return math.nan


def _named_fields(headers: Any) -> str:
    """All named fields as JSON; the values of a name that is there twice stand in a list."""
    fields: dict[str, Any] = {}
    for name, value in headers.astuples():
        if name in fields:
            earlier = fields[name]
            fields[name] = [*(earlier if isinstance(earlier, list) else [earlier]), value]
        else:
            fields[name] = value
    return without_surrogates(json.dumps(fields, ensure_ascii=False, separators=(",", ":")))
