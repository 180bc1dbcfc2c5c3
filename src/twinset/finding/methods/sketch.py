"""The share of the image that two documents have in common, taken for their similarity.

Broder 1997 estimates the resemblance of documents by their sketches, and Kuznetsov et al. decide by
the share of the image in common; neither reads the documents again.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset import _kernels
from twinset.errors import PlanError
from twinset.finding.candidates.base import Goal, Near, Numbers, PrefixLinks, prefix_groups
from twinset.finding.features import Shingles
from twinset.finding.images import Bottom, at_least, broder_estimates, image_sets
from twinset.finding.methods.base import About, Extractor, LinkedSearch
from twinset.finding.verify.measures import Dice, Jaccard, Measure
from twinset.model import FeatureLists, Features, Floats, Ints, Ragged
from twinset.plan import Resources, Shingling, shared
from twinset.text.statistics import Statistics


@dataclass(frozen=True, slots=True)
class ImageShare(Shingling):
    """Compares images alone: similar documents have a share of their images in common.

    Nothing is verified on the shingles: the score of a pair is an estimate of the Jaccard
    similarity. For a sketch (oph, minwise) it is the share of places that agree, for bottom the
    share of the smallest values of the union that are in both, for the other images the Jaccard
    similarity of the images. No pair of images that reaches the threshold is missed, except those
    that ``dense`` leaves out.
    """

    uses: ClassVar[tuple[str, ...]] = ("threshold",)
    image: Any = shared.image()
    about: ClassVar[About] = About(
        paper="Broder 1997; Kuznetsov et al. 2005",
        cost="linear in practice",
        use="the decision of the papers, and what an image is worth without verification",
        avoid="results that must be right for every pair: 128 values are off by .035 at .8",
    )

    def features(self) -> Shingles:
        """The shingles that the images are made of."""
        return Shingles(self.shingle, self.offset, self.unit)

    def search(
        self, goal: Goal, resources: Resources, known: Statistics | None = None
    ) -> ImageShareSearch:
        """Begin a run."""
        return ImageShareSearch(self.features(), self.image, goal, resources)


class ImageShareSearch(PrefixLinks, LinkedSearch):
    """Images are kept beside the features and joined exactly."""

    side_by_side = True

    def __init__(self, features: Extractor, image: Any, goal: Goal, resources: Resources) -> None:
        if goal.threshold > 1:
            raise PlanError([f"a share is at most 1: the threshold {goal.threshold:g} is not"])
        self.features, self.image, self.goal, self.resources = features, image, goal, resources
        self.decides = (
            f"share {goal.threshold:g} or more of their images, an estimate of the Jaccard "
            "similarity"
        )
        self._images = _kernels.FeatureStore(resources.keys_bytes, resources.folder)
        self._preferred: tuple[Numbers, NDArray[np.uint8], Features] | None = None

    def extract(self, texts: pa.Array, threads: int) -> tuple[FeatureLists, Ints]:
        """The features."""
        return self.features.extract(texts, threads)

    def prepare(self, features: FeatureLists, threads: int) -> FeatureLists:
        """The images."""
        return image_sets(self.image, features, threads)

    def add(self, images: FeatureLists, documents: Numbers) -> None:
        """Keep the images."""
        self._images.append(images.values, images.offsets, self.resources.threads)

    def counted(self, features: FeatureLists, threads: int) -> FeatureLists:
        """The images."""
        return self.prepare(features, threads)

    def joined_by(self) -> tuple[int, float]:
        """The share of an image, by the measure of its kind."""
        return self._measure().number, self.goal.threshold

    def prefer(self, leaders: Ints, kept: NDArray[np.uint8], positions: Features) -> None:
        """In a crowd the documents that are preferred are the ones that others are held against."""
        self._preferred = leaders.astype(np.uint32), kept, positions

    def find(self, store: _kernels.FeatureStore, use: NDArray[np.uint8]) -> Near:
        """Pairs of images whose estimate reaches the threshold."""
        measure = self._measure()
        left, right, shared, *figures = self._joined(np.flatnonzero(use))
        if isinstance(self.image, Bottom):
            score = self._broder(left, right)
        else:
            size = self._images.sizes
            score = measure.score(shared, size[left], size[right])
        good = score >= self.goal.threshold - 1e-12
        return Near(left[good], right[good], score[good], *figures)

    def _measure(self) -> Measure:
        """What images are joined by.

        Sketches have one size, so that Dice is the share of places that agree. Broder's estimate of
        t asks for t of the larger sample in common, and so for a Dice similarity of t: the join by
        that measure misses none.
        """
        is_bottom = isinstance(self.image, Bottom)
        return Dice() if is_bottom or self.image.shape == "sketch" else Jaccard()

    def _joined(self, documents: Ints) -> tuple[Numbers, Numbers, NDArray[np.int64], int, int, int]:
        """The pairs of images that reach the threshold by their measure, and their common values.

        With them the number of pairs compared, of documents absorbed and of pairs left out.
        """
        if self._preferred is None:
            self.prefer(documents, np.zeros(len(documents), np.uint8), documents.astype(np.uint64))
        assert self._preferred is not None
        order, kept, positions = self._preferred
        rule = self.joined_by()
        groups = prefix_groups(
            self._images,
            documents.astype(np.uint32),
            *rule,
            self.resources,
            prune=True,
            counts=self.counts,
        )
        left, right, shared, compared, absorbed, missing = _kernels.verified_pairs(
            self._images,
            order,
            kept,
            positions,
            groups.alone_of(order.astype(np.int64)),
            groups.members.offsets,
            groups.members.values,
            *rule,
            self.goal.dense,
            groups.crowd,
            self.resources.keys_bytes,
            self.resources.threads,
        )
        return left, right, shared.astype(np.int64), compared, absorbed, missing

    def _broder(self, left: Numbers, right: Numbers) -> Floats:
        named, place = np.unique(np.concatenate([left, right]), return_inverse=True)
        rows = [self._images.features(int(document)) for document in named]
        samples = Ragged.from_rows(rows, np.uint64)
        first, second = np.split(place.reshape(-1).astype(np.int64), 2)
        return broder_estimates(samples, first, second, self.image.size)

    def describe(self) -> dict[str, Any]:
        """That scores are estimates."""
        return {"kind": "images", "estimate": True}

    def probability(self, similarity: float) -> float | None:
        """The chance that the share of a sketch of n values reaches the threshold: binomial."""
        if self.image.shape == "set" and not isinstance(self.image, Bottom):
            return None
        size = self.image.size
        return at_least(math.ceil(Fraction(str(self.goal.threshold)) * size), size, similarity)
