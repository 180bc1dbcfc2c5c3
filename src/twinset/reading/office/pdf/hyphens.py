"""Words that a line break has cut in two: which of them lose their hyphen when they are joined.

A hyphen at the end of a line was set by the typesetter ("docu-ment") or belongs to the word
("well-known"), and the page looks the same. The document itself decides where it can: by the whole
word without the hyphen elsewhere, or by the one with it. Otherwise it stays between two words of
the document, and at a half that is part of other compounds; all others lose it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

HYPHENS = "-\u2010\u00ad"
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_LAST = re.compile(r"[^\W\d_]+\Z")
_FIRST = re.compile(r"[^\W\d_]+")
LONGEST = 64
"""Characters of a line among which its last word is."""
_LEAST = 3
"""Halves that are shorter are words too often: "in-form", "по-лучить"."""
_COMPOUND_FIRST = frozenset(("well", "self", "half", "quasi", "кое", "вице", "экс"))
_COMPOUND_LAST = frozenset(("либо", "нибудь", "таки"))
# Words that as often begin another word: "при-знаком", "over-come".
_PREFIXES = frozenset(
    (
        *("без", "вне", "для", "над", "под", "при", "про", "раз", "через"),
        *("after", "for", "inter", "non", "off", "out", "over", "per", "sub", "under"),
    )
)
_ADVERB = re.compile(r"по-\w+(?:ому|ему|ски|цки|ьи)|во?-\w+ых|из-(?:за|под)")


class Vocabulary:
    """The words of one document, against which the cut ones are held."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._whole = {word for line in lines for word in _WORD.findall(line.lower())}
        compounds = [word.split("-") for word in self._whole if "-" in word]
        self._first = _COMPOUND_FIRST.union(parts[0] for parts in compounds if _is_long(parts[0]))
        self._last = _COMPOUND_LAST.union(parts[-1] for parts in compounds if _is_long(parts[-1]))

    def joined(self, line: str, following: str) -> str:
        """Two lines of which the first ended with a hyphen (not in it any more) as one."""
        # A search for the last word would look at all of the line.
        left, right = _LAST.search(line[-LONGEST:]), _FIRST.match(following)
        if left is None or right is None or not right.group()[0].islower():
            return f"{line}-{following}"  # 1990-1995, Saint-Paul
        keeps = self._keeps(left.group().lower(), right.group().lower())
        return f"{line}-{following}" if keeps else f"{line}{following}"

    def _keeps(self, left: str, right: str) -> bool:
        if left + right in self._whole:
            return False
        with_hyphen = f"{left}-{right}"
        if with_hyphen in self._whole or _ADVERB.fullmatch(with_hyphen):
            return True
        if left in self._first or right in self._last:
            return True
        both = left in self._whole and right in self._whole
        return both and _is_long(left) and _is_long(right)


def _is_long(half: str) -> bool:
    return len(half) >= _LEAST and half not in _PREFIXES
