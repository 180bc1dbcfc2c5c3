"""What kind of collection this is, as far as a measured number tells it.

Each situation is one statistic with the limit from which on it is named. The limits lie between
what was measured on labelled collections that are of the kind and on those that are not; the manual
has the table.
"""

from __future__ import annotations

import collections
import re
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from twinset import _kernels
from twinset.lab.tuning.decision import LIMITS
from twinset.lab.tuning.noise import Noise
from twinset.lab.tuning.relation import PairLevel
from twinset.lab.tuning.views import Neighbours
from twinset.model import Floats, Ints
from twinset.text.terms import TermCounts

Kind = Literal["scans", "forms", "numbers", "excerpts", "short", "site"]
WORD = re.compile(r"\w+")

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


def scans(noise: Noise) -> Situation:
    """Words that a scanner has garbled; one letter is counted where look-alikes are not seen."""
    by_look = noise.confusable / CONFUSABLE >= noise.one_letter / ONE_LETTER
    value, limit = (noise.confusable, CONFUSABLE) if by_look else (noise.one_letter, ONE_LETTER)
    says = "scans: words are garbled as scanners do it, share of all words"
    return Situation("scans", value, limit, value >= limit, says)


def certainly_scans(noise: Noise) -> bool:
    """Whether look-alikes show it; one letter differs in words of some languages as well."""
    return noise.confusable >= CONFUSABLE


def forms(words: PairLevel, strict: PairLevel) -> Situation:
    """Crowds of documents that have most of their text in common.

    Either in passages, as ``strict`` shows, or in words, where a crowd is not alike among itself.
    """
    says = "forms and templates: documents that one has most of its text in common with"
    crowd = max(strict.crowd, words.crowd if words.cohesion < COHESIVE else 0.0)
    return Situation("forms", crowd, CROWD, crowd >= CROWD, says)


def numbers(gap: float | None) -> Situation:
    """Similar documents that differ in their numbers."""
    says = "forms or versions: similar documents differ in their numbers more than in words, by"
    difference = max(0.0, -(gap or 0.0))
    return Situation("numbers", difference, -NUMBERS, difference >= -NUMBERS, says)


def short(words: int) -> Situation:
    """A few words each."""
    says = "short texts: words of a document in the middle"
    holds = words <= SHORT
    return Situation("short", words, SHORT, holds, says)


def excerpts(share: float | None, site: bool) -> Situation:
    """Documents inside others; pages of a site contain each other's frame and are none."""
    says = "excerpts: of the pairs where one lies inside the other, share with much more text"
    value = share or 0.0
    return Situation("excerpts", value, EXCERPTS, value >= EXCERPTS and not site, says)


def site(share: float, *, forms: bool) -> Situation:
    """Lines that documents of many groups share, and that are not most of their text."""
    says = (
        "pages of a site, or texts with a common frame: share of the text in lines that many "
        "unlike documents have"
    )
    return Situation("site", share, REPEATED, share >= REPEATED and not forms, says)


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
