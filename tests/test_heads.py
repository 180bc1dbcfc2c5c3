"""The beginnings of documents wait in a temporary file that is closed with its owner."""

from __future__ import annotations

import gc
import warnings
from pathlib import Path

from twinset.engine.documents import Heads


def test_no_file_is_left_to_the_garbage_collector(tmp_path: Path) -> None:
    heads = Heads(str(tmp_path))
    heads.write(memoryview(b"first".ljust(160, b"\0") + b"second".ljust(160, b"\0")))
    assert heads.read(1) == "second"
    assert heads.read(0) == "first"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        del heads
        gc.collect()
    assert not [w for w in caught if w.category is ResourceWarning]
