"""The plans among which `tune` chooses: a way to compare documents and a threshold for each.

The *preset* is the answer unless the collection gives evidence for another.
"""

from __future__ import annotations

from dataclasses import dataclass

from twinset.lab.tuning.views import TermView
from twinset.plan import Plan

PRESET_VIEW = TermView("word", 2, "cosine")
STRICT_VIEW = TermView("word", 5, "jaccard")
CHARACTERS_VIEW = TermView("char", 5, "cosine")


@dataclass(frozen=True, slots=True)
class Choice:
    """A view at a threshold, under the name by which `tune` speaks of it."""

    name: str
    view: TermView
    threshold: float

    def applied(self, plan: Plan) -> Plan:
        """The plan with this way to compare documents."""
        return Plan.make(plan=plan, **self.view.options(self.threshold))

    def at(self, threshold: float, name: str) -> Choice:
        """The same view at another threshold."""
        return Choice(name, self.view, threshold)


PRESET = Choice("preset", PRESET_VIEW, 0.54)
# Where documents that are no copies share most of their text; on every labelled collection at hand
# it has a higher F1 than the same at 0.8, which `find` goes by when nothing is said.
STRICT = Choice("strict", STRICT_VIEW, 0.75)
DEFAULT = Choice("default", STRICT_VIEW, 0.8)
