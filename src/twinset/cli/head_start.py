"""A head start: a large file of JSON lines is parsed while Python loads its libraries.

These take a quarter of a second of one processor while all others wait. Only the beginning of a run
changes: whatever is not an ordinary file of JSON lines, or asked for in another way, is read when
its turn comes, and what was begun in vain is given up.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from typing import Any

from twinset.cli.limits import SCARCE, address_space
from twinset.errors import PlanError
from twinset.plan import ReadOptions, Resources
from twinset.system import head_start
from twinset.system.ranges import byte_ranges

MOST_THREADS = 2
"""More gained nothing on sixteen processors, where parsing is a small part of the run."""
BEHIND = 1 << 16
"""Bytes behind a range in which its last line has to end."""


def begin(inputs: list[str], options: dict[str, Any]) -> None:
    """Have the first lines parsed if there is one input, a file that looks like JSON lines."""
    if len(inputs) != 1 or not {"engine", "within"}.isdisjoint(options):
        return
    try:
        resources = Resources.make(options.get("threads"), options.get("memory"))
    except PlanError:  # the run says so
        return
    if resources.threads == 1 or resources.memory <= SCARCE or address_space() is not None:
        return
    try:
        if not stat.S_ISREG(os.stat(inputs[0]).st_mode):  # to open a pipe would wait for its writer
            return
        with open(inputs[0], "rb") as file:
            _begin(file.fileno(), resources, options)
    except (OSError, ValueError):
        return


def _begin(file: int, resources: Resources, options: dict[str, Any]) -> None:
    size, step = os.fstat(file).st_size, resources.batch_bytes
    if size <= step or os.pread(file, 1, 0) != b"{":
        return
    from twinset._kernels import JsonlAhead

    usual = ReadOptions()
    names = options.get("id", usual.id), options.get("text", usual.text), ""
    threads = min(resources.threads - 1, MOST_THREADS)
    ranges = list(_within(resources.room // 8, size, step, resources.threads))
    work = JsonlAhead(file, *names, 0, BEHIND, ranges, threads)
    head_start.leave(file, names, work)


def _within(room: int, size: int, step: int, threads: int) -> Iterator[tuple[int, int]]:
    """The first ranges of a file, as far as their bytes fit into the room; texts take as much."""
    for begin, end in byte_ranges(0, size, step, step // 16, lambda: threads):
        if end + BEHIND > room:
            return
        yield begin, end
