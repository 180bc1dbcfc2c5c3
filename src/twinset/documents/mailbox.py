"""What one file of mail holds: letters, and what is attached to them, each a document of its own.

The file itself is the first document: a letter with its subject and body, or a mailbox, which has
no text of its own. A mailbox may be larger than memory: it is read letter by letter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import NamedTuple

from twinset.documents.base import MAGIC, MAIL, OfficeError, in_child
from twinset.documents.mime import DEEPEST_LETTERS, DistinctNames, Letter, letter_of
from twinset.documents.msg import letter_of_outlook
from twinset.documents.recognise import compound_format, mail_kind

_HEAD = 1 << 16
_LONGEST_BEGIN = 1 << 16
_BETWEEN = re.compile(rb"(?:\A|(?<=\n\n)|(?<=\n\r\n))From [^\n]*\n(?=[!-9;-~]+:)")
_QUOTED = re.compile(rb"^>(>*From )", re.MULTILINE)


class InnerDocument(NamedTuple):
    """A document of a file that holds several: of mail, or of an archive.

    ``part`` is None for the file itself. ``letter`` is there for letters; ``raw`` are the bytes of
    an attachment or a member, None where there are none of its own. ``faults`` are kinds and
    sentences.
    """

    part: str | None
    letter: Letter | None
    raw: bytes | None
    faults: tuple[tuple[str, str], ...] = ()


def mail_format(raw: bytes, suffix: str) -> str | None:
    """Which format of mail these bytes are, by content or by suffix; None for anything else."""
    if raw.startswith(MAGIC):
        kind = compound_format(raw) or (suffix == ".msg" and "outlook")
        return "outlook" if kind == "outlook" else None
    return mail_kind(raw[:_HEAD], suffix)


def inside(raw: bytes, format: str) -> Iterator[InnerDocument]:
    """The documents of a file of mail, the file itself first; always the same ones."""
    if format == "mailbox":
        yield InnerDocument(None, None, raw)
        yield from _messages(iter([raw]), len(raw))
    else:
        yield from _letter(raw, format, None, 0)


def inside_long(chunks: Iterator[bytes], limit: int) -> Iterator[InnerDocument]:
    """The same documents of a mailbox of any length; a letter beyond the limit is a fault."""
    yield InnerDocument(None, None, None)
    yield from _messages(chunks, limit)


def _messages(chunks: Iterator[bytes], limit: int) -> Iterator[InnerDocument]:
    number = 0
    for mailed in _cut_letters(chunks, limit):
        if begin := _BETWEEN.match(mailed):  # or what stands before the first one
            number += 1
            part = f"message {number}"
            if len(mailed) > limit:
                fault = ("too-long", f"the letter is longer than {limit:,} bytes")
                yield InnerDocument(part, None, None, (fault,))
            else:
                sent = _QUOTED.sub(rb"\1", mailed[begin.end() :])
                yield from _letter(sent, "letter", part, 0)


def _cut_letters(chunks: Iterator[bytes], limit: int) -> Iterator[bytes]:
    """The letters with the lines that begin them; enough of those that are too long."""
    held = b""
    for chunk in chunks:
        start, looked_at = 0, max(0, len(held) - _LONGEST_BEGIN)
        held += chunk
        for begin in _BETWEEN.finditer(held, looked_at):
            if begin.start():
                yield held[start : begin.start()]
                start = begin.start()
        held = held[start:]
        if len(held) > limit + _LONGEST_BEGIN:
            # what is cut out of a letter that is too long anyway leaves it too long
            held = held[:limit] + held[-_LONGEST_BEGIN:]
    yield held


def _letter(raw: bytes, format: str, part: str | None, depth: int) -> Iterator[InnerDocument]:
    read = letter_of_outlook if format == "outlook" else letter_of
    try:
        letter = in_child(read, (raw,), len(raw))
    except OfficeError as fault:
        yield InnerDocument(part, None, raw, ((fault.kind, str(fault)),))
        return
    yield from _opened(letter, raw, part, depth)


def _opened(
    letter: Letter, raw: bytes | None, part: str | None, depth: int
) -> Iterator[InnerDocument]:
    names = DistinctNames()
    for attachment in letter.attachments:
        attachment.name = names.distinct(attachment.name)
    yield InnerDocument(part, letter, raw, tuple(letter.faults))
    for attachment in letter.attachments:
        place = attachment.name if part is None else f"{part}/{attachment.name}"
        suffix = PurePosixPath(attachment.name).suffix.lower()
        format = None
        if not suffix or suffix in MAIL:  # a letter that is called .txt is a text
            format = mail_format(attachment.raw, suffix)
        if attachment.letter is None and format not in ("letter", "outlook"):
            yield InnerDocument(place, None, attachment.raw)
        elif depth >= DEEPEST_LETTERS:
            bound = f"letters are attached to one another over {DEEPEST_LETTERS} times"
            yield InnerDocument(place, None, attachment.raw, (("damaged", bound),))
        elif attachment.letter is not None:
            yield from _opened(attachment.letter, attachment.raw or None, place, depth + 1)
        else:
            yield from _letter(attachment.raw, format or "letter", place, depth + 1)
