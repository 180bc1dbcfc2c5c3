"""Seeded contexts to compare miners on: images of documents, a quarter of them in groups.

A document is 400 shingle hashes. A group starts with one document; every further member copies a
random earlier one and replaces one to three runs of 5 to 15 shingles, as edits of a text do (with
``longest=20``, of 5 to 20: heavier edits, fewer and smaller sets). Group sizes are log-uniform from
2 to 500, so that there are many pairs and a few large groups.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from twinset.model import Features

SHINGLES = 400
IMAGE = 100
LARGEST = 500
IN_GROUPS = 0.25

ImageKind = Literal["bottom", "minwise"]


def make_context(
    documents: int, kind: ImageKind, seed: int = 1, longest: int = 15, size: int = IMAGE
) -> tuple[Features, NDArray[np.int64]]:
    """Images of ``size`` features as ``values, offsets``, each ascending; groups are scattered."""
    rng = np.random.default_rng([seed, documents])
    images = np.empty((documents, size), dtype=np.uint64)
    place = rng.permutation(documents)
    placed = 0
    while placed < int(documents * IN_GROUPS):
        members = min(_group_size(rng), documents - placed)
        group = _group(rng, members, longest)
        images[place[placed : placed + members]] = _image(group, kind, size)
        placed += members
    for start in range(placed, documents, 10_000):
        rest = place[start : start + 10_000]
        images[rest] = _hashes(rng, len(rest) * size).reshape(len(rest), size)
    images.sort(axis=1)
    return _pack(images)


def _group_size(rng: np.random.Generator) -> int:
    return int(math.exp(rng.uniform(math.log(2), math.log(LARGEST + 1))))


def _group(rng: np.random.Generator, size: int, longest: int) -> Features:
    texts = np.empty((size, SHINGLES), dtype=np.uint64)
    texts[0] = _hashes(rng, SHINGLES)
    for i in range(1, size):
        texts[i] = texts[rng.integers(i)]
        for _ in range(int(rng.integers(1, 4))):
            length = int(rng.integers(5, longest + 1))
            at = int(rng.integers(SHINGLES - length + 1))
            texts[i, at : at + length] = _hashes(rng, length)
    return texts


def _image(texts: Features, kind: ImageKind, size: int) -> Features:
    if kind == "bottom":
        return np.partition(texts, size - 1, axis=1)[:, :size]
    # The value after the permutation stands for the shingle and the permutation it is minimal in.
    chosen = np.empty((len(texts), size), dtype=np.uint64)
    for i in range(size):
        permuted = (texts ^ np.uint64(i * 0x9E3779B97F4A7C15 % 2**64)) * np.uint64(
            0xD6E8FEB86659FD93
        )
        permuted ^= permuted >> np.uint64(32)
        permuted *= np.uint64(0xD6E8FEB86659FD93)
        chosen[:, i] = permuted.min(axis=1)
    return chosen


def _hashes(rng: np.random.Generator, count: int) -> Features:
    return rng.integers(0, 2**64 - 1, count, dtype=np.uint64)


def _pack(images: Features) -> tuple[Features, NDArray[np.int64]]:
    fresh = np.ones(images.shape, dtype=bool)
    fresh[:, 1:] = images[:, 1:] != images[:, :-1]
    offsets = np.zeros(len(images) + 1, dtype=np.int64)
    np.cumsum(fresh.sum(axis=1), out=offsets[1:])
    return images[fresh], offsets
