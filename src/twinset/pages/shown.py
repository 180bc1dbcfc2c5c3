"""Texts of strangers, fit to be shown: what cannot be seen or turns the writing is made visible."""

from __future__ import annotations

import re

# Control characters but tab and line feed, and the marks that turn the direction of writing.
UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]"
)
_NAMES = {
    0x061C: "ALM",
    0x200E: "LRM",
    0x200F: "RLM",
    0x202A: "LRE",
    0x202B: "RLE",
    0x202C: "PDF",
    0x202D: "LRO",
    0x202E: "RLO",
    0x2066: "LRI",
    0x2067: "RLI",
    0x2068: "FSI",
    0x2069: "PDI",
    0xFEFF: "BOM",
    0x7F: "DEL",
}


LONG = 200
"""Characters of an id that are shown."""


def brief(id: str) -> str:
    """An id that fits a line or two."""
    return id if len(id) <= LONG else f"{id[:LONG]}…"


def shown(text: str) -> str:
    """The text with a picture or a name in the place of each mark that would not be seen."""
    return UNSEEN.sub(_picture, text.replace("\r\n", "\n"))


def on_one_line(text: str) -> str:
    """The same without line breaks, for terminals."""
    return " ".join(shown(text).split())


def _picture(found: re.Match[str]) -> str:
    code = ord(found.group())
    if code < 0x20:
        return chr(0x2400 + code)
    return f"⟨{_NAMES.get(code, f'{code:02X}')}⟩"
