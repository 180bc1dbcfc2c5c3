"""The sentences and paragraphs of texts.

A paragraph ends at a blank line, a form feed or U+2029. A sentence ends with its paragraph and at
``. ! ? …`` unless a letter or digit follows at once (3.14, example.com); the ends of other scripts
(``。``, ``।``, ``؟`` and kin) always end one. Nothing depends on a language or on capital letters.
"""

from __future__ import annotations

import itertools

from twinset import _kernels
from twinset.text.arrow import Ints, Texts, arrow_text
from twinset.text.words import words

Words = list[str]


def sentences(texts: Texts, threads: int = 1) -> list[list[Words]]:
    """The sentences of every text, each as its words; a stretch without words is none."""
    array = arrow_text(texts)
    return _cut(words(texts, threads), _kernels.sentences(*array, threads))


def paragraphs(texts: Texts, threads: int = 1) -> list[list[Words]]:
    """The paragraphs of every text, each as its words; a stretch without words is none."""
    array = arrow_text(texts)
    return _cut(words(texts, threads), _kernels.paragraphs(*array, threads))


def _cut(documents: list[Words], parts: tuple[Ints, Ints]) -> list[list[Words]]:
    first_words, bounds = parts[0].tolist(), parts[1].tolist()
    cut = []
    for own, begin, end in zip(documents, bounds, bounds[1:], strict=False):
        starts = [*first_words[begin:end], len(own)]
        cut.append([own[a:b] for a, b in itertools.pairwise(starts)])
    return cut
