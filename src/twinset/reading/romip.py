"""ROMIP collections: XML with base64 content, read as bytes, since real files are broken.

Known faults of real files: the last document cut off and the end tag missing; a docURL that is not
base64 and holds a bare ``&``. What is there is used, and the fault is reported.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from twinset.reading.base import FRAME, OTHER, ROW, Row
from twinset.reading.batches import order_of
from twinset.reading.formats import SIGNS
from twinset.reading.record_blocks import RecordBlock, marked_blocks
from twinset.reading.records import CutFormat, ParsedRecord, RawRecord
from twinset.reading.signatures import refusal
from twinset.reading.source import ReadJob
from twinset.reading.stream import ByteStream
from twinset.text.characters import unescaped
from twinset.text.encoding import broken_characters, decode

_END = b"</document>"
_BEGIN = re.compile(rb"<document(?:\s[^<>]*)?>")
_CLOSE = re.compile(rb"</(?:[\w.-]+:)?dataset\s*>")
_ENCODED = re.compile(rb"\sencoding\s*=\s*[\"']base64[\"']", re.IGNORECASE)
_NOT_BASE64 = re.compile(rb"[^A-Za-z0-9+/=\s]")
_PACKED = re.compile(rb"\s*[A-Za-z0-9+/=\r\n]{64,}\s*")
"""Content without a blank or a tag, longer than words are: base64, if it decodes to text."""
_BLANK, _CONTROLS = re.compile(rb"[\s<]"), re.compile(rb"[\x00-\x08\x0e-\x1f]")


@dataclass(frozen=True)
class Romip(CutFormat):
    """Documents of a ROMIP dataset; the content is HTML in any encoding."""

    suffixes: ClassVar[tuple[str, ...]] = SIGNS["romip"].suffixes
    sniff = staticmethod(SIGNS["romip"].sniff)

    def blocks(self, job: ReadJob, stream: ByteStream) -> Iterator[RecordBlock]:
        """Blocks that end behind a document."""
        return marked_blocks(stream, job.block_bytes, job.limit, _END)

    def cut(self, data: bytes) -> Iterator[RawRecord]:
        """The documents of a block, and the frame before, between and after them."""
        return cut(data)

    def parse(self, job: ReadJob, raw: bytes, place: int) -> ParsedRecord:
        """The document between two marks."""
        return _parse(job, raw, place)

    def fields(self, id: str | None, text: str, raw: bytes) -> Row:
        """Its id, url and text."""
        url = _element(raw, b"docURL")
        packed = None if url is None or _NOT_BASE64.search(url) else _from_base64(url)
        written = url if packed is None else packed
        return {"id": id, "url": decode(written).text.strip() if written else None, "text": text}


def cut(data: bytes) -> Iterator[RawRecord]:
    """The documents of a block, and the frame before, between and after them."""
    begin, end = 0, 0
    while begin < len(data):
        match = _BEGIN.search(data, begin)
        if not match:
            yield RawRecord(data[begin:], FRAME if data[begin:].strip() else OTHER)
            return
        if data[begin : match.start()].strip():
            yield RawRecord(data[begin : match.start()], FRAME)
            begin = match.start()
        if 0 <= end < match.end():  # behind many that are cut off stands one end, or none
            end = data.find(_END, match.end())
        another = _BEGIN.search(data, match.end(), end if end >= 0 else len(data))
        if another:  # cut off in the middle, and the next one begins
            yield _cut_off(data[begin : another.start()])
            begin = another.start()
        elif end < 0:
            yield from _last(data[begin:])
            return
        else:
            yield RawRecord(data[begin : end + len(_END)], ROW)
            begin = end + len(_END)


def _last(raw: bytes) -> Iterator[RawRecord]:
    """A document without end at the end of the data, apart from the end of the frame behind it."""
    close = _CLOSE.search(raw)
    yield _cut_off(raw[: close.start()] if close else raw)
    if close:
        yield RawRecord(raw[close.start() :], FRAME)


def _cut_off(raw: bytes) -> RawRecord:
    return RawRecord(raw, ROW, ("truncated", "the document is cut off; what is there is used"))


def _parse(job: ReadJob, raw: bytes, place: int) -> ParsedRecord:
    id = unescaped(decode(_element(raw, b"docID") or b"").text).strip() or None
    field = decode(_element(raw, (job.options.order or "").encode()) or b"").text.strip()
    order = order_of(job, field, place)
    url = _element(raw, b"docURL")
    if url and (_NOT_BASE64.search(url) or _from_base64(url) is None):
        job.faults.add(place, "syntax", "the docURL is not base64 and is passed over")
    content = _element(raw, b"content")
    if content is None:
        job.faults.add(place, "missing", "there is no content")
        return ParsedRecord(id, order=order)
    page = _page(job, raw, content, place)
    if page is None:
        return ParsedRecord(id, order=order)
    if refused := refusal(page, is_text=True, what="content"):
        job.faults.add(place, *refused)
        return ParsedRecord(id, order=order)
    decoded = decode(page, html=True)
    if decoded.broken:
        job.faults.add(place, "encoding", broken_characters(decoded.broken))
    return ParsedRecord(id, decoded.text, "page", order, job.raw(page))


def _element(raw: bytes, name: bytes) -> bytes | None:
    """The text between the tags of an element, or after the first where the data end."""
    if not name:
        return None
    match = re.search(rb"<" + re.escape(name) + rb"(?:\s[^<>]*)?>", raw)
    if not match:
        return None
    end = raw.find(b"</" + name, match.end())
    return raw[match.end() : end] if end >= 0 else raw[match.end() :]


def _page(job: ReadJob, raw: bytes, content: bytes, place: int) -> bytes | None:
    tag = re.search(rb"<content\b[^<>]*>", raw)
    if not tag or not _ENCODED.search(tag.group()):
        page = _from_base64(content) if _PACKED.fullmatch(content) else None
        if page and _BLANK.search(page) and not _CONTROLS.search(page):
            said = (
                'the content looks like base64, and is taken as it is: encoding="base64" is missing'
            )
            job.faults.add(place, "encoding", said, remedy="write it into the tag <content>")
        return unescaped(content.decode("latin-1")).encode("latin-1", "xmlcharrefreplace")
    page = _from_base64(content)
    if page is None:
        job.faults.add(place, "syntax", "the content is not base64")
    return page


def _from_base64(raw: bytes) -> bytes | None:
    """The decoded bytes; what is cut off at the end is decoded as far as it goes."""
    packed = re.sub(rb"[^A-Za-z0-9+/]", b"", raw)
    if len(packed) * 2 < len(raw.strip()):
        return None
    packed = packed[: len(packed) - 1] if len(packed) % 4 == 1 else packed
    try:
        return base64.b64decode(packed + b"=" * (-len(packed) % 4))
    except binascii.Error:
        return None
