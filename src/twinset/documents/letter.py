"""A letter, whatever its format: subject, body and attachments, and bounds on what it may hold."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import PurePosixPath
from typing import NamedTuple

MOST_PARTS = 10_000
"""Parts of one letter."""
DEEPEST_PARTS = 32
"""Levels of parts inside one another."""
DEEPEST_LETTERS = 8
"""Letters attached to letters attached to letters."""
MOST_DOCUMENTS = 100_000
"""Letters and attachments in one letter."""
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
