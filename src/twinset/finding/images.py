"""Document images: what stands for a document when candidates are sought.

A *sketch* (`OnePermutation`, `MinWise`) has a fixed width and agrees in a place with probability
equal to the Jaccard similarity; bands are cut from it. A *set* (`Bottom`, `Mod`, `Logarithmic`,
`Full`) is a sorted sample of the permuted features; candidates share enough of them. [Broder 1997;
Kuznetsov et al.; mod: Manber 1994; log: Zelenkov, Segalovich 2007, section 4.9, who make one key of
it, the method ``logshingles``] A new image is a class here and a line in the registry.

`image_sets` makes a set of any image: a value of a sketch counts together with its place. Of two
samples of smallest values, Broder's estimate of the Jaccard similarity is the share of the smallest
values of their union that is in both.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from twinset import _kernels
from twinset.model import FeatureLists, Floats, Ints, Ragged, Sketch
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


# Li, Owen, Zhang: One Permutation Hashing (NIPS 2012). Empty bins are filled by "rounds": every
# feature is thrown again until no bin is empty [Dahlgaard, Knudsen, Thorup: Fast Similarity
# Sketching (FOCS 2017)], so that short documents keep the accuracy of long ones; or by "optimal":
# an empty bin copies a filled one found by its own random probes [Shrivastava: Optimal
# Densification for Fast and Accurate Minwise Hashing (ICML 2017)]. With many times ``size``
# features no bin is empty, and both are the same.
@dataclass(frozen=True, slots=True)
class OnePermutation(Sized):
    """Sketch of ``size`` bins from a single permutation: the default, fast and accurate."""

    densify: Literal["rounds", "optimal"] = option("rounds", "How to fill empty bins.")
    shape: ClassVar[str] = "sketch"

    def sketch(self, features: FeatureLists, threads: int) -> NDArray[np.uint64]:
        """One row of bins for each feature list."""
        rounds = self.densify == "rounds"
        return _kernels.oph(
            features.values,
            features.offsets,
            self.size,
            self.seed,
            self.matrix,
            rounds,
            threads,
        )


@dataclass(frozen=True, slots=True)
class MinWise(Sized):
    """Sketch of the smallest value under each of ``size`` permutations."""

    shape: ClassVar[str] = "sketch"

    def sketch(self, features: FeatureLists, threads: int) -> NDArray[np.uint64]:
        """One row of minima for each feature list."""
        return _kernels.minwise(
            features.values, features.offsets, self.size, self.seed, self.matrix, threads
        )


@dataclass(frozen=True, slots=True)
class Bottom(Sized):
    """Set of the ``size`` smallest permuted features; all features if there are fewer."""

    size: int = option(100, "Number of smallest values to keep.", least=1, most=65536)
    shape: ClassVar[str] = "set"

    def image(self, features: FeatureLists, threads: int) -> FeatureLists:
        """A sorted list of at most ``size`` values for each feature list."""
        least = (self.size, self.seed, self.matrix, threads)
        return Ragged(*_kernels.bottom(features.values, features.offsets, *least))

    def chance(self, common: int, similarity: float) -> float:
        """Of the ``size`` least features of the union a binomial share is common [Broder 1997]."""
        return at_least(common, self.size, similarity)


def at_least(count: int, trials: int, chance: float) -> float:
    """P(X >= count) for X binomial(trials, chance)."""
    if count <= 0 or chance >= 1.0:
        return 1.0
    if chance <= 0.0:
        return 0.0
    whole = math.lgamma(trials + 1)
    terms = (
        whole
        - math.lgamma(k + 1)
        - math.lgamma(trials - k + 1)
        + k * math.log(chance)
        + (trials - k) * math.log1p(-chance)
        for k in range(count, trials + 1)
    )
    return min(1.0, math.fsum(map(math.exp, terms)))


@dataclass(frozen=True, slots=True)
class Mod(Sized):
    """Set of about one in ``size`` features; a short document may have none."""

    size: int = option(
        25,
        "Keep every n-th value on average: those whose hash is divisible by this number.",
        least=1,
        most=65536,
    )
    shape: ClassVar[str] = "set"

    def image(self, features: FeatureLists, threads: int) -> FeatureLists:
        """A sorted list of the values divisible by ``size`` for each feature list."""
        least = (self.size, self.seed, self.matrix, threads)
        return Ragged(*_kernels.mod(features.values, features.offsets, *least))

    def chance(self, common: int, similarity: float) -> float:
        """One shared value is nearly sure for long documents; more is not promised."""
        return 1.0 if similarity > 0 and common <= 1 else 0.0


HALVINGS = 7
"""How often a document of 256 features is halved, less one: the last halves may be empty."""


@dataclass(frozen=True, slots=True)
class Logarithmic:
    """Set of the smallest permuted features divisible by 1, 2, 4, ...: about log2(n)/2 + 1 of n."""

    seed: int = shared.seed()
    permutations: Permutations = permuted()  # noqa: RUF009
    shape: ClassVar[str] = "set"
    most_promised: ClassVar[int] = 1
    most_values: ClassVar[int] = 64  # one for each power of two below 2**64

    def image(self, features: FeatureLists, threads: int) -> FeatureLists:
        """A sorted list of values for each feature list."""
        chosen = (self.seed, self.permutations == "matrix", threads)
        return Ragged(*_kernels.logarithmic(features.values, features.offsets, *chosen))

    def chance(self, common: int, similarity: float) -> float:
        """That one value is common, for documents of 256 features or more; two are not promised.

        The least feature of the union is in its sample, and with each halving a new one is as
        likely as not. Each is common with a chance of the similarity, and is then in both images.
        """
        if common > 1:
            return 0.0
        return 1.0 - (1.0 - similarity) * (1.0 - similarity / 2) ** HALVINGS


@dataclass(frozen=True, slots=True)
class Full:
    """Set of all features."""

    shape: ClassVar[str] = "set"
    most_promised: ClassVar[int] = 1

    def image(self, features: FeatureLists, threads: int) -> FeatureLists:
        """The feature lists themselves."""
        return features

    def chance(self, common: int, similarity: float) -> float:
        """Similar documents share a feature for certain; more is not promised."""
        return 1.0 if similarity > 0 and common <= 1 else 0.0


PLACE_BITS = 16
"""Enough for the places of the largest sketch."""
AT_ONCE = 4_000_000
"""Values that are sorted together: a bound on memory."""


def image_sets(image: Any, features: FeatureLists, threads: int) -> FeatureLists:
    """The images of some documents, each a sorted set of values."""
    if image.shape == "sketch":
        return placed(image, features, threads)
    sets: FeatureLists = image.image(features, threads)
    return sets


def placed(image: Sketch, features: FeatureLists, threads: int) -> FeatureLists:
    """Sketches as sets: a value counts together with its place, so that only equal places meet.

    A document without features has an empty set, for otherwise all such documents would be equal.
    """
    sizes = np.where(features.lengths > 0, image.size, 0)
    rows = image.sketch(features, threads)[sizes > 0]
    marked = (rows << np.uint64(PLACE_BITS)) | np.arange(image.size, dtype=np.uint64)
    marked.sort(axis=1)
    return Ragged.from_lengths(marked.ravel(), sizes)


def broder_estimates(samples: FeatureLists, left: Ints, right: Ints, size: int) -> Floats:
    """Of the ``size`` smallest values of the union of two samples the share that is in both.

    Where the union has fewer values both documents are known whole, and this is their Jaccard
    similarity; 0 for an empty sample.
    """
    estimates = np.zeros(len(left))
    width = int(samples.lengths.max(initial=0))
    step = max(1, AT_ONCE // max(1, 2 * width))
    for begin in range(0, len(left), step):
        part = slice(begin, begin + step)
        estimates[part] = _estimates(samples, left[part], right[part], size, width)
    return estimates


def _estimates(samples: FeatureLists, left: Ints, right: Ints, size: int, width: int) -> Floats:
    lengths = samples.lengths
    both = np.full((len(left), 2 * width), ~np.uint64(0))
    columns = np.arange(width)
    for half, documents in ((0, left), (width, right)):
        there = columns < lengths[documents][:, None]
        places = samples.offsets[documents][:, None] + columns
        both[:, half : half + width][there] = samples.values[places[there]]
    both.sort(axis=1)
    valid = np.arange(2 * width) < (lengths[left] + lengths[right])[:, None]
    new = np.ones(both.shape, bool)
    new[:, 1:] = both[:, 1:] != both[:, :-1]
    rank = np.cumsum(new & valid, axis=1)
    smallest = np.minimum(size, rank[:, -1]) if both.shape[1] else np.zeros(len(left), np.int64)
    common = np.sum(~new & valid & (rank <= smallest[:, None]), axis=1)
    shares: Floats = np.divide(common, smallest, out=np.zeros(len(left)), where=smallest > 0)
    return shares
