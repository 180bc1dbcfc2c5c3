"""Whether files of one format can follow each other in one: tables need the same columns."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from twinset.errors import ReadError
from twinset.reading.faults import Faults
from twinset.reading.output.writing import Rereading, is_there
from twinset.reading.source import Source


def ensure_joinable(again: Rereading) -> None:
    """Raise, with the remedy, where the sources cannot be one file in their own format."""
    sources = [source for source in again.sources if is_there(source)]
    for source in sources:
        if source.reader == "files":
            raise ReadError(
                source.name, None, "plain files cannot be joined to one; write rows with --to jsonl"
            )
    for one, other in pairwise(sources):
        if one.reader != other.reader:
            _refuse(one, other, "are of different formats")
        if not _are_equal(_columns(again, source) for source in (one, other)):
            _refuse(one, other, "have different columns")


def _refuse(one: Source, other: Source, fault: str) -> None:
    raise ReadError(
        one.name,
        None,
        f"this file and {other.name} {fault} and cannot be joined to one; write --to jsonl",
    )


def _are_equal(columns: Iterable[Any]) -> bool:
    one, other = columns
    return one is None or other is None or bool(one == other)


def _columns(again: Rereading, source: Source) -> Any:
    """What all files have to have in common; None where that is nothing, or cannot be read."""
    columns = getattr(again.writer(source), "columns", None)
    if columns is None:
        return None
    job = again.job(source)
    job.faults = Faults(source.name, "skip")
    return columns(job)
