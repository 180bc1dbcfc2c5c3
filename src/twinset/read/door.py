"""``twinset.read(...)``: this package is also the function that opens files."""

from __future__ import annotations

import os
import types
from typing import Any

from twinset.errors import PlanError
from twinset.plan import ReadOptions
from twinset.read.inputs import Inputs, open_inputs
from twinset.spec import faults_of, options_of


def read(*sources: str | os.PathLike[str], **options: Any) -> Inputs:
    """Documents of files, folders and globs, streamed when they are used; ``-`` is stdin.

    Options: ``id`` and ``text`` name the fields, ``html`` is auto, yes or no, ``on_error`` skip or
    stop.
    """
    known = options_of(ReadOptions)
    unknown = [name for name in options if name not in known]
    if unknown:
        names = ", ".join(known)
        raise PlanError([f"reading has no option '{name}'; known: {names}" for name in unknown])
    chosen = ReadOptions(**options)
    if faults := faults_of(chosen):
        raise PlanError(faults)
    return open_inputs(sources, chosen)


class Callable(types.ModuleType):
    """A module that can be called, since a package and a function cannot share a name otherwise."""

    def __call__(self, *sources: str | os.PathLike[str], **options: Any) -> Inputs:
        """Open files, see `read`."""
        return read(*sources, **options)
