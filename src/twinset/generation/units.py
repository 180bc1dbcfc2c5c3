"""Where the words and characters of a text lie, as the kernels see them.

The kernels give words without their places. Here every character is asked of them once (does it
build a word, is it one, does it go on with one, does it separate), so there is no second table.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from typing import NamedTuple

from twinset import _kernels
from twinset.model import Ints
from twinset.text import arrow_text, words

_WORD, _SOLO, _MARK, _SEPARATOR = "w", "o", "m", "s"
_SPANS = re.compile(f"{_WORD}[{_WORD}{_MARK}]*|{_SOLO}{_MARK}*")
_JOINER = "\u200d"
_ASCII = {code: _WORD if chr(code).isalnum() else _SEPARATOR for code in range(128)}


class Span(NamedTuple):
    """A stretch of a text."""

    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class Statistics:
    """How much a document holds."""

    paragraphs: int
    sentences: int
    words: int
    characters: int


class _Kinds(dict[int, str]):
    """The kind of every character that was met, by its code."""

    def learn(self, text: str) -> None:
        """Ask the kernels about characters that are new."""
        new = [char for char in set(text) if ord(char) not in self]
        alone = words(new)
        between = words([f"a{char}a" for char in new])
        for char, itself, inside in zip(new, alone, between, strict=True):
            if itself:
                self[ord(char)] = _WORD if len(inside) == 1 else _SOLO
            else:
                self[ord(char)] = _MARK if len(inside) == 1 else _SEPARATOR


_KINDS = _Kinds(_ASCII)


def kinds(text: str) -> str:
    """A letter for each character: w builds a word, o is one, m goes on with one, s separates."""
    if not text.isascii():
        _KINDS.learn(text)
    return text.translate(_KINDS)


def word_spans(text: str) -> list[Span]:
    """The words of a text by their places, in the number and order of ``twinset.text.words``."""
    return [Span(*found.span()) for found in _SPANS.finditer(kinds(text))]


def is_solo(word: str) -> bool:
    """Whether a word is of a script without spaces, where one character is a word."""
    return kinds(word[:1]) == _SOLO


def letters(text: str) -> list[Span]:
    """The letters and digits with the marks on them; what a joiner joins is one."""
    kind = kinds(text)
    found: list[Span] = []
    for match in re.finditer(f"[{_WORD}{_SOLO}]{_MARK}*", kind):
        start, stop = match.span()
        if found and found[-1].stop == start and text[start - 1] == _JOINER:
            start = found.pop().start
        found.append(Span(start, stop))
    return found


def sentence_starts(texts: list[str]) -> list[Ints]:
    """The number of the first word of each sentence, text by text."""
    first, bounds = _kernels.sentences(*arrow_text(texts), 1)
    cuts = bounds.tolist()
    return [first[a:b] for a, b in itertools.pairwise(cuts)]


def count_sentences(texts: list[str]) -> int:
    """Sentences in all the texts together."""
    return int(sum(len(starts) for starts in sentence_starts(texts)))


def count_words(texts: list[str]) -> int:
    """Words in all the texts together."""
    return int(sum(len(word_spans(text)) for text in texts))
