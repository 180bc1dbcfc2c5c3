"""What the page remembers from one visit to the next, in ``settings.json`` of its own folder.

A browser keeps language and colours in cookies, too; the file serves another browser, and the
window of the application entry, which may begin without any.
"""

from __future__ import annotations

import dataclasses
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from twinset.system.files import read_object, write_json

FILE = "settings.json"
RECENT = 6
SETTINGS_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Choices:
    """The last choices; ``priorities`` is the name of a set, empty for the usual order."""

    language: str = ""
    theme: str = ""
    recent: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    priorities: str = ""


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
            self._choices = _read(self.home / FILE)
        return self._choices

    def change(self, **choices: Any) -> None:
        """Keep other choices."""
        with self._lock:
            self._choices = dataclasses.replace(self.choices, **choices)
            write_json(self.home / FILE, dataclasses.asdict(self._choices), indent=1)

    def opened(self, folder: str) -> None:
        """Put a folder first among the recent ones."""
        rest = (path for path in self.choices.recent if path != folder)
        self.change(recent=(folder, *rest)[:RECENT])


def _read(file: Path) -> Choices:
    entries = read_object(file, SETTINGS_BYTES) or {}
    return Choices(
        language=_text(entries.get("language")),
        theme=_text(entries.get("theme")),
        recent=_texts(entries.get("recent"))[:RECENT],
        references=_texts(entries.get("references")),
        priorities=_text(entries.get("priorities")),
    )


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _texts(values: object) -> tuple[str, ...]:
    return tuple(filter(None, map(_text, values))) if isinstance(values, list) else ()
