"""Kills in the middle of an action, without a process: the call after which nothing happens."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from twinset.system import renames

CALLS = (
    "rename replace link unlink symlink write fsync utime chmod mkdir rmdir ftruncate".split()  # noqa: SIM905
)


class Killed(BaseException):
    """The process has ended here."""


class Death:
    """Counts the calls that change files, and lets none happen after the last one."""

    def __init__(self, last: int | None, after: bool = False) -> None:
        self.last, self.after, self.count = last, after, 0

    def wrap(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*arguments: Any, **options: Any) -> Any:
            self.count += 1
            if self.last is None or self.count < self.last:
                return call(*arguments, **options)
            if self.count == self.last and self.after:
                if name == "write":  # half of a line, or of a copy
                    call(arguments[0], arguments[1][: len(arguments[1]) // 2])
                else:
                    call(*arguments, **options)
            raise Killed(f"{name} {self.count}")

        return counted


@contextmanager
def killed_at(last: int | None, after: bool = False) -> Iterator[Death]:
    """Let the block end at that change of a file, before or after it; None lets it end by itself.

    What the block would still do, say on its way out, is in vain: a process that is killed does
    nothing more.
    """
    death = Death(last, after)
    with pytest.MonkeyPatch.context() as patched:
        for name in CALLS:
            patched.setattr(os, name, death.wrap(name, getattr(os, name)))
        renameat2 = death.wrap("renameat2", renames._renameat2)
        patched.setattr(renames, "_renameat2", renameat2)
        try:
            yield death
        except Killed:
            assert last is not None
