"""Methods whose keys are made of sets of words: I-Match, Lex Rand, word lists.

Chowdhury, Frieder, Grossman, McCabe: Collection statistics for fast duplicate document detection
(ACM TOIS 2002) sum up the sorted words inside a lexicon by SHA-1; any hash of the set gives the
same groups, and here it is one of 64 bits that needs no sorting. Lex Rand: Zelenkov, Segalovich
2007, section 4.8; Kolcz, Chowdhury, Alspector: Improved robustness of signature-based near-replica
detection via lexicon randomization (KDD 2004). Word lists: Pugh, Henzinger: Detecting duplicate and
near-duplicate files (US patent 6,658,423), as told in Zelenkov, Segalovich 2007, section 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from twinset import _kernels
from twinset.finding.methods.base import About
from twinset.finding.methods.keys import Cleaned, Signature, disordered
from twinset.model import FeatureLists, Ragged
from twinset.plan import shared
from twinset.plan.spec import option
from twinset.text.statistics import Statistics
from twinset.text.tokens import Distinct, Tokens


@dataclass(frozen=True, slots=True)
class IMatch(Signature):
    """The set of words of a document that are neither rare nor common in the collection.

    The lexicon is the words whose normalised IDF, log(N/df)/log(N), lies from ``low`` to ``high``.
    A document with fewer than ``least`` of them has no key.
    """

    low: float = option(
        0.1, "Minimum normalised IDF, log(N/df)/log(N), of a word of the lexicon.", least=0, most=1
    )
    high: float = option(0.9, "Maximum normalised IDF of a word of the lexicon.", least=0, most=1)
    least: int = option(
        5, "Minimum number of lexicon words that a document needs to get a key.", least=1
    )
    counts: ClassVar[bool] = True
    about: ClassVar[About] = About(
        paper="Chowdhury, Frieder, Grossman, McCabe 2002",
        needs="collection statistics (df)",
        cost="linear, two passes",
        use="short and reordered documents: the order of words does not matter",
        avoid="documents that differ in one word of the lexicon: use lexrand",
        published="none in the source paper; see lexrand",
    )

    def faults(self) -> list[str]:
        """What is wrong with these options beyond their bounds, as sentences."""
        return Cleaned.faults(self) + disordered(self.low, self.high)

    def inside(self, words: Distinct, statistics: Statistics) -> NDArray[np.uint8]:
        """1 where a word belongs to the lexicon; in a collection of one document none does."""
        if statistics.documents < 2:
            return np.zeros(len(words.first), np.uint8)
        rarity = statistics.frequencies.idf(words.hashes, words.tokens.threads, "normalised")
        inside: NDArray[np.uint8] = ((rarity >= self.low) & (rarity <= self.high)).astype(np.uint8)
        return inside

    def keys(self, tokens: Tokens, statistics: Statistics) -> FeatureLists:
        """One key for each document that has enough words of the lexicon."""
        words = tokens.distinct()
        inside = self.inside(words, statistics)
        return Ragged(
            *_kernels.lexicon_keys(
                words.hashes, words.offsets, inside, 0, 0.0, 0, self.least, tokens.threads
            )
        )


@dataclass(frozen=True, slots=True)
class LexRand(IMatch):
    """A7: the I-Match key and ``lexica`` more keys; one common key is enough.

    Each further lexicon lacks every word with probability ``share``, drawn from ``seed``. If n
    words change, one of the further keys survives with probability 1-(1-share^n)^lexica.
    """

    lexica: int = option(
        10, "Number of further lexica; each gives one more key.", least=0, most=1000
    )
    share: float = option(
        0.33, "Share of the words that each further lexicon leaves out.", least=0, below=1
    )
    seed: int = shared.seed()
    about: ClassVar[About] = About(
        paper="Zelenkov, Segalovich 2007, A7; Kolcz, Chowdhury, Alspector 2004",
        named="Lex Rand",
        needs="collection statistics (df)",
        cost="linear, two passes",
        use="precision with some tolerance: a key survives one changed word with probability .98",
        avoid="documents that differ in more than two words of the lexicon",
        published="ROMIP: recall .50, precision .97, F .66",
    )

    def keys(self, tokens: Tokens, statistics: Statistics) -> FeatureLists:
        """A key for each lexicon of which the document has enough words."""
        words = tokens.distinct()
        return Ragged(
            *_kernels.lexicon_keys(
                words.hashes,
                words.offsets,
                self.inside(words, statistics),
                self.lexica,
                self.share,
                self.seed,
                self.least,
                tokens.threads,
            )
        )


@dataclass(frozen=True, slots=True)
class WordLists(Signature):
    """The hash of each word puts it into one of ``lists`` lists; one equal list is enough.

    A list of fewer than ``least`` words is not a key. All random choices come from ``seed``.
    """

    lists: int = option(
        8, "Number of lists that the words of a document are divided into.", least=1, most=1000
    )
    least: int = option(3, "Minimum number of words that a list needs to be a key.", least=1)
    seed: int = shared.seed()
    about: ClassVar[About] = About(
        paper="Pugh, Henzinger 2003 (patent); Zelenkov, Segalovich 2007",
        cost="linear, one pass",
        use="fewer changed words than lists: one list is then certainly unchanged",
        avoid="short documents, whose lists contain few words and agree by chance",
        published="none",
    )

    def keys(self, tokens: Tokens, statistics: Statistics) -> FeatureLists:
        """A key for each list that is long enough."""
        words = tokens.distinct()
        return Ragged(
            *_kernels.list_keys(
                words.hashes, words.offsets, self.lists, self.seed, self.least, tokens.threads
            )
        )
