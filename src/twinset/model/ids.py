"""Ids in lines of text, separated by blanks: written so that each can be told from the next.

An id with blanks, control characters or a quote, an empty one, or one that begins with ``#`` is
written as a JSON string.
"""

from __future__ import annotations

import json
import re

_PLAIN = re.compile(r'[^\s"#\x00-\x1f\x7f][^\s"\x00-\x1f\x7f]*')


def quoted_id(id: str) -> str:
    """An id as it is written in a line."""
    return id if _PLAIN.fullmatch(id) else json.dumps(id, ensure_ascii=False)
