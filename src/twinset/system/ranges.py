"""Ranges of bytes in which a file is read by several threads at the same time."""

from __future__ import annotations

from collections.abc import Callable, Iterator


def byte_ranges(
    begin: int, end: int, step: int, least: int, threads: Callable[[], int]
) -> Iterator[tuple[int, int]]:
    """The ranges in order, of ``step`` bytes at most.

    For several threads the first and the last are short: all of them have something to do soon,
    and end at about the same time. How many threads there are is asked for every range: other
    files that are read at the same time see to that, too.
    """
    whole, number = end - begin, 0
    while begin < end:
        size = step
        if (shared := threads()) > 1:
            short = max(min(whole // (64 * shared), step // 4), least, 64)
            rising = short << min(2 * number // shared, 4)
            falling = (end - begin) // shared
            size = min(size, rising, max(falling, short))
        until = min(begin + size, end)
        yield begin, until
        number, begin = number + 1, until
