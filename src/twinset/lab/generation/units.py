"""The positions of words and characters in a text, as the kernels see them.

The kernels return words without positions. So this module asks them once about every character
(is it part of a word, a word alone, a mark that continues a word, a separator) and needs no second
Unicode table.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from twinset import _kernels
from twinset.model import Ints
from twinset.text import arrow_text, words

_WORD, _SOLO, _MARK, _SEPARATOR = "w", "o", "m", "s"
_SPANS = re.compile(f"{_WORD}[{_WORD}{_MARK}]*|{_SOLO}{_MARK}*")
_LETTERS = re.compile(f"[{_WORD}{_SOLO}]{_MARK}*")
_JOINER = "\u200d"
_ASCII = {code: _WORD if chr(code).isalnum() else _SEPARATOR for code in range(128)}


class Span(NamedTuple):
    """A stretch of a text."""

    start: int
    stop: int


Bounds = tuple[int, int]  # a Span without names, cheaper where there are many


@dataclass(frozen=True, slots=True)
class DocumentSize:
    """The size of a document in four units."""

    paragraphs: int
    sentences: int
    words: int
    characters: int


class _Kinds(dict[int, str]):
    """The kind of every character met so far, by its code."""

    def learn(self, text: str) -> None:
        """Ask the kernels about characters that are new."""
        new = [char for char in set(text) if ord(char) not in self]
        if not new:
            return
        alone = words(new)
        between = words([f"a{char}a" for char in new])
        for char, itself, inside in zip(new, alone, between, strict=True):
            if itself:
                self[ord(char)] = _WORD if len(inside) == 1 else _SOLO
            else:
                self[ord(char)] = _MARK if len(inside) == 1 else _SEPARATOR


_KINDS = _Kinds(_ASCII)


def kinds(text: str) -> str:
    """A letter per character: w is part of a word, o a whole word, m continues one, s separates."""
    if not text.isascii():
        _KINDS.learn(text)
    return text.translate(_KINDS)


def word_spans(text: str) -> list[Bounds]:
    """The positions of the words of a text, as many and in the order of ``twinset.text.words``."""
    return [match.span() for match in _SPANS.finditer(kinds(text))]


def has_words(text: str) -> bool:
    """Whether there is any word in a text."""
    kind = kinds(text)
    return _WORD in kind or _SOLO in kind


@lru_cache(maxsize=100_000)
def script_of(char: str) -> str:
    """The script of a letter by its name in Unicode: LATIN, CYRILLIC, CJK, DIGIT."""
    return unicodedata.name(char, "").partition(" ")[0]


def letters(text: str) -> list[Bounds]:
    """The letters and digits with their marks; letters with a joiner between count as one."""
    spans = [match.span() for match in _LETTERS.finditer(kinds(text))]
    if _JOINER not in text:
        return spans
    joined: list[Bounds] = []
    for start, stop in spans:
        if joined and joined[-1][1] == start and text[start - 1] == _JOINER:
            start = joined.pop()[0]
        joined.append((start, stop))
    return joined


def sentence_starts(texts: list[str]) -> list[Ints]:
    """The number of the first word of each sentence, text by text."""
    first, bounds = _kernels.sentences(*arrow_text(texts), 1)
    cuts = bounds.tolist()
    return [first[a:b] for a, b in itertools.pairwise(cuts)]


def count_sentences(texts: list[str]) -> int:
    """Sentences in all the texts together."""
    return len(_kernels.sentences(*arrow_text(texts), 1)[0])


def count_words(texts: list[str]) -> int:
    """Words in all the texts together."""
    _, _, bounds = _kernels.words(*arrow_text(texts), 1)
    return int(bounds[-1])
