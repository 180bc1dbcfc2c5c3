"""Which format of `FORMATS` a file has by its content, whatever its name."""

from __future__ import annotations

import re
from typing import cast

from twinset.documents.base import ARCHIVES, FORMATS, MAGIC, SUFFIXES, OfficeError, in_child

# The first bytes that tell a format.
_MAGIC = {b"%PDF-": "pdf", b"{\\rtf": "rtf"}
# What a ZIP archive is by the first of its files, or by the name of one of them.
_FIRST_ZIPPED = {
    b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet": "sheet",
    b"mimetypeapplication/vnd.oasis.opendocument.": "odf",
    b"mimetypeapplication/epub+zip": "epub",
}
_ZIPPED = {
    b"word/document": "docx",
    b"xl/workbook.": "sheet",
    b"ppt/presentation.": "pptx",
    b"META-INF/container.xml": "epub",
    b"META-INF/manifest.xml": "odf",
}
_FIELD = rb"[!-9;-~]{1,76}:[^\n]*\n(?:[ \t][^\n]*\n)*"
_HEADERS = re.compile(rb"(?:" + _FIELD + rb"){2,}(?=\r?\n|\Z)")
_MAILED = re.compile(
    rb"^(?:mime-version|received|return-path|message-id|content-transfer-encoding|delivered-to):",
    re.IGNORECASE | re.MULTILINE,
)
_FROM = re.compile(rb"^(?:from|sender|snapshot-content-location):", re.IGNORECASE | re.MULTILINE)
_MBOX = re.compile(rb"From \S+ +\w{3} \w{3} [ \d]\d \d\d:\d\d[^\n]*\n[!-9;-~]+:")
# Formats that are text and can be recognised only by the name of the file.
_NAMED: dict[str, str] = {
    ".eml": "letter",
    ".mht": "letter",
    ".mhtml": "letter",
    ".mbox": "mailbox",
    ".mbx": "mailbox",
}
_OLD = (".doc", ".dot", ".xls", ".xlt", ".ppt", ".pps")
_PICTURES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"II*\0", b"MM\0*")


def recognise(raw: bytes) -> str | None:
    """The name of the format in `FORMATS`; None where the content does not tell."""
    for magic, name in _MAGIC.items():
        if raw.startswith(magic):
            return name
    if raw.startswith(b"PK\x03\x04"):
        return _zipped(raw)
    if raw.startswith(MAGIC):
        kind = compound_format(raw)
        return kind if kind in FORMATS else None
    return None


def named_format(suffix: str) -> str | None:
    """The format that the suffix promises where the content does not tell; None if it is text.

    Programs export tables of HTML or text as ``.xls``, and notes are called ``.doc``.
    """
    return None if suffix in _OLD else SUFFIXES.get(suffix)


def may_be_document(glimpse: bytes) -> bool:
    """Whether a file may have a format of `FORMATS`, by its first bytes and its last ones."""
    return glimpse.startswith(MAGIC) or recognise(glimpse) is not None


def _zipped(raw: bytes) -> str | None:
    for mark, name in _FIRST_ZIPPED.items():
        if raw.startswith(mark, 30):
            return name
    names = zip_directory(raw)
    return next((name for member, name in _ZIPPED.items() if member in names), None)


def archive_kind(head: bytes, end: bytes, suffix: str) -> str | None:
    """Whether a file with these first bytes, unpacked, and last ones is a ``zip`` or a ``tar``."""
    if suffix not in ARCHIVES:
        return None
    if head.startswith(b"PK\x03\x04"):  # one that was cut short has no list of its members
        return "zip" if b"PK\x05\x06" in end and _zipped(head + end) is None else None
    return "tar" if head.startswith(b"ustar", 257) else None


def compound_format(raw: bytes) -> str | None:
    """The same of a compound file, or ``outlook`` for a letter."""
    from twinset.documents.compound import compound_kind

    try:
        return cast("str | None", in_child(compound_kind, (raw,), len(raw)))
    except OfficeError:
        return None


def is_picture(raw: bytes) -> bool:
    """Whether these are the bytes of a picture that OCR can read: PNG, JPEG or TIFF."""
    return raw.startswith(_PICTURES)


def zip_directory(raw: bytes) -> bytes:
    """The list of files at the end of a ZIP archive; all of it where that cannot be found.

    Archives that lie inside have lists of their own, which do not count.
    """
    end = raw.rfind(b"PK\x05\x06", max(0, len(raw) - 65_557))
    if end < 0:
        return raw
    size = int.from_bytes(raw[end + 12 : end + 16], "little")
    return raw[max(0, end - size) : end]


def mail_kind(head: bytes, suffix: str = "") -> str | None:
    """Whether a file with these first bytes, or of this suffix, is a letter or a mailbox."""
    if _MBOX.match(head):
        return "mailbox"
    block = _HEADERS.match(head)
    if block and _MAILED.search(block.group()) and _FROM.search(block.group()):
        return "letter"
    return _NAMED.get(suffix)
