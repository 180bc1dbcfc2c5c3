"""What one file of mail holds: letters, and what is attached to them, each a document of its own.

The file itself is the first document: a letter with its subject and body, or a mailbox, which has
no text of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Literal, NamedTuple

from twinset.reading.formats import mail_kind
from twinset.reading.mail.letter import DEEPEST_LETTERS, MOST_LETTERS, DistinctNames, Letter
from twinset.reading.mail.mime import letter_of
from twinset.reading.mail.msg import PROPERTIES, letter_of_outlook
from twinset.reading.office.base import OfficeError
from twinset.reading.office.compound import MAGIC, CompoundFile
from twinset.reading.signs import MAIL

MailFormat = Literal["letter", "mailbox", "outlook"]
_HEAD = 1 << 16
_BETWEEN = re.compile(rb"(?:\A|(?<=\n\n)|(?<=\n\r\n))From [^\n]*\n(?=[!-9;-~]+:)")
_QUOTED = re.compile(rb"^>(>*From )", re.MULTILINE)


class MailDocument(NamedTuple):
    """A document of a file of mail.

    ``part`` is None for the file itself. ``letter`` is there for letters; ``raw`` are the bytes of
    an attachment, None where there are none of its own. ``faults`` are kinds and sentences.
    """

    part: str | None
    letter: Letter | None
    raw: bytes | None
    faults: tuple[tuple[str, str], ...] = ()


def mail_format(raw: bytes, suffix: str) -> MailFormat | None:
    """Which format of mail these bytes are, by content or by suffix; None for anything else."""
    if raw.startswith(MAGIC):
        try:
            return "outlook" if PROPERTIES in CompoundFile(raw) else None
        except OfficeError:
            return "outlook" if suffix == ".msg" else None
    return mail_kind(raw[:_HEAD], suffix)


def inside(raw: bytes, format: MailFormat) -> Iterator[MailDocument]:
    """The documents of a file of mail, the file itself first; always the same ones."""
    documents = _mailbox(raw) if format == "mailbox" else _letter(raw, format, None, 0)
    for number, document in enumerate(documents):
        if number >= MOST_LETTERS:
            bound = ("too-long", f"the file holds over {MOST_LETTERS:,} letters and attachments")
            yield MailDocument("further ones", None, None, (bound,))
            return
        yield document


def _mailbox(raw: bytes) -> Iterator[MailDocument]:
    yield MailDocument(None, None, raw)
    starts = list(_BETWEEN.finditer(raw))
    for number, start in enumerate(starts, 1):
        end = starts[number].start() if number < len(starts) else len(raw)
        letter = _QUOTED.sub(rb"\1", raw[start.end() : end])
        yield from _letter(letter, "letter", f"message {number}", 0)


def _letter(raw: bytes, format: MailFormat, part: str | None, depth: int) -> Iterator[MailDocument]:
    try:
        letter = letter_of_outlook(raw) if format == "outlook" else letter_of(raw)
    except OfficeError as fault:
        yield MailDocument(part, None, raw, ((fault.kind, str(fault)),))
        return
    yield from _opened(letter, raw, part, depth)


def _opened(
    letter: Letter, raw: bytes | None, part: str | None, depth: int
) -> Iterator[MailDocument]:
    names = DistinctNames()
    for attachment in letter.attachments:
        attachment.name = names.distinct(attachment.name)
    yield MailDocument(part, letter, raw, tuple(letter.faults))
    for attachment in letter.attachments:
        place = attachment.name if part is None else f"{part}/{attachment.name}"
        suffix = PurePosixPath(attachment.name).suffix.lower()
        format: MailFormat | None = "letter" if attachment.is_letter else None
        if not suffix or suffix in MAIL:  # a letter that is called .txt is a text
            format = format or mail_format(attachment.raw, suffix)
        if attachment.letter is None and format not in ("letter", "outlook"):
            yield MailDocument(place, None, attachment.raw)
        elif depth >= DEEPEST_LETTERS:
            bound = f"letters are attached to one another over {DEEPEST_LETTERS} times"
            yield MailDocument(place, None, attachment.raw, (("syntax", bound),))
        elif attachment.letter is not None:
            yield from _opened(attachment.letter, None, place, depth + 1)
        else:
            yield from _letter(attachment.raw, format or "letter", place, depth + 1)
