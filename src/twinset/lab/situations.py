"""What kind of collection this is, as far as a measured number tells it.

Each situation is one statistic with the limit from which on it is named. The limits lie between
what was measured on labelled collections that are of the kind and on those that are not; the manual
has the table.

A garbled word is rare and, but for what scanners confuse, is a word that the collection knows:
``frorn`` for ``from``, ``c1ose`` for ``close``. Rare words as such say nothing, since names are
rare, and neither do endings, which differ in every language.
"""

from __future__ import annotations

import collections
import re
import unicodedata
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from twinset import _kernels
from twinset.lab.decision import LIMITS
from twinset.lab.views import Neighbours, PairLevel, TermView
from twinset.model import Floats, Ints
from twinset.text.stopwords import WORDS
from twinset.text.terms import TermCounts

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
    some = _spread(texts)
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


def _spread(texts: list[str]) -> list[str]:
    return [texts[i] for i in np.linspace(0, len(texts) - 1, min(len(texts), MOST)).astype(int)]


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


HEAD_READ = 4000  # characters of each
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
    some = _spread(texts)
    counts: collections.Counter[str] = collections.Counter()
    documents: collections.Counter[str] = collections.Counter()
    for text in some:
        words = WORD.findall(text[:HEAD_READ].lower())
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


Kind = Literal["scans", "forms", "numbers", "excerpts", "short", "site"]

CONFUSABLE, ONE_LETTER = 0.003, 0.01  # shares of garbled words
CROWD, COHESIVE = LIMITS.crowd, LIMITS.cohesive
MOSTLY = 0.4  # Jaccard similarity of texts with most of their passages in common
NUMBERS = -0.05  # by how much numbers agree less than words
APART = 0.1  # by how much more where a stricter plan drops a pair
FEWEST_NUMBERS, FEWEST_WITH_NUMBERS = 3, 30
INSIDE, LITTLE = 0.7, 0.5  # containment and Jaccard similarity of an excerpt and its source
EXCERPTS, FEWEST_EXCERPTS = 0.4, 20
SHORT = 30  # words
REPEATED, FEWEST_GROUPS, LINE = 0.25, 5, 2
MOST_PAIRS = 3000
MOST_TEXTS = 2000
FEWEST_TERMS = 20
RELATED = 0.25  # cosine of an excerpt of a sixteenth and its source


@dataclass(frozen=True, slots=True)
class Situation:
    """A kind of collection with the statistic that names it."""

    kind: Kind
    statistic: float
    limit: float
    holds: bool
    says: str

    @property
    def sentence(self) -> str:
        """What is seen, and by which number."""
        return f"{self.says} (measured {self.statistic:.3g}, named from {self.limit:.3g} on)"


SAYS: dict[Kind, str] = {
    "scans": "scans: words are garbled as scanners do it, share of all words",
    "forms": "forms and templates: documents that one has most of its text in common with",
    "numbers": "forms or versions: similar documents differ in their numbers more than in words, "
    "by",
    "excerpts": "excerpts: of the pairs where one lies inside the other, share with much more text",
    "short": "short texts: words of a document in the middle",
    "site": "pages of a site, or texts with a common frame: share of the text in lines that many "
    "unlike documents have",
}


def named(
    noise: Noise,
    *,
    words: PairLevel,
    strict: PairLevel,
    gap: float | None,
    inside: float | None,
    length: int,
    repeated: float,
) -> tuple[Situation, ...]:
    """Every kind with its statistic; a new one is a line here and in `SAYS`."""
    # One letter is counted where look-alikes are not seen.
    by_look = noise.confusable / CONFUSABLE >= noise.one_letter / ONE_LETTER
    garbled, limit = (noise.confusable, CONFUSABLE) if by_look else (noise.one_letter, ONE_LETTER)
    # Crowds have most of their text in common, in passages, as ``strict`` shows, or in words, where
    # a crowd is not alike among itself.
    crowd = max(strict.crowd, words.crowd if words.cohesion < COHESIVE else 0.0)
    forms = crowd >= CROWD
    differ, inside = max(0.0, -(gap or 0.0)), inside or 0.0
    site = repeated >= REPEATED and not forms
    # Pages of a site contain each other's frame and are no excerpts.
    excerpts = inside >= EXCERPTS and not site and not forms
    rows: list[tuple[Kind, float, float, bool]] = [
        ("scans", garbled, limit, garbled >= limit),
        ("forms", crowd, CROWD, forms),
        ("numbers", differ, -NUMBERS, differ >= -NUMBERS),
        ("excerpts", inside, EXCERPTS, excerpts),
        ("short", length, SHORT, length <= SHORT),
        ("site", repeated, REPEATED, site),
    ]
    return tuple(Situation(*row, SAYS[row[0]]) for row in rows)


