"""Characters: one form of a letter with its marks, and what references of HTML stand for."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterator
from typing import Literal

MOST_MARKS = 256
"""Marks of one letter that are brought into order together; no script has letters of so many."""
_SIGN = r"[^\w\s!-~]"  # marks are no letters to regular expressions
_MANY = re.compile(rf"{_SIGN}(?<!{_SIGN}{_SIGN}){_SIGN}{{{MOST_MARKS - 1}}}")
_HALF_WIDTH = "\uff9e\uff9f"  # letters that become marks


def composed(text: str, form: Literal["NFC", "NFKC"] = "NFC") -> str:
    """The text in this form of Unicode.

    To order the marks of one letter takes Python a time that grows with the square of their number.
    """
    if text.isascii():
        return text
    if _MANY.search(text) or any(letter in text for letter in _HALF_WIDTH):
        return "".join(unicodedata.normalize(form, piece) for piece in _pieces(text))
    return unicodedata.normalize(form, text)


def _pieces(text: str) -> Iterator[str]:
    """The text, cut behind as many marks as are ordered together."""
    begin = marks = 0
    for at, character in enumerate(text):
        is_mark = unicodedata.category(character)[0] == "M" or character in _HALF_WIDTH
        marks = marks + 1 if is_mark else 0
        if marks == MOST_MARKS:
            yield text[begin:at]
            begin, marks = at, 0
    yield text[begin:]


_LONG = re.compile(r"&#([0-9]{100,})")


def unescaped(text: str) -> str:
    """The text with its character references decoded.

    Python refuses to read a number of thousands of digits; no character has one of eight.
    """
    return html.unescape(_LONG.sub(_shortened, text) if "&#" in text else text)


def _shortened(reference: re.Match[str]) -> str:
    return f"&#{reference[1].lstrip('0')[:8] or '0'}"
