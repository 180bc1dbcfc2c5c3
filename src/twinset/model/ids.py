"""Ids in lines of text, separated by blanks: written so that each can be told from the next.

An id with blanks, control characters or a quote, an empty one, or one that begins with ``#`` is
written as a JSON string.
"""

from __future__ import annotations

import json
import re

_PLAIN = re.compile(r'[^\s"#\x00-\x1f\x7f][^\s"\x00-\x1f\x7f]*')
_WORD = re.compile(r'("(?:[^"\\]|\\.)*")(?![^ \t])|([^" \t][^ \t]*)|[ \t]+')


def quoted_id(id: str) -> str:
    """An id as it is written in a line."""
    return id if _PLAIN.fullmatch(id) else json.dumps(id, ensure_ascii=False)


def ids_in(line: str) -> list[str]:
    """The ids of a line; ``ValueError`` with the first words that are none."""
    ids, at = [], 0
    for match in _WORD.finditer(line):
        if match.start() != at:
            break
        at = match.end()
        quoted, plain = match.groups()
        if quoted is not None:
            ids.append(_unquoted(quoted))
        elif plain is not None:
            ids.append(plain)
    if at != len(line):
        raise ValueError(line[at : at + 40])
    return ids


def _unquoted(word: str) -> str:
    try:
        return str(json.loads(word))
    except ValueError:
        raise ValueError(word[:40]) from None
