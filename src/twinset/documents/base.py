"""What the readers of documents share: their one error, and a text that may lack something.

Office formats can hold far more than their size suggests. What a reader may take of time and memory
is bounded by the process that it runs in (`table.document_text`).
"""

from __future__ import annotations

from typing import NamedTuple

from twinset.errors import TwinsetError

MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""What compound files begin with: DOC, XLS, PPT, MSG."""


class OfficeError(TwinsetError):
    """A document whose text cannot be extracted; ``kind`` is the kind of fault it counts as."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(kind, message)  # both, or another process could not send it
        self.kind, self._message = kind, message

    def __str__(self) -> str:
        return self._message


class PartialText(NamedTuple):
    """The text of a document, and what is lacking of it: kinds of faults with their sentences."""

    text: str
    faults: tuple[tuple[str, str], ...] = ()


def protected_text(raw: bytes, limit: int) -> str:
    """No text: the document is encrypted, and its format with it."""
    raise OfficeError("damaged", "the document is protected by a password")
