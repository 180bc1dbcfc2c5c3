"""Whether a report may be written to a place, asked of whatever file system Spark has for it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from twinset.engine.spark.faults import explained
from twinset.engine.spark.hadoop import file_system
from twinset.errors import ReportError
from twinset.report import ensure_free as ensure_free_here
from twinset.report.places import MANIFEST
from twinset.system.remote import is_remote


def ensure_free(session: Any, folder: str, force: bool, inputs: Iterable[str]) -> None:
    """Raise for every reason not to write there: hours of work would be lost."""
    if not is_remote(folder):
        ensure_free_here(folder, force, inputs)
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
