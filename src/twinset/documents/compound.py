"""Compound files (OLE), the folders in one file that DOC, XLS, PPT and MSG are made of.

The package ``olefile`` reads them. It believes what a file says of its sizes, and is asked only in
the process for documents (`base.in_child`).
"""

from __future__ import annotations

import io

from olefile import STGTY_STREAM, OleFileIO

from twinset.documents.base import OfficeError

LETTER = "__properties_version1.0"
"""The stream that every letter of Outlook has, and every letter and attachment in it."""
# What a compound file is by the name of a stream at its top.
_KINDS = {
    "WordDocument": "doc",
    "PowerPoint Document": "ppt",
    "Workbook": "sheet",
    "Book": "sheet",
    "EncryptedPackage": "protected",
    LETTER: "outlook",
}


def opened(raw: bytes) -> OleFileIO:
    """The compound file of these bytes."""
    return OleFileIO(io.BytesIO(raw))


def compound_kind(raw: bytes) -> str | None:
    """The name of its format in `FORMATS`, or ``outlook``; None for any other compound file."""
    file = opened(raw)
    return next((kind for name, kind in _KINDS.items() if file.exists(name)), None)


def stream_of(file: OleFileIO, *path: str) -> bytes:
    """The bytes of a stream; a fault where it is not there, or shorter than it should be."""
    if file.get_type(path) != STGTY_STREAM:
        raise damaged()
    content: bytes = file.openstream(path).read()
    if len(content) < file.get_size(path):
        raise damaged()
    return content


def damaged() -> OfficeError:
    """The fault of a compound file that does not hold together."""
    return OfficeError("damaged", "the old Office file is damaged")
