"""Parts of a text from a beginning to an end, such as scripts and comments, cut out of it."""

from __future__ import annotations

import re
from collections.abc import Sequence


def element_named(name: str) -> tuple[str, str]:
    """The patterns of an element of HTML: where it begins, and its closing tag."""
    return rf"<{name}\b", rf"</{name}\s*>"


class EnclosedParts:
    """Kinds of parts, each with a pattern for its beginning and one for its end.

    The patterns have no groups, and letters may be large or small. An empty end is behind the
    beginning.
    """

    def __init__(self, kinds: Sequence[tuple[str, str]]) -> None:
        self._begin = re.compile("|".join(f"({begin})" for begin, _ in kinds), re.IGNORECASE)
        self._ends = [re.compile(end, re.IGNORECASE) for _, end in kinds]

    def replaced(self, text: str, instead: str) -> str:
        """The text with something else for each part; one that has no end stays.

        An end that is missing is looked for once, not again behind every beginning.
        """
        kept: list[str] = []
        done, endless = 0, set[int]()
        for begin in self._begin.finditer(text):
            kind = (begin.lastindex or 1) - 1
            if begin.start() < done or kind in endless:
                continue
            if (end := self._ends[kind].search(text, begin.end())) is None:
                endless.add(kind)
                continue
            kept.append(text[done : begin.start()])
            done = end.end()
        return instead.join([*kept, text[done:]])
