"""The bytes of a plain file, as far as they are needed, and the text that they hold."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from typing import TYPE_CHECKING, NamedTuple

from twinset.documents.base import (
    ARCHIVES,
    NOTED,
    SUFFIXES,
    OfficeError,
    document_text,
    plain_text,
)
from twinset.documents.recognise import (
    archive_kind,
    is_picture,
    mail_kind,
    may_be_document,
    named_format,
    recognise,
)
from twinset.reading.cleaning import as_text
from twinset.reading.compression import HEAD as FIRST
from twinset.reading.compression import compression_of, head_of_packed
from twinset.reading.formats import suffix_of
from twinset.reading.signatures import HTML, PLAIN, refusal
from twinset.reading.source import ReadJob
from twinset.reading.stream import ByteStream, CountedFile, bounds_of, chunks, open_stream
from twinset.system.places import open_place, size_of
from twinset.system.remote import Place
from twinset.text.encoding import broken_characters, byte_order_mark, decode
from twinset.text.pages import HEAD, Named, is_page

if TYPE_CHECKING:
    from twinset.documents.mailbox import InnerDocument
    from twinset.documents.mime import Letter

GLIMPSE = 1 << 20
"""Of a longer file so many bytes are looked at first, with its head: what has no text stays unread.

The list of files in a ZIP archive, which tells a document from an archive, is at its end.
"""


class NoTextError(OfficeError):
    """A file of a format that is no document, or that no reader is there for."""


class FileContent(NamedTuple):
    """The unpacked bytes of a file, or only some of its bytes where these are not ``is_whole``.

    ``is_long_mailbox`` or ``archive`` (of which kind): none of them, since it is to be read letter
    by letter or member by member.
    """

    raw: bytes = b""
    is_whole: bool = False
    is_packed: bool = False
    is_long_mailbox: bool = False
    archive: str | None = None


def content_of(job: ReadJob, path: Place) -> FileContent:
    """The content of a file; raises where it cannot be read or is too long."""
    try:
        content = _unpacked(job, path)
    except OSError as fault:
        raise OfficeError("unreadable", f"cannot be read ({fault.strerror or fault})") from None
    if len(content.raw) > job.limit:
        raise _too_long(job)
    return content


def _too_long(job: ReadJob) -> OfficeError:
    return OfficeError("too-long", f"the file is longer than {job.limit:,} bytes")


def documents_inside(
    job: ReadJob, content: FileContent, path: Place
) -> Iterator[InnerDocument] | None:
    """The documents of mail or an archive; None for other files, and where the end was not read."""
    if content.is_long_mailbox or content.archive:
        return _one_by_one(job, path, content.archive)
    suffix = suffix_of(path)
    if suffix in PLAIN or not (content.is_whole or content.is_packed):
        return None
    from twinset.documents.mailbox import inside, mail_format

    format = mail_format(content.raw, suffix)
    return None if format is None else inside(content.raw, format)


def _one_by_one(job: ReadJob, path: Place, archive: str | None) -> Iterator[InnerDocument]:
    """The documents of an archive of this kind, or of a mailbox."""
    from twinset.documents.archive import tar_members, zip_members
    from twinset.documents.mailbox import InnerDocument, inside_long

    try:
        with open_place(path, bounds_of(job), buffering=-1) as file:
            packing, size = compression_of(file.read(FIRST)), size_of(file) or 0
            if archive == "zip":
                file.seek(0)
                for _ in chunks(CountedFile(file, job)):  # for the digest of the whole file
                    pass
                yield from zip_members(file, size, job.limit)
                return
        with closing(open_stream(job, path, packing)) as stream:
            if archive == "tar":
                yield from tar_members(chunks(stream), size, job.limit)
            else:
                yield from inside_long(chunks(stream), job.limit)
    except OSError as fault:
        detail = f"cannot be read to its end ({fault.strerror or fault})"
        yield InnerDocument("further ones", None, None, (("unreadable", detail),))


def text_of(job: ReadJob, raw: bytes, path: Place, number: int) -> str:
    """The text of a document; raises `NoTextError` where there is none, or no reader for it."""
    where, suffix = str(path), suffix_of(path)
    if office := recognise(raw):
        return _office_text(job, raw, office, where)
    if job.options.ocr != "no" and is_picture(raw):
        return _office_text(job, raw, "picture", where)
    if refused := refusal(raw, suffix, suffix in PLAIN):
        if suffix in SUFFIXES and (refused[0] == "binary" or raw.startswith(b"PK")):
            return _office_text(job, raw, SUFFIXES[suffix], where)  # which says what is damaged
        raise NoTextError(*refused)
    if format := named_format(suffix):
        if not raw:  # which a download or a full disk leaves behind
            raise OfficeError("empty", "the file is empty")
        return _office_text(job, raw, format, where)
    named: Named = "page" if suffix in HTML else "plain" if suffix in PLAIN else None
    decoded = decode(raw, html=is_page(raw[:HEAD].decode("latin-1"), named))
    if decoded.broken:
        detail = broken_characters(decoded.broken)
        job.faults.add(None, "encoding", detail, where)
    elif decoded.encoding.startswith("utf-16") and not byte_order_mark(raw):
        detail = f"the file has no byte order mark; it is read as {decoded.encoding}"
        job.faults.add(None, "encoding", detail, where)
    if suffix in NOTED and not is_page(decoded.text, named):
        return plain_text(NOTED[suffix], decoded.text)
    return as_text(job, decoded.text, number, named)


def letter_text(job: ReadJob, letter: Letter, place: int, where: str) -> str:
    """Subject and body, pages as text; names of people, addresses and dates are not part of it."""
    texts = [letter.subject]
    for piece in letter.body:
        decoded = decode(piece.raw, hint=piece.encoding, html=piece.is_page)
        if decoded.broken:
            job.faults.add(None, "encoding", broken_characters(decoded.broken), where)
        named: Named = "page" if piece.is_page else "plain"
        texts.append(as_text(job, decoded.text.replace("\r\n", "\n"), place, named))
    return "\n".join(text.strip() for text in texts if text.strip()) + letter.enclosures()


def _office_text(job: ReadJob, raw: bytes, format: str, where: str) -> str:
    content = document_text(format, raw, job.limit, job.options.ocr, job.options.paged)
    for fault in content.faults:
        job.faults.add(None, *fault, where)
    return content.text


def _unpacked(job: ReadJob, path: Place) -> FileContent:
    """The unpacked bytes, at most one more than the limit; less of what has no text anyway."""
    with open_place(path, bounds_of(job)) as file:
        head = file.read(FIRST)
        packing = compression_of(head)
        size = size_of(file)
        by_ocr = job.options.ocr != "no" and is_picture(head)
        suffix = suffix_of(path)
        if suffix in ARCHIVES and size is not None:
            file.seek(max(0, size - GLIMPSE))
            inner = head_of_packed(head, packing, FIRST) if packing else head
            if kind := archive_kind(inner, file.read(GLIMPSE), suffix):
                return FileContent(archive=kind)
        if size is not None and size > GLIMPSE and not packing and not by_ocr:
            file.seek(-GLIMPSE, os.SEEK_END)
            glimpse = head + file.read(GLIMPSE)
            is_document = may_be_document(glimpse) or mail_kind(head, suffix)
            if not is_document and refusal(glimpse, suffix, suffix in PLAIN):
                return FileContent(glimpse)
    if size is not None and size > job.limit and not packing:
        if mail_kind(head, suffix) == "mailbox":
            return FileContent(is_long_mailbox=True)
        raise _too_long(job)
    stream = open_stream(job, path, packing)
    try:
        if not packing and size is not None:
            return FileContent(_up_to(stream, min(size, job.limit) + 1), is_whole=True)
        raw = _up_to_limit(job, stream)
        return FileContent(raw, is_whole=not packing, is_packed=bool(packing))
    finally:
        stream.close()


def _up_to_limit(job: ReadJob, stream: ByteStream) -> bytes:
    """The bytes of a stream of unknown length, at most one more than the limit."""
    parts, total = [], 0
    while total <= job.limit and (part := _up_to(stream, min(1 << 20, job.limit + 1 - total))):
        parts.append(part)
        total += len(part)
    return b"".join(parts)


def _up_to(stream: ByteStream, size: int) -> bytes:
    buffer = bytearray(size)
    with memoryview(buffer) as view:
        count = stream.readinto(view)
    del buffer[count:]
    return bytes(buffer)
