"""Long Sent: the longest sentences (A4).

Zelenkov, Segalovich 2007, section 4.5.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from twinset.finding.methods.base import About
from twinset.finding.methods.heaviest import HeaviestSentences
from twinset.model import Floats
from twinset.text.statistics import Statistics
from twinset.text.tokens import Tokens


@dataclass(frozen=True, slots=True)
class LongSent(HeaviestSentences):
    """A4: the two sentences with the most words; the best recall of the methods with one key."""

    sentences: ClassVar[bool] = True
    about: ClassVar[About] = About(
        paper="Zelenkov, Segalovich 2007, A4",
        named="Long Sent",
        needs="sentences",
        cost="linear, one pass",
        use="recall from a single key per document",
        avoid="pages whose longest sentence is boilerplate, and lists or tables without full stops",
        published="ROMIP: recall .84, precision .80, F .82",
    )

    def weights(self, tokens: Tokens, statistics: Statistics) -> Floats:
        """Words of the sentence."""
        return tokens.sentence_words.astype(float)
