"""What no kernel takes is refused at its door: every array is checked before it is read."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.kernels.test_pairs import FOLDER, UNCOUNTED, stored
from tests.kernels.text_strategies import pack
from tests.kernels.twins import lists
from twinset import _kernels

K = _kernels
BYTES, NAMES = np.zeros(4, np.uint8), np.empty(0, np.uint8)
RUNS = pack([b"one two"])
SETS = lists([[1, 2]])
NO_PATH = "/no/such/folder"


def u8(*values: int) -> Any:
    return np.array(values, np.uint64)


def i8(*values: int) -> Any:
    return np.array(values, np.int64)


def u4(*values: int) -> Any:
    return np.array(values, np.uint32)


def i4(*values: int) -> Any:
    return np.array(values, np.int32)


def closed(values: Any, offsets: Any, least: Any) -> tuple[Any, ...]:
    return K.closed_sets, values, offsets, least, True, 10, 10, 10, False, 1


def shared(terms: Any, weights: Any, most: int, left: Any, right: Any) -> tuple[Any, ...]:
    return K.shared_terms, terms, weights, i8(0, 2, 3), most, left, right, 1


def nearest(least: int, most: int) -> tuple[Any, ...]:
    ones = np.ones(3, np.uint16)
    return K.nearest_neighbours, u4(0, 1, 1), ones, i8(0, 2, 3), i8(), 2, least, most, 1.0, 1


def overlaps(weights: Any, offsets: Any, left: Any, right: Any) -> tuple[Any, ...]:
    return K.overlaps, u8(1, 1, 3), weights, offsets, left, right, 1


def spliced(begins: Any, ends: Any, tails: bytes, offsets: Any, of: Any) -> tuple[Any, ...]:
    return K.spliced, BYTES, begins, ends, np.frombuffer(tails, np.uint8), offsets, of, BYTES.copy()


def grouped(least: int) -> tuple[Any, ...]:
    store, order = stored([[1, 2]]), u4(0)
    asked = (0, 0.5, least, UNCOUNTED, 1, FOLDER, True, 1)
    return K.Grouper(1, FOLDER).add_prefixes, store, order, *asked


THREE = np.ones(3)
INDEX = K.ReuseIndex(u8(1, 2, 3), i8(0, 3), 1, 1, 1)
REFUSED: list[tuple[str, tuple[Any, ...]]] = [
    ("ascending", closed(u8(2, 1), i8(0, 2), i4(1))),
    ("ascending", closed(u8(1, 1), i8(0, 2), i4(1))),
    ("outside", closed(u8(1, 2), i8(0, 3), i4(1))),
    ("at least 1", closed(u8(1, 2), i8(0, 2), i4(0))),
    ("one threshold", closed(u8(1, 2), i8(0, 2), i4(1, 1))),
    ("outside", (K.component_roots, 2, u4(0), u4(2))),
    ("one number per key", (K.sorted_keys, u8(0, 1), u4(1), 1)),
    ("another size", (K.KeySearch().add, u8(0, 1), u4(0, 1), np.zeros(2, np.uint32), 3)),
    ("bits", (K.key_directory, u8(0, 1), 31)),
    ("names no list", (K.matches_between, *SETS, *SETS, i8(1), i8(1), 0, 0.5, 1)),
    ("no such measure", (K.matches_between, *SETS, *SETS, i8(0), i8(0), 5, 0.5, 1)),
    ("mmx", (K.use_instructions, "mmx")),
    ("one number per document", (K.InvertedLines, u8(0, 1), i8(0, 2), i8(0, 1), 1, 1)),
    ("at least 1", (K.InvertedLines, u8(0, 1), i8(0, 2), i8(0), 0, 1)),
    ("differ in length", (K.sharing, stored([[1]]), u4(0), u4(0, 0), 0.2, 1)),
    ("out of range", (K.sharing, stored([[1]]), u4(0), u4(1), 0.2, 1)),
    ("outside", (K.distinct, u8(0), i8(0, 2), False, 1)),
    ("outside the bytes", (K.slice_hashes, BYTES[:3], i8(0), i8(4), 1)),
    *(
        ("ascending, unique and below n_items", (K.transpose_lines, i8(0, 2), i4(*items), 3))
        for items in ([1, 1], [2, 1], [-1, 1], [1, 3])
    ),
    (".", overlaps(THREE[:1], i8(0, 1, 3), u4(0), u4(0))),
    (".", overlaps(THREE, i8(0, 1, 3), u4(0), u4(2))),
    (".", overlaps(THREE, i8(0, 1, 3), u4(0), u4(0, 1))),
    (".", overlaps(THREE, i8(0, 9), u4(0), u4(0))),
    ("negative", (K.may_be_pages, *pack([b""]), -1, 2, 6, 0.1, 0.25, NAMES)),
    ("shares", (K.may_be_pages, *pack([b""]), 1, 2, 6, 1.5, 0.25, NAMES)),
    ("out of range", (stored([[1, 2]]).features, 1)),
    ("out of range", (stored([[1, 2]]).shared, u4(0), u4(7), 1)),
    ("outside the data", (stored([[1]]).append, u8(0), i8(0, 5), 1)),
    ("fall", (stored([[1]]).append, u8(0, 0, 0, 0, 0), i8(3, 1), 1)),
    ("temporary", (K.FeatureStore(0, NO_PATH).append, u8(0, 0, 0, 0, 0), i8(0, 5), 1)),
    ("power of two", grouped(3)),
    ("power of two", (K.prefix_keys, *SETS, np.zeros(3, np.uint16), 0, 0.5, 1)),
    ("power of two", (K.prefix_keys, *SETS, np.zeros(0, np.uint16), 0, 0.5, 1)),
    ("end with a zero", (K.plain_files, np.frombuffer(b"a\0b", np.uint8), 1, 1, NAMES, 1, 1)),
    ("must not be negative", (K.plain_files, NAMES, -1, 1, NAMES, 1, 1)),
    *((".", (K.ReuseIndex, u8(1, 2, 3), i8(0, 3), *at, 1)) for at in ((0, 1), (1 << 20, 1))),
    (".", (K.ReuseIndex, u8(1, 2, 3), i8(0, 3), 1, -1, 1)),
    ("offsets end outside", (K.ReuseIndex, u8(1, 2, 3), i8(0, 4), 1, 1, 1)),
    ("out of bounds", (INDEX.search, u8(1, 2, 3), i8(0, 3), 0, 1)),
    *((".", (K.word_places, *RUNS, *at)) for at in ((i8(0, 0), i8(1, 0)), (i8(1), i8(0)))),
    (".", (K.word_places, *RUNS, i8(0), i8(-1))),
    ("out of range", shared(u4(0, 1, 1), i4(1, 1, 1), 2, u4(0), u4(2))),
    ("out of range", shared(u4(0, 1, 1), i4(1, 1, 1), 1, u4(0), u4(0))),
    ("one weight per term", shared(u4(0, 1, 1), i4(1), 2, u4(0), u4(0))),
    ("out of range", (K.common_subsequences, u4(0, 1, 1), i8(0, 2, 3), 1, u4(0), u4(0), 1)),
    (
        "between 1 and most",
        (
            K.nearest_neighbours,
            u4(0, 1, 1),
            np.ones(3, np.uint16),
            i8(0, 2, 3),
            i8(),
            2,
            3,
            2,
            1.0,
            1,
        ),
    ),
    *(("not in the block", spliced(i8(a), i8(b), b"", i8(0), i8())) for a, b in ((-1, 2), (2, 1))),
    ("not in the block", spliced(i8(0), i8(5), b"", i8(0), i8())),
    *(("no such tail", spliced(i8(0), i8(1), b"x", i8(0, 1), i8(tail))) for tail in (-1, 1)),
    ("as many ends", spliced(i8(0), i8(), b"x", i8(0), i8())),
    ("a tail for every piece", spliced(i8(0), i8(0), b"x", i8(0, 0), i8(0, 0))),
    ("level", (K.split_texts, *RUNS, 4, 1, 1)),
    ("size", (K.split_texts, *RUNS, 3, 0, 1)),
    ("outside", (K.split_texts, RUNS[0], i8(0, 99), 0, 1, 1)),
    *(("at least 1", (K.shingles, *RUNS, *at, 0, 1)) for at in ((0, 1), (1, 0), (-1, 1))),
    ("unit must be", (K.shingles, *RUNS, 1, 1, 3, 1)),
    *(("offsets", (K.words, BYTES, i8(*at), 1)) for at in ((), (-1, 0), (2, 1), (0, 5))),
    ("from 1 to 131071", (K.weighted_minwise, u8(1), u4(0), i8(0, 1), 4, 1, 1)),
    ("from 1 to 131071", (K.weighted_minwise, u8(1), u4(1 << 17), i8(0, 1), 4, 1, 1)),
    ("must have a weight", (K.weighted_minwise, *SETS[:1], u4(1), SETS[1], 4, 1, 1)),
]


@pytest.mark.parametrize(("fault", "call"), REFUSED, ids=lambda v: v if isinstance(v, str) else "")
def test_what_does_not_fit_is_refused(fault: str, call: tuple[Any, ...]) -> None:
    kernel, *arguments = call
    with pytest.raises((ValueError, OSError), match=fault):
        kernel(*arguments)
