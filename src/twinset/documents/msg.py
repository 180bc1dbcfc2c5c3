"""Letters of Outlook (MSG): properties in the streams of a compound file ([MS-OXMSG])."""

from __future__ import annotations

import struct

from olefile import OleFileIO

from twinset.documents.compound import LETTER, opened, stream_of
from twinset.documents.mime import DEEPEST_LETTERS, Attachment, BodyPart, Letter, file_name
from twinset.text.encoding import decode

_STREAM = "__substg1.0_"
_ATTACHMENT = "__attach_version1.0_#"
_SUBJECT, _BODY, _PAGE, _RTF = 0x0037, 0x1000, 0x1013, 0x1009
_DATA, _LONG_NAME, _SHORT_NAME, _TITLE = 0x3701, 0x3707, 0x3704, 0x3001
_CONTENT_ID, _MIME_TYPE = 0x3712, 0x370E
_EMPTY_RTF = 250  # bytes of packed RTF that says nothing
_ENCODINGS = (0x3FDE, 0x3FFD)
_WIDE, _NARROW, _BYTES, _FOLDER = "001F", "001E", "0102", "000D"


def letter_of_outlook(raw: bytes) -> Letter:
    """A letter out of the bytes of an MSG file; raises `OfficeError` where they are damaged."""
    file = opened(raw)
    stream_of(file, LETTER)  # or it is no letter
    return _Folder(file, (), 32).letter(0)


class _Folder:
    """The properties of a letter or an attachment, by number."""

    def __init__(self, file: OleFileIO, path: tuple[str, ...], header: int) -> None:
        self._file, self._path = file, path
        self._encoding = self._declared(header)

    def letter(self, depth: int) -> Letter:
        """What the folder says as a letter."""
        letter = Letter(self._string(_SUBJECT), self._body())
        if not letter.body and len(self._bytes(_RTF)) > _EMPTY_RTF:
            detail = "the text of the letter is RTF, which is not read: save it as .eml"
            letter.faults.append(("no-text", detail))
        folders = self._file.listdir(streams=False, storages=True)
        names = [name for *path, name in folders if tuple(path) == self._path]
        names = sorted(name for name in names if name.startswith(_ATTACHMENT))
        for number, name in enumerate(names, 1):
            folder = _Folder(self._file, (*self._path, name), 8)
            if attachment := folder.attachment(number, depth):
                letter.attachments.append(attachment)
        return letter

    def attachment(self, number: int, depth: int) -> Attachment | None:
        """What the folder says as an attachment; None for a picture inside the page."""
        name = self._string(_LONG_NAME) or self._string(_SHORT_NAME) or self._string(_TITLE)
        inner = f"{_STREAM}{_DATA:04X}{_FOLDER}"
        if self._has(inner):
            if not self._has(inner, LETTER) or depth >= DEEPEST_LETTERS:
                return Attachment(file_name(name, number))
            letter = _Folder(self._file, (*self._path, inner), 24).letter(depth + 1)
            title = file_name(letter.subject or name, number)
            return Attachment(f"{title}.msg", letter=letter)
        if self._string(_CONTENT_ID) and self._string(_MIME_TYPE).startswith("image/"):
            return None
        return Attachment(file_name(name, number), self._bytes(_DATA))

    def _body(self) -> list[BodyPart]:
        plain = self._string(_BODY)
        if plain.strip():
            return [BodyPart(plain.encode(), "utf-8", is_page=False)]
        page = self._bytes(_PAGE) or self._string(_PAGE).encode()
        return [BodyPart(page, self._encoding, is_page=True)] if page.strip() else []

    def _bytes(self, property: int) -> bytes:
        return self._read(f"{_STREAM}{property:04X}{_BYTES}")

    def _string(self, property: int) -> str:
        wide, narrow = (f"{_STREAM}{property:04X}{kind}" for kind in (_WIDE, _NARROW))
        if self._has(wide):
            return self._read(wide).decode("utf-16-le", "replace").rstrip("\0")
        return decode(self._read(narrow).rstrip(b"\0"), hint=self._encoding).text

    def _declared(self, header: int) -> str | None:
        """The encoding of strings that are not in Unicode."""
        table = self._read(LETTER)[header:]
        values = {
            tag >> 16: value
            for tag, _, value in struct.iter_unpack("<IIQ", table[: len(table) // 16 * 16])
        }
        page = next((values[number] for number in _ENCODINGS if values.get(number)), None)
        return None if page is None else "utf-8" if page == 65001 else f"cp{page & 0xFFFF}"

    def _has(self, *path: str) -> bool:
        return bool(self._file.exists((*self._path, *path)))

    def _read(self, name: str) -> bytes:
        return stream_of(self._file, *self._path, name) if self._has(name) else b""
