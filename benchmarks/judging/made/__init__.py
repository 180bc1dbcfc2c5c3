"""The made kinds by name; each file makes one and says what a person would call a copy in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from judging.labelled import Collection


@dataclass(frozen=True)
class Kind:
    """How a collection is made; ``version`` is raised when that changes."""

    kind: str
    version: int
    make: Callable[[], Collection]


MADE: dict[str, Kind] = {}
