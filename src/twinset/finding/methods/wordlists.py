"""Word lists: the document's words dealt out over a few lists, a key for each.

Pugh, Henzinger: Detecting duplicate and near-duplicate files (US patent 6,658,423), as told in
Zelenkov, Segalovich 2007, section 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from twinset import _kernels
from twinset.finding.methods.base import About
from twinset.finding.methods.keys import Signature
from twinset.model import FeatureLists, Ragged
from twinset.plan import shared
from twinset.plan.spec import option
from twinset.text.statistics import Statistics
from twinset.text.tokens import Tokens


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
