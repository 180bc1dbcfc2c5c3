"""The similarity vector of a pair of documents [Raveena, Nandini 2014].

Every component is a measure of one view of the documents, written ``view.measure``; a measure is
one formula over what two weighted lists have in common.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from twinset.finding.verify.measures import Containment, Jaccard
from twinset.model import Floats, Ints


@dataclass(frozen=True, slots=True)
class Common:
    """Of each pair: shared features, product of the weights, sum of the lesser ones.

    Then, as (left, right): the number of features, the sum of their weights and of the squares.
    """

    shared: Ints
    product: Floats
    lesser: Floats
    sizes: tuple[Ints, Ints]
    sums: tuple[Floats, Floats]
    squares: tuple[Floats, Floats]


def jaccard(common: Common) -> Floats:
    """|A∩B| / |A∪B|."""
    return Jaccard().score(common.shared, *common.sizes)


def containment(common: Common) -> Floats:
    """|A∩B| / min(|A|, |B|)."""
    return Containment().score(common.shared, *common.sizes)


def difference(common: Common) -> Floats:
    """Features that only one has, of all: 0 also where neither has any."""
    both = common.sizes[0] + common.sizes[1]
    return _ratio((both - 2 * common.shared).astype(float), (both - common.shared).astype(float))


def cosine(common: Common) -> Floats:
    """f1·f2 / (‖f1‖ ‖f2‖)."""
    return _ratio(common.product, np.sqrt(common.squares[0] * common.squares[1]))


def euclidean(common: Common) -> Floats:
    """√((f1−f2)·(f1−f2))."""
    square = common.squares[0] + common.squares[1] - 2 * common.product
    distance: Floats = np.sqrt(np.maximum(square, 0.0))
    return distance


def extended(common: Common) -> Floats:
    """Extended Jaccard: f1·f2 / (f1·f1 + f2·f2 − f1·f2)."""
    return _ratio(common.product, common.squares[0] + common.squares[1] - common.product)


def dice(common: Common) -> Floats:
    """2 f1·f2 / (f1·f1 + f2·f2)."""
    return _ratio(2 * common.product, common.squares[0] + common.squares[1])


def ratio(common: Common) -> Floats:
    """Sum of the lesser weights over the sum of the greater ones: Jaccard with weights."""
    return _ratio(common.lesser, common.sums[0] + common.sums[1] - common.lesser)


MEASURES: dict[str, Callable[[Common], Floats]] = {
    "jaccard": jaccard,
    "cosine": cosine,
    "euclidean": euclidean,
    "extended": extended,
    "dice": dice,
    "containment": containment,
    "ratio": ratio,
    "difference": difference,
}
DISTANCES = frozenset({"euclidean", "difference"})


def rises(feature: str) -> bool:
    """Whether a greater value means that documents are more alike."""
    return feature.partition(".")[2] not in DISTANCES


def _ratio(above: Floats, below: Floats) -> Floats:
    return np.divide(above, below, out=np.zeros(len(above)), where=below > 0)
