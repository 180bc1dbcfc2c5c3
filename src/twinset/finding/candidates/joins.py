"""Candidates by an exact join of feature lists, or of images that are sets at a lowered threshold.

Prefix, length and positional filter as in the similarity-join literature [Chaudhuri, Ganti,
Kaushik 2006; Bayardo, Ma, Srikant 2007; Xiao et al. 2008]; the loops are in ``prefix.hpp``. How
many values the images of two similar documents share varies by chance: the number asked for is the
largest that a pair at the wanted similarity still reaches with the wanted recall.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from twinset import _kernels
from twinset.errors import PlanError
from twinset.finding.candidates import base
from twinset.model import FeatureLists, SetImage
from twinset.plan import Resources


class JoinCandidates(base.PrefixLinks, base.Candidates):
    """Prefix keys, made once all documents are known because rare features come first."""

    def __init__(self, goal: base.Goal, resources: Resources) -> None:
        self.goal, self.resources = goal, resources

    def groups(self, store: _kernels.FeatureStore, use: NDArray[np.uint8]) -> base.Groups:
        """Groups by prefix feature."""
        documents, rule = np.flatnonzero(use).astype(np.uint32), self.joined_by()
        return base.prefix_groups(
            store, documents, *rule, self.resources, prune=True, counts=self.counts
        )

    def counted(self, features: FeatureLists, threads: int) -> FeatureLists:
        """The features."""
        return features

    def joined_by(self) -> tuple[int, float]:
        """The measure of the plan."""
        return self.goal.measure.number, self.goal.threshold

    def describe(self) -> dict[str, Any]:
        """The kind alone: there is nothing to solve for."""
        return {"kind": "join"}

    def probability(self, similarity: float) -> float:
        """One above the threshold; below it a pair is not sought."""
        least = self.goal.measure.least_jaccard(self.goal.threshold)
        return 1.0 if least is None or similarity >= least else 0.0


def common_needed(image: SetImage, similarity: float, recall: float) -> int:
    """The largest number of common image values that keeps the recall at this similarity."""
    low, high = 0, image.most_promised
    while low < high:
        middle = (low + high + 1) // 2
        if image.chance(middle, similarity) >= recall:
            low = middle
        else:
            high = middle - 1
    if low == 0:
        size = getattr(image, "size", None)
        raise PlanError(
            [
                f"{f'an image of size {size}' if size else 'this image'} reaches a recall of "
                f"{image.chance(1, similarity):.4f} at similarity {similarity:g}, not {recall:g}: "
                "take a larger image, a lower recall, or --exact"
            ]
        )
    return low


class SampledCandidates(base.PrefixLinks, base.Candidates):
    """The images joined exactly; pairs are then verified on the whole feature lists."""

    def __init__(self, image: SetImage, goal: base.Goal, resources: Resources) -> None:
        self.image, self.resources, self.dense = image, resources, goal.dense
        self.common = common_needed(image, goal.least_jaccard(), goal.recall)
        self._images = _kernels.FeatureStore(resources.keys_bytes, resources.folder)

    def prepare(self, features: FeatureLists, threads: int) -> FeatureLists:
        """The images."""
        return self.image.image(features, threads)

    def add(self, images: FeatureLists, documents: base.Numbers) -> None:
        """Take in the images of the documents."""
        self._images.append(images.values, images.offsets, self.resources.threads)

    def groups(self, store: _kernels.FeatureStore, use: NDArray[np.uint8]) -> base.Groups:
        """Groups by prefix feature of the images."""
        documents, rule = np.flatnonzero(use).astype(np.uint32), self.joined_by()
        groups = base.prefix_groups(
            self._images, documents, *rule, self.resources, counts=self.counts
        )
        # what is alone in an image need not be alone in the features, so that is not handed on
        return base.Groups(groups.members, crowd=self.dense)

    def joined_by(self) -> tuple[int, float]:
        """Common values, or a share of them."""
        if self.common == 1:
            return base.OVERLAP, 1
        # a document shorter than its image has a smaller one: a share serves both, a count does not
        return base.JACCARD, self.common / (2 * self.image.most_promised - self.common)

    def counted(self, features: FeatureLists, threads: int) -> FeatureLists:
        """The images."""
        return self.prepare(features, threads)

    def describe(self) -> dict[str, Any]:
        """How many image values a pair must share."""
        size = getattr(self.image, "size", None)
        return {"kind": "sampled", **({"size": size} if size else {}), "common": self.common}

    def probability(self, similarity: float) -> float:
        """The chance that enough image values are common (for documents longer than the image)."""
        return self.image.chance(self.common, similarity)
