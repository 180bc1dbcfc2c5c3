"""Letters in MIME, as EML files and the messages of a mailbox are, by Python's ``email``.

They are taken apart in the process for documents (`base.in_child`), which bounds what a letter of a
million parts may take. Of a choice of bodies the plain one is taken, or the page where that is
empty.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from email import message_from_bytes
from email.errors import MessageError
from email.header import decode_header
from email.message import Message
from email.policy import Compat32
from hashlib import blake2b
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from twinset.documents.base import OfficeError
from twinset.text.encoding import decode

MOST_PARTS = 10_000
"""Parts of one letter."""
DEEPEST_LETTERS = 8
"""Letters attached to letters attached to letters."""
_LONGEST_NAME = 120
_UNSAFE = re.compile(r"[\x00-\x1f\x7f/\\]+")
_FOLD = re.compile(r"\r?\n[ \t]+")
_SIGNATURES = (
    "application/pgp-signature",
    "application/pkcs7-signature",
    "application/x-pkcs7-signature",
    "application/pgp-encrypted",
)


class BodyPart(NamedTuple):
    """Bytes of a body, the encoding they are declared to have, and whether they are a page."""

    raw: bytes
    encoding: str | None
    is_page: bool

    @property
    def is_blank(self) -> bool:
        """Whether there is nothing in it."""
        return not self.raw.strip()


@dataclass
class Attachment:
    """A file that a letter brings: its bytes, and a letter that it brings taken apart."""

    name: str
    raw: bytes = b""
    letter: Letter | None = None


@dataclass
class Letter:
    """What a letter says and brings; ``faults`` are kinds and sentences."""

    subject: str = ""
    body: list[BodyPart] = field(default_factory=list)
    attachments: list[Attachment] = field(default_factory=list)
    faults: list[tuple[str, str]] = field(default_factory=list)

    def enclosures(self) -> str:
        """A line for each attachment, with a mark of its content.

        Letters that say the same and bring other files are not the same: whoever removes one of
        them would lose its files.
        """
        return "".join(f"\n{_mark(attachment)}" for attachment in self.attachments)


def _mark(attachment: Attachment) -> str:
    if attachment.letter is not None and not attachment.raw:
        return f"+ {attachment.name}"
    digest = blake2b(attachment.raw, digest_size=4).hexdigest()
    return f"+ {attachment.name} ({len(attachment.raw)} bytes, {digest})"


def file_name(name: str | None, number: int, suffix: str = "") -> str:
    """A name that can stand in a path: that of the sender, or one by number."""
    clean = _UNSAFE.sub("_", name or "").strip(" .")
    if not clean or clean == "_":
        return f"attachment {number}{suffix}"
    path = PurePosixPath(clean)
    kept = path.suffix if len(path.suffix) <= 16 else ""
    return path.name[: len(path.name) - len(kept)][:_LONGEST_NAME] + kept


class DistinctNames:
    """Makes the names of one folder distinct: ``a.txt``, ``a (2).txt``."""

    def __init__(self) -> None:
        self._count: dict[str, int] = {}

    def distinct(self, name: str) -> str:
        """This name, or one with a number if it is taken."""
        path = PurePosixPath(name)
        shown = name
        while shown in self._count:
            self._count[name] += 1
            shown = str(path.with_name(f"{path.stem} ({self._count[name]}){path.suffix}"))
        self._count[shown] = 1
        return shown


class _Headers(Compat32):
    """Values on one line, with the bytes beyond ASCII that they may hold decoded."""

    def header_fetch_parse(self, name: str, value: Any) -> str:
        raw = value.encode("ascii", "surrogateescape")
        return _FOLD.sub(" ", raw.decode("ascii") if raw.isascii() else decode(raw).text)


_POLICY = _Headers()


def letter_of(raw: bytes) -> Letter:
    """A letter out of its bytes; raises `OfficeError` where it has too many parts."""
    message = message_from_bytes(raw, policy=_POLICY)
    if any(number > MOST_PARTS for number, _ in enumerate(message.walk())):
        raise OfficeError("too-long", f"the letter has over {MOST_PARTS:,} parts")
    return _letter(message)


def _letter(message: Message) -> Letter:
    letter = Letter(_decoded_words(message.get("subject", "")))
    letter.body = _body(message, letter)
    return letter


def _body(part: Any, letter: Letter, within: str = "") -> list[BodyPart]:
    """What a part says; the files that it brings are added to the letter."""
    kind = part.get_content_type()
    if kind.startswith("multipart/") and part.is_multipart():
        return _chosen(kind, [_body(inner, letter, kind) for inner in part.get_payload()])
    name = _decoded_words(part.get_filename() or "")
    if kind == "message/rfc822" and part.is_multipart():
        inner = part.get_payload(0)
        opened = _letter(inner)
        _attach(letter, name or f"{opened.subject or 'message'}.eml", inner.as_bytes(), opened)
        return []
    raw = part.as_bytes() if part.is_multipart() else part.get_payload(decode=True) or b""
    is_asked_for = part.get_content_disposition() == "attachment"
    if kind in ("text/plain", "text/html") and not name and not is_asked_for:
        return [BodyPart(raw, part.get_content_charset(), kind == "text/html")]
    # Pictures inside a page, style sheets and signatures are not what the letter brings.
    is_shown = within == "multipart/related" or kind.startswith("image/")
    if (is_asked_for or (name and not is_shown)) and kind not in _SIGNATURES:
        _attach(letter, name, raw)
    return []


def _attach(letter: Letter, name: str, raw: bytes, inner: Letter | None = None) -> None:
    number = len(letter.attachments) + 1
    letter.attachments.append(Attachment(file_name(name, number), raw, inner))


def _chosen(kind: str, bodies: list[list[BodyPart]]) -> list[BodyPart]:
    """What the parts inside one say together."""
    if kind == "multipart/alternative":
        spoken = [body for body in bodies if not all(piece.is_blank for piece in body)]
        plain = [body for body in spoken if not body[0].is_page]
        return plain[0] if plain else spoken[-1] if spoken else []
    if kind == "multipart/related":
        return next(filter(None, bodies), [])
    return [piece for body in bodies for piece in body]


def _decoded_words(value: str) -> str:
    """A header value with its encoded words (``=?utf-8?Q?...?=``) decoded."""
    try:
        pieces = decode_header(value)
    except (ValueError, MessageError):
        return value
    return "".join(
        piece if isinstance(piece, str) else decode(piece, hint=charset).text
        for piece, charset in pieces
    )
