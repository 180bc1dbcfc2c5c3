"""Reports kept open: the last few, each until its folder changes."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from pathlib import Path

from twinset.report import read
from twinset.report.staging import MANIFEST
from twinset.review.index import Index

MOST = 3
Mark = tuple[int, int, int]
_kept: OrderedDict[Path, tuple[Mark, Index]] = OrderedDict()
_lock = threading.Lock()


def opened(folder: str | Path) -> Index:
    """A report as arrays, opened once; raises where it is gone or incomplete."""
    path = Path(os.path.abspath(folder))
    with _lock:
        try:
            status = os.stat(path / MANIFEST)
        except OSError:
            _kept.pop(path, None)
            return Index(read(path))  # which says what is wrong
        mark = (status.st_ino, status.st_mtime_ns, status.st_size)
        if path in _kept and _kept[path][0] == mark:
            _kept.move_to_end(path)
            return _kept[path][1]
        index = Index(read(path))
        _kept[path] = (mark, index)
        _kept.move_to_end(path)
        while len(_kept) > MOST:
            _kept.popitem(last=False)
        return index
