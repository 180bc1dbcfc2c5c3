"""What was decided on the documents, handed out in reading order as their records go by."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from twinset.errors import ReadError
from twinset.lazy_dataclass import dataclass
from twinset.model.outcomes import Outcomes

Mask = NDArray[np.bool_]
# What a record is: a document, part of the frame that every output needs, or neither.
ROW, FRAME, OTHER = 0, 1, 2


@dataclass
class DecisionQueue:
    """The outcomes of all documents, of which some are used up."""

    outcomes: Outcomes
    used: int = 0

    def take(self, count: int) -> Outcomes:
        """Those of the next documents."""
        outcomes = self.outcomes.slice(self.used, count)
        if len(outcomes) < count:
            raise changed_input()
        self.used += count
        return outcomes

    def coming(self, count: int) -> Outcomes:
        """Those of the next documents, which stay to be taken."""
        return self.outcomes.slice(self.used, count)

    def ensure_used(self) -> None:
        """Raise where documents are missing that the outcomes speak of."""
        if self.used != len(self.outcomes):
            raise changed_input()


def changed_input() -> ReadError:
    """The fault of an input that has more or fewer documents than were decided on."""
    return ReadError("input", None, "the input has changed since it was read; run again")
