"""Fuzz targets of the text kernels: no input may crash them, and their answers must agree."""

from __future__ import annotations

import itertools

import numpy as np

from tests.fuzz.mutation import Target
from twinset import _kernels


def pack(data: bytes) -> tuple[np.ndarray, np.ndarray]:
    """The bytes as three documents whose borders cut characters."""
    size = len(data)
    offsets = np.array([0, size // 3, size // 3 * 2, size], dtype=np.int64)
    return np.frombuffer(data, dtype=np.uint8).copy(), offsets


def words(data: bytes) -> None:
    """The vector path and the plain path find the same words, and these are UTF-8."""
    texts = pack(data)
    vector, plain = _kernels.words(*texts, 1), _kernels.words(*texts, 2, plain=True)
    assert all(np.array_equal(a, b) for a, b in zip(vector, plain, strict=True))
    vector[0].tobytes().decode()


def canonical(data: bytes) -> None:
    """The words of the words are the words: the canonical form is its own."""
    texts = pack(data)
    found, ends, _ = _kernels.words(*texts, 1)
    again, again_ends, bounds = _kernels.words(found, ends, 1)
    assert np.array_equal(found, again)
    assert np.array_equal(ends, again_ends)
    assert np.array_equal(bounds, np.arange(len(ends)))


def shingles(data: bytes) -> None:
    """Features are sorted and unique, and there are as many units as words."""
    texts = pack(data)
    values, offsets, units = _kernels.shingles(*texts, 3, 1, False, 1)
    assert np.array_equal(units, np.diff(_kernels.words(*texts, 1)[2]))
    for begin, end in itertools.pairwise(offsets):
        own = values[begin:end]
        assert np.array_equal(own, np.unique(own))
    _kernels.shingles(*texts, 5, 2, True, 1)


def parts(data: bytes) -> None:
    """Sentences begin at rising words, and every paragraph begins with a sentence."""
    texts = pack(data)
    sentences, bounds = _kernels.sentences(*texts, 1)
    paragraphs, paragraph_bounds = _kernels.paragraphs(*texts, 1)
    for i in range(len(bounds) - 1):
        own = sentences[bounds[i] : bounds[i + 1]]
        assert np.array_equal(own, np.unique(own))
        assert np.isin(paragraphs[paragraph_bounds[i] : paragraph_bounds[i + 1]], own).all()


def validity(data: bytes) -> None:
    """Valid is what Python decodes, and a head of valid text is valid."""
    texts = pack(data)
    whole = (texts[0], np.array([0, len(data)], dtype=np.int64))
    good = bool(_kernels.valid_utf8(*whole, 1)[0])
    assert good == (data.decode("utf-8", "replace").encode() == data)
    if good:
        _kernels.heads(*whole, 50)[0].tobytes().decode()


SEEDS = (
    b"",
    b"The quick brown fox. " * 20,
    "Съешь же ещё этих мягких французских булок. ".encode() * 5,
    "e\u0301\u0323 \u1100\u1161\u11a8 漢字かな हिन्दी ไทย 👨\u200d👩\u200d👧 İΣς ".encode() * 3,
    b"First. Second!\n\nThird? A.B. 1.5\r\n\r\nlast",
)
TARGETS = [
    Target(function.__name__, function, lambda: SEEDS)
    for function in (words, canonical, shingles, parts, validity)
]
