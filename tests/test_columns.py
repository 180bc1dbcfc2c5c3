"""Columns that are filled a batch at a time, and the beginnings of documents in their file."""

from __future__ import annotations

import gc
import warnings
import weakref
from pathlib import Path

import numpy as np
import pyarrow as pa

from twinset import _kernels
from twinset.run.columns import Heads
from twinset.run.documents import Collected


def heads_of(*texts: bytes) -> np.ndarray:
    return np.frombuffer(b"".join(text.ljust(160, b"\0") for text in texts), np.uint8)


def test_no_file_is_left_to_the_garbage_collector(tmp_path: Path) -> None:
    heads = Heads(str(tmp_path))
    heads.add(0, heads.write(heads_of(b"first")))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        del heads
        gc.collect()
    assert not [w for w in caught if w.category is ResourceWarning]


def test_numbers_of_features_stay_when_the_features_go(tmp_path: Path) -> None:
    store = _kernels.FeatureStore(1 << 20, str(tmp_path))
    features = np.array([1, 2, 3], np.uint64)
    held = weakref.ref(features)
    store.append(features, np.array([0, 2, 3]), 1)
    store.settle(1 << 20)
    zeros, heads = np.zeros(2, np.uint8), Heads(str(tmp_path))
    ids = pa.array(["a", "b"], pa.large_string())
    read = [], {}, {}
    collected = Collected(
        ids, ["in"], zeros, zeros, zeros, zeros, None, 0, store, zeros, *read, heads
    )
    del features, store
    assert collected.sizes.tolist() == [2, 1]
    assert held() is not None
    collected.release_features()
    gc.collect()
    assert held() is None
    assert collected.sizes.tolist() == [2, 1]
