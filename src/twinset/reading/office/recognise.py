"""Which format of `FORMATS` a file has by its content, whatever its name."""

from __future__ import annotations

# The first bytes that tell a format.
_MAGIC = {b"%PDF-": "pdf"}
_PICTURES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"II*\0", b"MM\0*")
# What a ZIP archive is by the name of one of its files.
_ZIPPED = {b"word/document.xml": "docx"}


def recognise(raw: bytes) -> str | None:
    """The name of the format in `FORMATS`; None where the content does not tell."""
    for magic, name in _MAGIC.items():
        if raw.startswith(magic):
            return name
    if raw.startswith(b"PK\x03\x04"):
        names = zip_directory(raw)
        return next((name for member, name in _ZIPPED.items() if member in names), None)
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
