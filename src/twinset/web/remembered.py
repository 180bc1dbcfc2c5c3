"""What the page remembers from one visit to the next, in ``settings.json`` of its own folder.

A browser keeps language and colours in cookies, too; the file serves another browser, and the
window of the application entry, which may begin without any.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from twinset.system.files import read_object, write_json

FILE = "settings.json"
RECENT = 6
SETTINGS_BYTES = 1 << 20


class Choices(BaseModel, frozen=True):
    """The last choices."""

    language: str = ""
    theme: str = ""
    recent: tuple[str, ...] = ()
    references: tuple[str, ...] = ()


@dataclass
class Remembered:
    """The choices of one home folder, read once and written at every change."""

    home: Path
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)
    _choices: Choices | None = field(default=None, repr=False)

    @property
    def choices(self) -> Choices:
        """The current choices; the usual ones where the file is damaged or missing."""
        if self._choices is None:
            try:
                saved = read_object(self.home / FILE, SETTINGS_BYTES) or {}
                self._choices = Choices.model_validate(saved)
            except ValidationError:
                self._choices = Choices()
        return self._choices

    def change(self, **choices: Any) -> None:
        """Keep other choices."""
        with self._lock:
            self._choices = self.choices.model_copy(update=choices)
            write_json(self.home / FILE, self._choices.model_dump(), indent=1)

    def opened(self, folder: str) -> None:
        """Put a folder first among the recent ones."""
        rest = (path for path in self.choices.recent if path != folder)
        self.change(recent=(folder, *rest)[:RECENT])
