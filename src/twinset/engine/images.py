"""The images of all documents, kept during the pass: what closed sets are searched in."""

from __future__ import annotations

from typing import Any

import numpy as np

from twinset.clusters.closed import Closed
from twinset.clusters.context import Context
from twinset.errors import PlanError
from twinset.images.full import Full
from twinset.methods.base import Search
from twinset.model import FeatureLists, Features, Ints, Ragged, Sketch, offsets_of
from twinset.plan import Plan, Shortcuts
from twinset.spec import default_of, name_of, options_of, spell

PLACE_BITS = 16
"""Enough for the places of the largest sketch."""
BOUNDED = ("bottom", "minwise", "oph")
"""Images of at most ``size`` values; in ``mod`` the size is a divisor, ``full`` has none."""


def image_of(plan: Plan, search: Search) -> Any:
    """The image that the method compares, or all features of a method that has no image.

    The exact search compares shingles without an image, and so takes that of the closed sets.
    """
    own = getattr(plan.method, "image", None)
    if own is not None:
        return own() if callable(own) else own
    if plan.clusters.image is not None:
        return plan.clusters.image
    if search.keyed or not hasattr(plan.method, "shingle"):
        return Full()
    return default_of(options_of(Shortcuts)["image"])


class ImageKeeper:
    """Takes in the features of a batch and keeps their images as sets."""

    def __init__(self, image: Any, threads: int) -> None:
        self.image, self.threads = image, threads
        self._values: list[Features] = []
        self._sizes: list[Ints] = []

    @property
    def name(self) -> str:
        """The image as it is written on the command line, with all its options."""
        return spell("image", self.image, full=True)

    def check(self, kind: Closed) -> None:
        """Refuse a number of features that no image can share."""
        if (
            name_of("image", self.image) in BOUNDED
            and kind.k is not None
            and (kind.k > self.image.size)
        ):
            raise PlanError(
                [
                    f"k is {kind.k}, but an image has at most {self.image.size} values and so no "
                    f"two documents can share as many: take k up to {self.image.size}, or a "
                    f"larger image, as --image bottom:size={kind.k}"
                ]
            )

    def add(self, features: FeatureLists) -> None:
        """Keep the images of a batch."""
        if self.image.shape == "sketch":
            images = placed(self.image, features, self.threads)
        else:
            images = self.image.image(features, self.threads)
        self._values.append(images.values)
        self._sizes.append(images.lengths)

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


def placed(image: Sketch, features: FeatureLists, threads: int) -> FeatureLists:
    """Sketches as sets: a value counts together with its place, so that only equal places meet.

    A document without features has an empty set, for otherwise all such documents would be equal.
    """
    sizes = np.where(features.lengths > 0, image.size, 0)
    rows = image.sketch(features, threads)[sizes > 0]
    marked = (rows << np.uint64(PLACE_BITS)) | np.arange(image.size, dtype=np.uint64)
    marked.sort(axis=1)
    return Ragged.from_lengths(marked.ravel(), sizes)
