"""What to make: the options of ``generate``, checked once, all faults told together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from twinset.errors import PlanError
from twinset.lab.generation.recipe import Recipe

Originals = Literal["sources", "all", "none"]


@dataclass(frozen=True, slots=True)
class Making:
    """How many variants of how many documents, and what stands beside them.

    ``limit`` None takes every document; ``originals`` are kept of the documents that have variants
    (sources), of all, or not at all. Pairs whose Jaccard similarity is below ``least_similarity``
    are not called true.
    """

    recipe: Recipe
    limit: int | None = None
    variants: int = 1
    originals: Originals = "sources"
    seed: int = 1
    least_similarity: float = 0.0

    def faults(self) -> list[str]:
        """What is wrong with these options, as sentences."""
        found = []
        if self.limit is not None and self.limit < 1:
            found.append(f"documents must be at least 1, not {self.limit}")
        if not 1 <= self.variants <= 10_000:
            found.append(f"variants must lie between 1 and 10000, not {self.variants}")
        if self.originals not in get_args(Originals):
            found.append(f"originals must be sources, all or none, not '{self.originals}'")
        if self.seed < 0:
            found.append(f"seed must be at least 0, not {self.seed}")
        if not 0 <= self.least_similarity <= 1:
            found.append(
                f"least-similarity must lie between 0 and 1, not {self.least_similarity:g}"
            )
        return found


def recipe_of(ops: Sequence[str] | None, recipe: Recipe | str | None) -> Recipe:
    """The recipe that was given in one of the two ways."""
    if ops and recipe is not None:
        raise PlanError(["give operations or a recipe, not both"])
    if isinstance(recipe, Recipe):
        return recipe
    return Recipe.load(recipe) if recipe is not None else Recipe.parse(list(ops or ()))
