"""Lex Rand: I-Match with more lexicons, each without a random third of the words (A7).

Zelenkov, Segalovich 2007, section 4.8; Kolcz, Chowdhury, Alspector: Improved robustness of
signature-based near-replica detection via lexicon randomization (KDD 2004).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from twinset import _kernels
from twinset.methods.base import About
from twinset.methods.imatch import IMatch
from twinset.spec import option
from twinset.text.statistics import Statistics
from twinset.text.tokens import Lists, Tokens


@dataclass(frozen=True, slots=True)
class LexRand(IMatch):
    """A7: I-Match and ``lexica`` more keys; one in common is enough.

    Each further lexicon lacks every word with probability ``share``, drawn from ``seed``. If n
    words change, one of the further keys survives with probability 1-(1-share^n)^lexica.
    """

    lexica: int = option(10, "A7: I-Match and lexica more keys;")
    share: float = option(
        0.33, "Each further lexicon lacks every word with probability share, drawn from seed."
    )
    seed: int = option(
        1, "Each further lexicon lacks every word with probability share, drawn from seed."
    )
    about: ClassVar[About] = About(
        paper="Zelenkov, Segalovich 2007, A7; Kolcz, Chowdhury, Alspector 2004",
        needs="collection statistics (df)",
        cost="linear, two passes",
        use="precision with some tolerance: one changed word is survived with probability .98",
        avoid="documents that differ in more than two words of the lexicon",
        published="ROMIP: recall .50, precision .97, F .66",
    )

    def faults(self) -> list[str]:
        """What is wrong with these options, as sentences."""
        found = IMatch.faults(self)
        if not 0 <= self.lexica <= 1000:
            found.append(f"lexica must lie between 0 and 1000, not {self.lexica}")
        if not 0 <= self.share < 1:
            found.append(f"share must be at least 0 and below 1, not {self.share:g}")
        return (
            found if self.seed >= 0 else [*found, f"seed must not be negative, as {self.seed} is"]
        )

    def keys(self, tokens: Tokens, statistics: Statistics) -> Lists:
        """A key for each lexicon of which the document has enough words."""
        words = tokens.distinct()
        return _kernels.lexicon_keys(
            words.hashes,
            words.offsets,
            self.inside(words, statistics),
            self.lexica,
            self.share,
            self.seed,
            self.least,
            tokens.threads,
        )
