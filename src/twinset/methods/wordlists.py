"""Word lists: the document's words dealt out over a few lists, a key for each.

Pugh, Henzinger: Detecting duplicate and near-duplicate files (US patent 6,658,423), as told in
Zelenkov, Segalovich 2007, section 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from twinset import _kernels
from twinset.methods.base import About, Cleaned, Signature
from twinset.spec import option
from twinset.text.statistics import Statistics
from twinset.text.tokens import Lists, Tokens


@dataclass(frozen=True, slots=True)
class WordLists(Signature):
    """Every distinct word goes to one of ``lists`` lists by its hash; one equal list is enough.

    A list of fewer than ``least`` words is no key. Everything random comes from ``seed``.
    """

    lists: int = option(8, "Every distinct word goes to one of lists lists by its hash;")
    least: int = option(3, "A list of fewer than least words is no key.")
    seed: int = option(1, "Everything random comes from seed.")
    about: ClassVar[About] = About(
        paper="Pugh, Henzinger 2003 (patent); Zelenkov, Segalovich 2007",
        cost="linear, one pass",
        use="fewer changed words than lists: then one list is untouched for certain",
        avoid="short documents, whose lists hold few words and meet by chance",
        published="none",
    )

    def faults(self) -> list[str]:
        """What is wrong with these options, as sentences."""
        found = Cleaned.faults(self)
        if not 1 <= self.lists <= 1000:
            found.append(f"lists must lie between 1 and 1000, not {self.lists}")
        if self.least < 1:
            found.append(f"least must be at least 1, not {self.least}")
        return (
            found if self.seed >= 0 else [*found, f"seed must not be negative, as {self.seed} is"]
        )

    def keys(self, tokens: Tokens, statistics: Statistics) -> Lists:
        """A key for each list that is long enough."""
        words = tokens.distinct()
        return _kernels.list_keys(
            words.hashes, words.offsets, self.lists, self.seed, self.least, tokens.threads
        )
