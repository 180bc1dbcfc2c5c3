"""Whether a run can begin: its input is there, and a report may be written to its place.

Addresses are asked of whatever file system Spark has for them. What lies here is looked at before
Spark starts, which takes a while.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from twinset.engine.spark.faults import explained
from twinset.engine.spark.hadoop import file_system
from twinset.errors import ReportError
from twinset.plan import ReadOptions
from twinset.reading.paths import expand
from twinset.report import ensure_free as ensure_free_here
from twinset.report.places import MANIFEST
from twinset.system.remote import is_remote


def ensure_places_here(
    folder: str, force: bool, inputs: Sequence[str], options: ReadOptions
) -> None:
    """Raise for an input that is missing here, and for a folder that must not be written."""
    absent = [name for name in inputs if not is_remote(name) and not os.path.lexists(name)]
    if absent:  # or patterns
        expand(absent, options, regular=True)
    if not is_remote(folder):
        ensure_free_here(folder, force, inputs)


def ensure_free(session: Any, folder: str, force: bool) -> None:
    """Raise for every reason not to write to an address: hours of work would be lost."""
    if not is_remote(folder):
        return
    with explained(f"{folder} cannot be written"):
        names = names_in(session, folder)
    if not names:
        return
    if MANIFEST not in names:
        raise ReportError(
            f"{folder} holds files and no report ({min(names)}); choose another folder"
        )
    if not force:
        raise ReportError(
            f"{folder} exists already; choose another folder or replace it with --force"
        )


def names_in(session: Any, folder: str) -> set[str]:
    """The names of the files and folders in a folder; none where there is no such folder."""
    system, path = file_system(session, folder)
    if not system.exists(path):
        return set()
    return {entry.getPath().getName() for entry in system.listStatus(path)}
