"""Character references of HTML: ``&eacute;``, ``&#233;``."""

from __future__ import annotations

import html
import re

_LONG = re.compile(r"&#([0-9]{100,})")


def unescaped(text: str) -> str:
    """The text with its character references decoded.

    Python refuses to read a number of thousands of digits; no character has one of eight.
    """
    return html.unescape(_LONG.sub(_shortened, text) if "&#" in text else text)


def _shortened(reference: re.Match[str]) -> str:
    return f"&#{reference[1].lstrip('0')[:8] or '0'}"
