"""What all images have in common: their options and the checks on them."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from typing_extensions import Self

Permutations = Literal["fast", "matrix"]


@dataclass(frozen=True, slots=True)
class Sized:
    """Options that every image shares; the seed comes from the plan unless given."""

    size: int = 128
    seed: int = 1
    permutations: Permutations = "fast"

    def faults(self) -> list[str]:
        """What is wrong with these options, as sentences."""
        found = []
        if not 1 <= self.size <= 65536:
            found.append(f"size must lie between 1 and 65536, not {self.size}")
        if self.seed < 0:
            found.append(f"seed must not be negative, as {self.seed} is")
        return found

    def narrowed(self: Self, size: int) -> Self:
        """The same image in another size."""
        return dataclasses.replace(self, size=size)

    @property
    def matrix(self) -> bool:
        """Whether the papers' random binary matrices permute the features."""
        return self.permutations == "matrix"
