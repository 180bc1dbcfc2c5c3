"""Clusters that are searched in the images of documents, which are kept during the pass."""

from __future__ import annotations

from typing import Any

import numpy as np

from twinset.errors import PlanError
from twinset.finding.candidates.joins import SampledCandidates
from twinset.finding.clusters.base import ClustersOfImages, ImageClusters, SharedSets
from twinset.finding.clusters.closed_sets import Context
from twinset.finding.images import Full, image_sets
from twinset.finding.methods.base import Search
from twinset.model import Clusters, FeatureLists, Features, Floats, Ints, Ragged, offsets_of
from twinset.plan import Plan, Shortcuts
from twinset.plan.spec import default_of, name_of, options_of, spell
from twinset.run.clustering import Clustered, weakest_pairs
from twinset.run.copies import Classes
from twinset.run.pairing import Paired

AT_ONCE = 200_000
"""Members whose similarities are computed in one go: a bound on memory."""


def image_of(plan: Plan, search: Search) -> Any:
    """The image that the method compares, or all features of a method that has no image.

    The exact search compares shingles without an image, and so takes that of the clusters.
    """
    own = getattr(plan.method, "image", None)
    if own is not None:
        return own() if callable(own) else own
    if (image := getattr(plan.clusters, "image", None)) is not None:
        return image
    if search.keyed or not hasattr(plan.method, "shingle"):
        return Full()
    return default_of(options_of(Shortcuts)["image"])


def image_keeper(plan: Plan, search: Search) -> ImageKeeper | None:
    """What keeps the images, where the clusters are searched in them; refuses a useless image."""
    if not isinstance(plan.clusters, ClustersOfImages):
        return None
    image = image_of(plan, search)
    faults = plan.clusters.image_faults(image)
    k = getattr(plan.clusters, "k", None)
    if k is not None and k > 1 and getattr(plan.method, "one_key", False):
        name = name_of("method", plan.method)
        faults.append(
            f"k is {k}, but {name} gives a document one key and so no two documents can share as "
            "many: take k=1, or a method that compares shingles or words"
        )
    if faults:
        raise PlanError(faults)
    candidates = getattr(search, "candidates", None)
    same = isinstance(candidates, SampledCandidates) and candidates.image == image
    return ImageKeeper(image, same)


class ImageKeeper:
    """Keeps the images of all documents as sets.

    Where candidates are searched in the ``same`` images, theirs are taken.
    """

    def __init__(self, image: Any, same: bool = False) -> None:
        self.image, self.same = image, same
        self._values: list[Features] = []
        self._sizes: list[Ints] = []

    @property
    def name(self) -> str:
        """The image as it is written on the command line, with all its options."""
        return spell("image", self.image, full=True)

    def prepare(self, features: FeatureLists, searched: Any, threads: int) -> FeatureLists:
        """The images of a batch; ``searched`` is what the search has prepared of it."""
        images: FeatureLists = searched if self.same else image_sets(self.image, features, threads)
        return images

    def add(self, images: FeatureLists) -> None:
        """Keep the images of a batch."""
        self._values.append(images.values)
        self._sizes.append(images.lengths)

    @property
    def count(self) -> int:
        """How many values are kept."""
        return sum(map(len, self._values))

    def context(self) -> Context:
        """All images; the parts are given up one by one, so that memory holds them once."""
        offsets = offsets_of(np.concatenate([np.empty(0, np.int64), *self._sizes]))
        together = np.empty(int(offsets[-1]), np.uint64)
        end = len(together)
        while self._values:
            part = self._values.pop()
            together[end - len(part) : end] = part
            end -= len(part)
        return Context(together, offsets)


def cluster_images(image_clusters: ImageClusters, paired: Paired, classes: Classes) -> Clustered:
    """Sets found in the images, as clusters.

    None is chained, for its members share features all together.
    """
    sets, equal = _with_equal_files(image_clusters.shared_sets(), classes)
    members, cluster = sets.members.values, sets.members.owners()
    weakest = _weakest_of_sets(sets.members.offsets, cluster, classes.leader[members], paired)
    weakest[len(weakest) - equal :] = 1.0
    clusters = Clusters(
        cluster,
        members,
        np.full(len(members), -1),
        np.full(len(members), np.nan),
        weakest,
        np.zeros(len(sets.members), bool),
        sets.shared,
    )
    first = sets.members.values[sets.members.offsets[:-1]]
    return Clustered(clusters, image_clusters.complete, first, equal)


def _with_equal_files(sets: SharedSets, classes: Classes) -> tuple[SharedSets, int]:
    """The sets that were found in images, then those of equal files, which share no feature.

    The number is how many the latter are.
    """
    leaders = np.flatnonzero(classes.by_bytes & (classes.size > 1))
    leaders = leaders[~classes.only_references(leaders)]
    if not len(leaders):
        return sets, 0
    members, _ = classes.members(leaders)
    equal = Ragged.from_lengths(members, classes.size[leaders])
    shared = sets.shared
    if shared is not None:
        shared = np.concatenate([shared, np.zeros(len(leaders), shared.dtype)])
    together = Ragged.concatenate([sets.members, equal], np.int64)
    return SharedSets(together, shared), len(leaders)


def _weakest_of_sets(offsets: Ints, cluster: Ints, documents: Ints, paired: Paired) -> Floats:
    """The lowest similarity inside each set, some sets at a time."""
    parts = [np.empty(0)]
    first = 0
    while first < len(offsets) - 1:
        last = int(np.searchsorted(offsets, offsets[first] + AT_ONCE, "right")) - 1
        last = max(last, first + 1)
        rows = slice(int(offsets[first]), int(offsets[last]))
        numbered = cluster[rows] - first
        lowest, _ = weakest_pairs(numbered, documents[rows], paired.score, paired.threshold)
        parts.append(lowest)
        first = last
    return np.concatenate(parts)
