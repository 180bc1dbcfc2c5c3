"""Reports kept open: the last few, each until its folder changes."""

from __future__ import annotations

import dataclasses
import os
import threading
from collections import OrderedDict
from pathlib import Path

from twinset.report import Report, read
from twinset.report.staging import MANIFEST
from twinset.review.index import Index

MOST = 3
Mark = tuple[int, int, int]
_kept: OrderedDict[tuple[Path, tuple[str, ...]], tuple[Mark, Index]] = OrderedDict()
_lock = threading.Lock()


def opened(folder: str | Path, within: tuple[str, ...] = ()) -> Index:
    """A report as arrays, opened once; raises where it is gone or incomplete.

    Where ``within`` names folders, documents that lie elsewhere are not read again, whatever the
    report says of their place.
    """
    path = Path(os.path.abspath(folder))
    key = (path, within)
    with _lock:
        try:
            status = os.stat(path / MANIFEST)
        except OSError:
            _kept.pop(key, None)
            return Index(read(path))  # which says what is wrong
        mark = (status.st_ino, status.st_mtime_ns, status.st_size)
        if key in _kept and _kept[key][0] == mark:
            _kept.move_to_end(key)
            return _kept[key][1]
        index = Index(_bounded(read(path, within), within))
        _kept[key] = (mark, index)
        _kept.move_to_end(key)
        while len(_kept) > MOST:
            _kept.popitem(last=False)
        return index


def _bounded(report: Report, within: tuple[str, ...]) -> Report:
    if not within:
        return report
    plan = report.manifest.get("plan", {})
    bounds = {**plan, "read": {**(plan.get("read") or {}), "within": list(within)}}
    return dataclasses.replace(report, manifest={**report.manifest, "plan": bounds})
