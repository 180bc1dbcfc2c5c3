"""What the readers of documents share: their one error, and bounds on what a file may hold.

Office formats can hold far more than their size suggests. So no tree is built, and bytes, elements,
pages and drawing steps are bounded; what goes beyond a bound is a fault.
"""

from __future__ import annotations

from typing import NamedTuple

from twinset.errors import TwinsetError

MOST_ELEMENTS = 2_000_000
"""Elements of mark-up; this many take seconds, and no document that is written by hand has them."""
MOST_RATIO = 200
"""How many times its size a file may unpack to, once it is beyond `HARMLESS` bytes."""
HARMLESS = 16 << 20
LONGEST_TAG = 4 << 20
"""Bytes of one tag or comment, which a parser begins again with every piece of them."""
DEEPEST = 256
"""Levels of elements or groups inside one another."""
PIECE = 1 << 18
"""Bytes that are unpacked at a time."""


class OfficeError(TwinsetError):
    """A document whose text cannot be extracted; ``kind`` is the kind of fault it counts as."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class PartialText(NamedTuple):
    """The text of a document, and what is lacking of it: kinds of faults with their sentences."""

    text: str
    faults: tuple[tuple[str, str], ...] = ()


def protected_text(raw: bytes, limit: int) -> str:
    """No text: the document is encrypted, and its format with it."""
    raise OfficeError("damaged", "the document is protected by a password")
