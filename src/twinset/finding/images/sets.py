"""Any image as a set of values, and what two such sets say of the Jaccard similarity.

A sketch becomes a set by counting a value together with its place. Of two samples of smallest
values, Broder's estimate is the share of the smallest values of their union that is in both
[Broder 1997].
"""

from __future__ import annotations

from typing import Any

import numpy as np

from twinset.model import FeatureLists, Floats, Ints, Ragged, Sketch

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
