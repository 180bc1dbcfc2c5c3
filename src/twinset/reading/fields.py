"""Which fields of records hold text, looked up among the first of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple

from twinset import spec
from twinset.errors import TwinsetError
from twinset.reading.faults import Faults
from twinset.reading.source import Job, Source

RECORDS = 1000
"""So many records of a source are looked at."""
SOURCES = 3
_DEEPEST = 6


class Field(NamedTuple):
    """A field by its dotted name, the share of records in which it holds text, and how much."""

    name: str
    share: float
    length: float


def text_fields(jobs: Iterable[Job]) -> list[Field]:
    """The fields with text of the first records, those in most records and the longest first."""
    counts: dict[str, list[int]] = {}
    records = 0
    for job in islice((job for job in jobs if _has_fields(job.source)), SOURCES):
        for record in _sample(job):
            records += 1
            for name, text in flattened(record):
                entry = counts.setdefault(name, [0, 0])
                entry[0] += 1
                entry[1] += len(text)
    fields = [
        Field(name, count / records, length / count) for name, (count, length) in counts.items()
    ]
    # A title is in every record, too: what is nearly always there is told apart by its length.
    return sorted(fields, key=lambda field: (-round(field.share, 1), -field.length, field.name))


def flattened(
    record: Mapping[str, Any], above: str = "", depth: int = 0
) -> Iterator[tuple[str, str]]:
    """The dotted names of a record under which there is text, and the text."""
    for key, value in record.items():
        name = f"{above}{key}"
        if isinstance(value, str):
            if value.strip():
                yield name, value
        elif isinstance(value, Mapping) and depth < _DEEPEST:
            yield from flattened(value, f"{name}.", depth + 1)


def _has_fields(source: Source) -> bool:
    return hasattr(spec.load("reader", source.reader), "records")


def _sample(job: Job) -> Iterator[Mapping[str, Any]]:
    """The first records of a source that can be read; its faults have been reported before."""
    quiet = Job(job.source, job.options, Faults(job.source.name, "skip"), 1 << 20, 1)
    try:
        reader = spec.make("reader", job.source.reader)
        yield from islice(reader.records(quiet), RECORDS)
    except (OSError, ValueError, TwinsetError):
        return
