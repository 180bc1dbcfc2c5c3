"""What a plan asks of two of its parts, which live in rooms above."""

from __future__ import annotations

from typing import Any, Protocol


class Method(Protocol):
    """A recipe from texts to pairs; `search` begins a run of it."""

    def search(self, goal: Any, resources: Any, known: Any = None) -> Any:
        """Begin a run."""
        ...


class Keep(Protocol):
    """A policy that decides which copy to keep."""

    @property
    def field(self) -> str | None:
        """The field of the input that it looks at, if any."""
        ...

    def rank(self, traits: Any) -> Any:
        """A number for each document, the best lowest; None for the order of reading."""
        ...

    def reason(self, traits: Any, kept: int, removed: int) -> Any:
        """What it holds against the removed one of two documents that it tells apart."""
        ...
