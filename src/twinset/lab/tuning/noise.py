"""How much of a collection a scanner has garbled.

A garbled word is rare and, but for what scanners confuse, is a word that the collection knows:
``frorn`` for ``from``, ``c1ose`` for ``close``. Rare words as such say nothing, since names are
rare, and neither do endings, which differ in every language.
"""

from __future__ import annotations

import collections
import re
from dataclasses import dataclass

import numpy as np

WORD = re.compile(r"\w+")
MOST = 500  # documents that are looked at
HEAD = 4000  # characters of each
SHORTEST = 4  # letters of a word that is looked at
ENDING = 2  # letters at the end of a word, which grammar changes
CONFUSED = (("rn", "m"), ("vv", "w"), ("cl", "d"), ("ii", "u"), ("ri", "n"))
LOOK_ALIKES = str.maketrans("0158|l", "oisbii")


@dataclass(frozen=True, slots=True)
class Noise:
    """Shares of all words: look-alikes of a known word, and a known word but for one letter."""

    confusable: float
    one_letter: float


def noise(texts: list[str]) -> Noise:
    """Look at documents spread evenly over the sample."""
    some = [texts[i] for i in np.linspace(0, len(texts) - 1, min(len(texts), MOST)).astype(int)]
    counts: collections.Counter[str] = collections.Counter()
    documents: collections.Counter[str] = collections.Counter()
    for text in some:
        words = WORD.findall(text[:HEAD].lower())
        counts.update(words)
        documents.update(set(words))
    least = max(3, len(some) // 100)
    known = [word for word, n in documents.items() if n >= least and len(word) >= SHORTEST]
    look_alikes: dict[str, set[str]] = {}
    for word in known:
        look_alikes.setdefault(folded(word), set()).add(word)
    patterns = {pattern for word in known for pattern in _patterns(word)}
    rare = [word for word, n in documents.items() if n <= 2 and len(word) >= SHORTEST]
    confusable = sum(counts[word] for word in rare if look_alikes.get(folded(word), set()) - {word})
    one_letter = sum(
        counts[word]
        for word in rare
        if not word.isdigit() and any(pattern in patterns for pattern in _patterns(word))
    )
    total = max(sum(counts.values()), 1)
    return Noise(confusable / total, one_letter / total)


def folded(word: str) -> str:
    """The word with everything that scanners confuse made one."""
    for pair, letter in CONFUSED:
        word = word.replace(pair, letter)
    return word.translate(LOOK_ALIKES)


def _patterns(word: str) -> list[str]:
    """The word with each letter left open in turn, but for its ending."""
    return [f"{word[:place]}?{word[place + 1 :]}" for place in range(len(word) - ENDING)]
