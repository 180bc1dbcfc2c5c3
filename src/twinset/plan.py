"""Options as frozen dataclasses, checked once; a plan holds everything that decides a result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Html = Literal["auto", "yes", "no"]
OnError = Literal["skip", "stop"]


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """What to take from the input: field names (dotted for nested ones) and how to treat it.

    A record larger than ``max_document_bytes`` is refused as a fault: it bounds the memory that one
    endless line can take.
    """

    id: str = "id"
    text: str = "text"
    html: Html = "auto"
    on_error: OnError = "skip"
    order: str | None = None
    max_document_bytes: int = 256 << 20
