"""Lex Rand: I-Match with more lexicons, each without a random third of the words (A7).

Zelenkov, Segalovich 2007, section 4.8; Kolcz, Chowdhury, Alspector: Improved robustness of
signature-based near-replica detection via lexicon randomization (KDD 2004).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from twinset import _kernels
from twinset.finding.methods.base import About
from twinset.finding.methods.imatch import IMatch
from twinset.model import FeatureLists, Ragged
from twinset.plan import shared
from twinset.plan.spec import option
from twinset.text.statistics import Statistics
from twinset.text.tokens import Tokens


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
