"""The sentences and paragraphs that the kernels see, as words.

A paragraph ends at a blank line, a form feed or U+2029. A sentence ends with its paragraph and at
``. ! ? …`` unless a letter or digit follows at once (3.14, example.com); the ends of other scripts
(``。``, ``।``, ``؟`` and the like) always end one. Nothing depends on a language or on capitals.
"""

from __future__ import annotations

from itertools import pairwise

from twinset import _kernels
from twinset.model import Ints
from twinset.text.arrow import Texts, arrow_text
from twinset.text.segments import Words, words


def sentences(texts: Texts, threads: int = 1) -> list[list[Words]]:
    """The sentences of every text, each as its words; a stretch without words is none."""
    return _cut(words(texts, threads), *_kernels.sentences(*arrow_text(texts), threads))


def paragraphs(texts: Texts, threads: int = 1) -> list[list[Words]]:
    """The paragraphs of every text, each as its words; a stretch without words is none."""
    return _cut(words(texts, threads), *_kernels.paragraphs(*arrow_text(texts), threads))


def _cut(documents: list[Words], first_words: Ints, offsets: Ints) -> list[list[Words]]:
    segments = []
    for own, (begin, end) in zip(documents, pairwise(offsets.tolist()), strict=True):
        bounds = [*first_words[begin:end].tolist(), len(own)]
        segments.append([own[first:last] for first, last in pairwise(bounds)])
    return segments