def certainly_scans(noise: Noise) -> bool:
    """Whether look-alikes show it; one letter differs in words of some languages as well."""
    return noise.confusable >= CONFUSABLE


def repeated_share(texts: list[str], groups: Ints) -> float:
    """The share of a text that stands in lines of at least five groups, averaged over texts.

    Groups are near-duplicates: the lines of a page and its copy are not shared by many.
    """
    holders: dict[str, set[int]] = collections.defaultdict(set)
    documents = []
    for text, group in zip(texts[:MOST_TEXTS], groups[:MOST_TEXTS].tolist(), strict=True):
        lines = [WORD.findall(line.lower()) for line in text.splitlines()]
        documents.append(lines)
        for words in lines:
            if len(words) >= LINE:
                holders[" ".join(words)].add(group)
    shares = []
    for lines in documents:
        inside = sum(
            len(words) for words in lines if len(holders.get(" ".join(words), ())) >= FEWEST_GROUPS
        )
        shares.append(inside / max(sum(map(len, lines)), 1))
    return float(np.mean(shares)) if shares else 0.0


def excerpt_share(counts: TermCounts, near: Neighbours, seed: int) -> float | None:
    """Of the pairs of which one lies inside the other, the share with a low Jaccard similarity."""
    rows = _some(np.flatnonzero(near.score >= RELATED), seed)
    left, right = near.left[rows], near.right[rows]
    sizes = counts.terms.lengths
    shared = _shared(counts, left, right)
    smaller = np.minimum(sizes[left], sizes[right])
    inside = (shared >= INSIDE * smaller) & (smaller >= FEWEST_TERMS)
    union = sizes[left] + sizes[right] - shared
    if int(inside.sum()) < FEWEST_EXCERPTS:
        return None
    return float((shared[inside] < LITTLE * union[inside]).mean())


def number_gap(texts: list[str], left: Ints, right: Ints, seed: int) -> float | None:
    """By how much the numbers of these pairs agree more than their words, on average."""
    rows = _some(np.arange(len(left)), seed, MOST_PAIRS // 5)
    gaps = []
    for one, other in zip(left[rows].tolist(), right[rows].tolist(), strict=True):
        (words, numbers), (others, other_numbers) = (_parts(texts[d]) for d in (one, other))
        if min(len(numbers), len(other_numbers)) >= FEWEST_NUMBERS:
            gaps.append(_contained(numbers, other_numbers) - _contained(words, others))
    return float(np.mean(gaps)) if len(gaps) >= FEWEST_WITH_NUMBERS else None


def told_apart(texts: list[str], near: Neighbours, kept: NDArray[np.bool_], seed: int) -> bool:
    """Whether pairs that a stricter plan drops differ in their numbers, and those it keeps do not.

    Then it drops forms and versions with other facts. Copies that were edited more lose words and
    numbers alike.
    """
    gaps = [number_gap(texts, near.left[part], near.right[part], seed) for part in (kept, ~kept)]
    if gaps[0] is None or gaps[1] is None:
        return False
    return gaps[0] - gaps[1] >= APART


def also_in(near: Neighbours, other: Neighbours, threshold: float) -> NDArray[np.bool_]:
    """Which pairs reach a threshold in another view as well."""
    reach = other.score >= threshold
    keys = near.left << 32 | near.right
    return np.isin(keys, (other.left << 32 | other.right)[reach])


def groups_at(near: Neighbours, threshold: float, documents: int) -> Ints:
    """The number of the group of each document, where chains of pairs make groups."""
    ends = near.score >= threshold
    left, right = (side[ends].astype(np.uint32) for side in (near.left, near.right))
    return _kernels.component_roots(documents, left, right)


def _some(rows: Ints, seed: int, most: int = MOST_PAIRS) -> Ints:
    if len(rows) <= most:
        return rows
    return np.sort(np.random.default_rng(seed).choice(rows, most, replace=False))


def _shared(counts: TermCounts, left: Ints, right: Ints) -> Floats:
    lists = counts.terms
    return np.array(
        [
            len(np.intersect1d(lists[a], lists[b], assume_unique=True))
            for a, b in zip(left.tolist(), right.tolist(), strict=True)
        ],
        float,
    )


def _parts(text: str) -> tuple[set[str], set[str]]:
    words = set(WORD.findall(text.lower()))
    return {word for word in words if word.isalpha()}, {word for word in words if word.isdigit()}


def _contained(a: set[str], b: set[str]) -> float:
    return len(a & b) / max(min(len(a), len(b)), 1)
