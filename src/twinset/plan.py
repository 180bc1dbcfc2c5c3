"""Options as frozen dataclasses, checked once; a plan holds everything that decides a result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Html = Literal["auto", "yes", "no"]
OnError = Literal["skip", "stop"]


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """What to take from the input: field names (dotted for nested ones) and how to treat it."""

    id: str = "id"
    text: str = "text"
    html: Html = "auto"
    on_error: OnError = "skip"
    order: str | None = None
