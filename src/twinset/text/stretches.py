"""Stretches of a text from a beginning to an end, such as scripts and comments, cut out of it."""

from __future__ import annotations

import re
from collections.abc import Mapping


def without_stretches(
    text: str, begin: re.Pattern[str], ends: Mapping[str, re.Pattern[str]], instead: str
) -> str:
    """The text with something else for each stretch; one that has no end stays.

    The group of ``begin`` that matches names the end; without a group the beginning is all of it.
    An end that is missing is looked for once, not again behind every beginning.
    """
    kept: list[str] = []
    done, endless = 0, set[str]()
    for found in begin.finditer(text):
        kind, last = found.lastgroup, found
        if found.start() < done or kind in endless:
            continue
        if kind is not None:
            if (closing := ends[kind].search(text, found.end())) is None:
                endless.add(kind)
                continue
            last = closing
        kept.append(text[done : found.start()])
        done = last.end()
    return instead.join([*kept, text[done:]])
