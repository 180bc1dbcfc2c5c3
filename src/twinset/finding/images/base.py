"""What all images have in common: their options and the checks on them."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal

from twinset.plan import shared
from twinset.plan.spec import option

if TYPE_CHECKING:
    from typing_extensions import Self

Permutations = Literal["fast", "matrix"]


permuted = partial(
    option, "fast", "Fast permutations, or the random binary matrices of the papers."
)


@dataclass(frozen=True, slots=True)
class Sized:
    """Options of the images that permute features; the seed comes from the plan unless given."""

    size: int = option(128, "Number of values in the image.", least=1, most=65536)
    seed: int = shared.seed()
    permutations: Permutations = permuted()  # noqa: RUF009

    def narrowed(self: Self, size: int) -> Self:
        """The same image in another size."""
        return dataclasses.replace(self, size=size)

    @property
    def most_promised(self) -> int:
        """The most common values that `chance` can promise, where the image is a set."""
        return self.size

    @property
    def matrix(self) -> bool:
        """Whether the papers' random binary matrices permute the features."""
        return self.permutations == "matrix"
