"""Letters in MIME, as EML files and the messages of a mailbox are.

Parts are found by their boundaries as bytes, without a tree of objects: a letter of a million parts
or a thousand levels costs no more than its bounds allow. Of a choice of bodies the plain one is
taken, or the page where that is empty.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from email.errors import MessageError
from email.header import decode_header
from email.message import Message
from hashlib import blake2b
from pathlib import PurePosixPath
from typing import NamedTuple

from twinset.text.encoding import decode

MOST_PARTS = 10_000
"""Parts of one letter."""
DEEPEST_PARTS = 32
"""Levels of parts inside one another."""
DEEPEST_LETTERS = 8
"""Letters attached to letters attached to letters."""
_LONGEST_NAME = 120
_UNSAFE = re.compile(r"[\x00-\x1f\x7f/\\]+")


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
    """A file that a letter brings; or a letter that it brings, as its bytes or taken apart."""

    name: str
    raw: bytes = b""
    is_letter: bool = False
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
    if attachment.letter is not None:
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
            shown = f"{path.stem} ({self._count[name]}){path.suffix}"
        self._count[shown] = 1
        return shown


MOST_HEADER_BYTES = 1 << 18
MOST_VALUE = 4000
"""Characters of one header line; more is cut."""
_MOST_PARAMETERS = 100
"""Parameters of a type or a disposition; to look for one takes their number squared."""
_BLANK = re.compile(rb"\r?\n\r?\n|\A\r?\n")
_FIELD = re.compile(rb"^([!-9;-~]{1,76}):((?:[^\n]|\n[ \t])*)", re.MULTILINE)
_FOLD = re.compile(r"\r?\n[ \t]+")
_SIGNATURES = (
    "application/pgp-signature",
    "application/pkcs7-signature",
    "application/x-pkcs7-signature",
    "application/pgp-encrypted",
)
_NOT_BASE64 = re.compile(rb"[^A-Za-z0-9+/]+")


class Entity(NamedTuple):
    """A part: the headers that matter, by lower-case name, and what follows them, still encoded."""

    headers: dict[str, str]
    content: bytes

    @classmethod
    def of(cls, raw: bytes) -> Entity:
        """Headers and content; without headers all is content."""
        end = _BLANK.search(raw)
        block = raw[: end.start()] if end else raw
        if not _FIELD.match(block[:2000]):
            return cls({}, raw if not end or end.start() else raw[end.end() :])
        headers: dict[str, str] = {}
        for match in _FIELD.finditer(block[:MOST_HEADER_BYTES]):
            name = match[1].decode("ascii").lower()
            if name not in headers:
                headers[name] = _FOLD.sub(" ", _text(match[2][:MOST_VALUE])).strip()
        return cls(headers, raw[end.end() :] if end else b"")

    def message(self) -> Message:
        """The type and the disposition, to be asked for their parameters."""
        message = Message()
        for name in ("content-type", "content-disposition"):
            if name in self.headers:
                parameters = self.headers[name].split(";", _MOST_PARAMETERS)
                message[name] = ";".join(parameters[:_MOST_PARAMETERS])
        return message

    def decoded(self) -> bytes:
        """The content without its transfer encoding; broken base64 as far as it goes."""
        encoding = self.headers.get("content-transfer-encoding", "").strip().lower()
        if encoding == "base64":
            return _from_base64(self.content)
        if encoding == "quoted-printable":
            return binascii.a2b_qp(self.content)
        return self.content


@dataclass
class _Gathered:
    """What a part and the parts in it bring."""

    body: list[BodyPart] = field(default_factory=list)
    attachments: list[Attachment] = field(default_factory=list)


def letter_of(raw: bytes) -> Letter:
    """A letter out of its bytes; what is beyond a bound is left out, and said in its faults."""
    entity = Entity.of(raw)
    letter = Letter(subject_of(entity))
    gathered = _Walk(letter).gather(entity, 0)
    letter.body, letter.attachments = gathered.body, gathered.attachments
    return letter


def subject_of(entity: Entity) -> str:
    """The subject, its encoded words decoded."""
    return _decoded_words(entity.headers.get("subject", ""))


class _Walk:
    """Goes through the parts of one letter, and counts them."""

    def __init__(self, letter: Letter) -> None:
        self._letter = letter
        self._parts = self._files = 0

    def gather(self, entity: Entity, depth: int, within: str = "") -> _Gathered:
        message = entity.message()
        kind = message.get_content_type()
        if within == "multipart/digest" and "content-type" not in entity.headers:
            kind = "message/rfc822"
        boundary = message.get_param("boundary")
        if kind.startswith("multipart/") and isinstance(boundary, str) and boundary.strip():
            if depth >= DEEPEST_PARTS:
                self._fault("damaged", f"the letter nests over {DEEPEST_PARTS} parts")
                return _Gathered()
            parts = list(self._split(entity.content, boundary.strip()))
            return self._joined(kind, [self.gather(part, depth + 1, kind) for part in parts])
        return self._leaf(entity, message, kind, within)

    def _split(self, content: bytes, boundary: str) -> Iterator[Entity]:
        mark = re.escape(boundary.encode("utf-8", "surrogateescape"))
        begin: int | None = None
        for match in re.finditer(
            rb"^--" + mark + rb"(--)?[ \t]*\r?(?:\n|\Z)", content, re.MULTILINE
        ):
            if begin is not None and not self._counted():
                return
            if begin is not None:
                yield Entity.of(content[begin : match.start()])
            if match[1]:
                return
            begin = match.end()
        if begin is not None and self._counted():
            yield Entity.of(content[begin:])  # its end is missing

    def _counted(self) -> bool:
        self._parts += 1
        if self._parts > MOST_PARTS:
            self._fault("too-long", f"the letter has over {MOST_PARTS:,} parts")
        return self._parts <= MOST_PARTS

    def _fault(self, kind: str, sentence: str) -> None:
        if (kind, sentence) not in self._letter.faults:
            self._letter.faults.append((kind, sentence))

    def _joined(self, kind: str, inner: list[_Gathered]) -> _Gathered:
        together = _Gathered([], [file for each in inner for file in each.attachments])
        if kind == "multipart/alternative":
            bodies = [each.body for each in inner]
            plain = [body for body in bodies if _has_words(body) and not body[0].is_page]
            pages = [body for body in bodies if _has_words(body)]
            together.body = plain[0] if plain else pages[-1] if pages else []
        elif kind == "multipart/related":
            together.body = next((each.body for each in inner if each.body), [])
        else:
            together.body = [piece for each in inner for piece in each.body]
        return together

    def _leaf(self, entity: Entity, message: Message, kind: str, within: str) -> _Gathered:
        disposition = message.get_content_disposition()
        name = _decoded_words(message.get_filename() or "")
        is_attached = disposition == "attachment" or bool(name)
        if kind == "message/rfc822":
            content = entity.decoded()
            title = name or f"{subject_of(Entity.of(content)) or 'message'}.eml"
            return self._attached(title, content, is_letter=True)
        if kind in ("text/plain", "text/html") and not is_attached:
            charset = message.get_content_charset()
            return _Gathered([BodyPart(entity.decoded(), charset, kind == "text/html")])
        # Pictures inside a page, style sheets and signatures are not what the letter brings.
        is_wrapping = within == "multipart/related" and disposition != "attachment"
        is_picture = kind.startswith("image/") and disposition != "attachment"
        if not is_attached or is_wrapping or is_picture or kind in _SIGNATURES:
            return _Gathered()
        return self._attached(name, entity.decoded())

    def _attached(self, name: str, raw: bytes, is_letter: bool = False) -> _Gathered:
        self._files += 1
        name = file_name(name, self._files, ".eml" if is_letter else "")
        return _Gathered([], [Attachment(name, raw, is_letter)])


def _has_words(body: list[BodyPart]) -> bool:
    return any(not piece.is_blank for piece in body)


def _from_base64(content: bytes) -> bytes:
    letters = _NOT_BASE64.sub(b"", content)
    whole = letters[: len(letters) // 4 * 4]
    rest = letters[len(whole) :]
    padded = rest + b"=" * (4 - len(rest)) if len(rest) > 1 else b""
    return binascii.a2b_base64(whole + padded)


def _text(raw: bytes) -> str:
    """The text of a header line, which may hold bytes beyond ASCII."""
    return raw.decode("ascii") if raw.isascii() else decode(raw).text


def _decoded_words(value: str) -> str:
    """A header value with its encoded words (``=?utf-8?Q?...?=``) decoded."""
    # Behind the last end there is no such word, only beginnings that would each be followed up.
    words, end, rest = value.rpartition("?=")
    if "=?" not in words:
        return value
    try:
        pieces = decode_header(words + end)
    except (ValueError, MessageError):
        return value
    decoded = (
        piece if isinstance(piece, str) else decode(piece, hint=charset).text
        for piece, charset in pieces
    )
    return "".join([*decoded, rest])
