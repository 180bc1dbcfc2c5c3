"""The plans among which `tune` chooses: a way to compare documents and a threshold for each.

The *preset* is the answer unless the collection gives evidence for another.
"""

from __future__ import annotations

from dataclasses import dataclass

from twinset.lab.tuning.views import TermView
from twinset.methods.tfidfcosine import TfidfCosine
from twinset.plan import Keep, Plan

STRICT_VIEW = TermView("word", 5, "jaccard")
CHARACTERS_VIEW = TermView("char", 5, "cosine")


@dataclass(frozen=True, slots=True)
class PlanChoice:
    """A view at a threshold, under the name by which `tune` speaks of it."""

    name: str
    view: TermView
    threshold: float
    keep: tuple[Keep, ...] = ()

    def applied(self, plan: Plan, *, keeps: bool = True) -> Plan:
        """The plan with this way to compare documents; ``keeps`` leaves what it keeps as it is."""
        options = self.view.options(self.threshold)
        if not keeps and self.keep:
            options["keep"] = self.keep
        return Plan.make(plan=plan, **options)

    def at(self, threshold: float, name: str) -> PlanChoice:
        """The same view at another threshold."""
        return PlanChoice(name, self.view, threshold, self.keep)


def _preset() -> PlanChoice:
    """The preset for texts as a view, so that its pairs can be looked at."""
    plan = Plan.make(preset="text")
    method = plan.method
    assert isinstance(method, TfidfCosine)
    view = TermView(method.unit, method.length, "cosine", method.contained)
    return PlanChoice("preset", view, plan.threshold, plan.keep)


PRESET = _preset()
# Where documents that are no copies share most of their text.
STRICT = PlanChoice("strict", STRICT_VIEW, 0.75)
# What `find` goes by when nothing is said.
DEFAULT = PlanChoice("default", STRICT_VIEW, 0.8)
