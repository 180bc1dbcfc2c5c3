"""The made kinds by name; each file makes one and says what a person would call a copy in it."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

from judging.labelled import Collection


@dataclass(frozen=True)
class Kind:
    """A made collection; ``version`` is raised when its making changes."""

    kind: str
    version: int
    module: str

    def make(self, seed: int = 1) -> Collection:
        """Make it, from material at hand."""
        return cast("Collection", self._maker(seed) if self.has_seeds else self._maker())

    @property
    def has_seeds(self) -> bool:
        """Whether another seed makes another collection."""
        return bool(inspect.signature(self._maker).parameters)

    @property
    def _maker(self) -> Callable[..., Any]:
        maker: Callable[..., Any] = importlib.import_module(f"judging.made.{self.module}").make
        return maker


MADE: dict[str, Kind] = {
    "manpages": Kind("man pages", 1, "manpages"),
    "changelogs": Kind("changelogs", 1, "changelogs"),
    "notices": Kind("licences", 1, "notices"),
    "versions": Kind("versions", 1, "versions"),
    "scans": Kind("scans", 1, "scans"),
    "forms": Kind("forms", 1, "forms"),
    "drafts": Kind("drafts", 1, "drafts"),
    "htmltext": Kind("html against text", 1, "htmltext"),
    "translations": Kind("translations", 1, "translations"),
    "plagiarism": Kind("plagiarism", 1, "plagiarism"),
    "records": Kind("records", 1, "records"),
    "websites": Kind("web pages", 1, "sites"),
    "excerpts": Kind("excerpts", 1, "excerpts"),
    "edits": Kind("generated edits", 1, "edits"),
}
