"""What a collection looks like: it decides which views are worth trying."""

from __future__ import annotations

import collections
import re
import unicodedata
from dataclasses import dataclass

import numpy as np

from twinset.lab.tuning.views import TermView
from twinset.text.stopwords import WORDS

WORD = re.compile(r"\w+")
HEAD = 2000  # characters of a document that are looked at
MOST = 500  # documents that are looked at
# Scripts that do not put spaces between words: words say little there.
UNSPACED = ("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR")
# Words that a scanner has garbled mix letters and digits or stand alone as single letters.
GARBLED = re.compile(r"(?=\w*\d)(?=\w*[^\W\d_])\w+")


@dataclass(frozen=True, slots=True)
class Looks:
    """Lengths, scripts and noise; shares are between 0 and 1."""

    documents: int
    words: tuple[int, int, int]
    scripts: dict[str, float]
    languages: dict[str, float]
    seen_once: float
    garbled: float

    @property
    def unspaced(self) -> float:
        """The share of letters in scripts without spaces between words."""
        return sum(part for name, part in self.scripts.items() if name in UNSPACED)

    def sentence(self) -> str:
        """All of it, in words."""
        low, middle, high = self.words
        scripts = ", ".join(f"{name.lower()} {part:.0%}" for name, part in self.scripts.items())
        text = f"{self.documents:,} documents of {middle:,} words ({low:,} to {high:,} mostly)"
        if scripts:
            text += f", letters: {scripts}"
        if self.languages:
            named = (f"{name} {part:.0%}" for name, part in self.languages.items())
            text += f", languages: {', '.join(named)}"
        return f"{text}; {self.seen_once:.0%} of words are seen once, {self.garbled:.1%} garbled"


def looks(texts: list[str], documents: int) -> Looks:
    """Look at documents spread evenly over the sample."""
    some = [texts[i] for i in np.linspace(0, len(texts) - 1, min(len(texts), MOST)).astype(int)]
    words = [WORD.findall(text[:HEAD].lower()) for text in some]
    lengths = [len(WORD.findall(text)) for text in some]
    counts = collections.Counter(word for document in words for word in document)
    total = max(sum(counts.values()), 1)
    garbled = sum(n for word, n in counts.items() if GARBLED.fullmatch(word))
    once = sum(1 for word, n in counts.items() if n == 1 and word.isalpha())
    low, middle, high = np.percentile(lengths or [0], [5, 50, 95]).astype(int).tolist()
    return Looks(
        documents,
        (low, middle, high),
        _scripts(some),
        _languages(words),
        once / total,
        garbled / total,
    )


def worth_trying(looks: Looks) -> list[TermView]:
    """The views to try; without spaces between words only characters count."""
    characters = [TermView("char", 5), TermView("char", 5, "cosine")]
    if looks.unspaced > 0.3:
        return [TermView("char", 3), *characters]
    words = [TermView("word", 2), TermView("word", 2, "cosine"), TermView("word", 3)]
    longer = [TermView("char", 7), TermView("word", 5), TermView("word", 3, "containment")]
    return [*characters, *words, *(longer if looks.words[1] >= 12 else [])]


def _scripts(texts: list[str]) -> dict[str, float]:
    letters = collections.Counter(
        letter for text in texts for letter in text[:HEAD] if letter.isalpha()
    )
    counts: collections.Counter[str] = collections.Counter()
    for letter, times in letters.items():
        counts[unicodedata.name(letter, "OTHER").split()[0]] += times
    return _largest(counts)


def _languages(documents: list[list[str]]) -> dict[str, float]:
    """By the stop words that each document has most of; where none, it is not counted."""
    lists = {name: frozenset(words.split()) for name, words in WORDS.items()}
    counts: collections.Counter[str] = collections.Counter()
    for words in documents:
        hits = {name: sum(word in known for word in words) for name, known in lists.items()}
        best = max(hits, key=lambda name: hits[name])
        if hits[best] >= max(2, len(words) / 10):
            counts[best] += 1
    return _largest(counts, len(documents))


def _largest(counts: collections.Counter[str], total: int = 0) -> dict[str, float]:
    whole = total or sum(counts.values()) or 1
    return {name: n / whole for name, n in counts.most_common(4) if n >= 0.01 * whole}
