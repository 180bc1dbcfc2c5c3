"""TF: the most frequent words (A1).

Zelenkov, Segalovich: Comparative analysis of near-duplicate detection methods of Web documents
(RCDL 2007), section 4.2; after Park, Pennock, Giles, Krovetz (SIGIR 2002).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from twinset.finding.methods.base import About
from twinset.finding.methods.heaviest import HeaviestWords
from twinset.model import Floats
from twinset.text.statistics import Statistics
from twinset.text.tokens import Distinct


@dataclass(frozen=True, slots=True)
class TF(HeaviestWords):
    """A1: the six most frequent words of a document; needs no collection statistics."""

    about: ClassVar[About] = About(
        paper="Zelenkov, Segalovich 2007, A1",
        named="TF",
        cost="linear, one pass",
        use="a quick first look at long documents; tolerates changes of less frequent words",
        avoid="short documents, where many words occur once and ties decide",
        published="ROMIP: recall .60, precision .94, F .73",
    )

    def weights(self, words: Distinct, statistics: Statistics) -> Floats:
        """tf."""
        return words.tf.astype(float)
