"""What an operation is: a frozen dataclass whose fields are its parameters, and its ``apply``."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

from twinset.lab.generation.draw import Draw
from twinset.lab.generation.material import Others
from twinset.lab.generation.sheet import Sheet
from twinset.spec import option


@dataclass(frozen=True, slots=True)
class Setting:
    """What an operation may draw on: random numbers of its own, other documents, the site.

    ``site`` begins at the seed alone, for what many documents have in common; ``original`` is the
    document before all operations, which is no other document.
    """

    draw: Draw
    others: Others
    site: Draw
    original: str


@dataclass(frozen=True, slots=True)
class Edited:
    """The new source of a document, counts of the changes, and notes for the log."""

    source: str
    changed: dict[str, int]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Operation:
    """An edit with its parameters; the first line of the class docstring says what it does."""

    counts: ClassVar[str]  # what the percentage is taken of

    @property
    def strength(self) -> float | None:
        """The percentage, where there is one."""
        return None

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters as the log shows them."""
        return dataclasses.asdict(self)

    def faults(self) -> list[str]:
        """What is wrong with these parameters, as sentences."""
        return []

    def apply(self, sheet: Sheet, setting: Setting) -> Edited:
        """Edit a document."""
        raise NotImplementedError


percentage = partial(option, least=0, most=100, percent=True)
"""An option that is a percentage of a document's parts."""


@dataclass(frozen=True)
class Share(Operation):
    """An operation on a share of the document's parts."""

    percent: float = percentage(5.0, "Percentage of the paragraphs or words to change.")

    @property
    def strength(self) -> float | None:
        """The percentage."""
        return self.percent

    def of(self, count: int) -> int:
        """The percentage of ``count`` parts, rounded to the nearest whole number, halves up."""
        return int(count * self.percent / 100 + 0.5)


def nothing(sheet: Sheet, of: int, note: str = "") -> Edited:
    """A document that stays as it is, and why."""
    return Edited(sheet.source, {"of": of}, (note,) if note else ())


def total(texts: Sequence[str]) -> int:
    """Characters in all the texts together."""
    return sum(map(len, texts))
