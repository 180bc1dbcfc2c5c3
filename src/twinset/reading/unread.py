"""Whether enough of the input could be read for a result to mean something.

A run over documents without text finds no near-duplicates, and that looks like an answer. So what
was read is tallied, and where there was no text, or where too many rows could not be read, the
fault is named together with the fields that do hold text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from twinset.errors import TwinsetError, did_you_mean, nearest, some_of
from twinset.model import Batch, Fault
from twinset.plan import ReadOptions, spec
from twinset.plan.spec import counted
from twinset.reading.base import FileFormat
from twinset.reading.faults import Faults
from twinset.reading.source import ReadJob, Source
from twinset.text.arrow import arrow_text

RECORDS = 1000
"""How many records of a source are looked at."""
SOURCES = 3
MOST_NAMED = 20
"""Files without text that are looked into, and named with what they hold instead."""
_DEEPEST = 6


class TextField(NamedTuple):
    """A field by its dotted name, the share of records in which it holds text, and how much."""

    name: str
    share: float
    length: float


def text_fields(jobs: Iterable[ReadJob]) -> list[TextField]:
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
        TextField(name, count / records, length / count) for name, (count, length) in counts.items()
    ]
    # A title is in every record, too: the longer field is more likely the text.
    return sorted(fields, key=lambda field: (-round(field.share, 1), -field.length, field.name))


def field_names(jobs: Iterable[ReadJob]) -> list[str]:
    """The names of the fields of the first records, those inside others with dots."""
    jobs = islice((job for job in jobs if _has_fields(job.source)), SOURCES)
    records = (record for job in jobs for record in _sample(job))
    return list(dict.fromkeys(name for record in records for name in _names(record)))


def _names(record: Mapping[str, Any], above: str = "", depth: int = 0) -> Iterator[str]:
    for key, value in record.items():
        if isinstance(value, Mapping) and depth < _DEEPEST:
            yield from _names(value, f"{above}{key}.", depth + 1)
        else:
            yield f"{above}{key}"


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
    return bool(spec.load("reader", source.reader).has_fields)


def _sample(job: ReadJob) -> Iterator[Mapping[str, Any]]:
    """The first records of a source that can be read; its faults have been reported before."""
    quiet = ReadJob(job.source, job.options, Faults(job.source.name, "skip"), 1 << 20, 1)
    try:
        reader: FileFormat = spec.make("reader", job.source.reader)
        yield from islice(_records(reader, quiet), RECORDS)
    except (OSError, ValueError, TwinsetError):
        return


def _records(reader: FileFormat, job: ReadJob) -> Iterator[Mapping[str, Any]]:
    for block in reader.rows(job):
        rows = block.rows if isinstance(block.rows, Sequence) else _first(block.rows)
        yield from (row for row in rows if row is not None)


def _first(table: pa.RecordBatch) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = table.slice(0, RECORDS).to_pylist()
    return rows


QUOTED = "'{}'"


@dataclass
class FileTally:
    """What a file of records gave: rows, those without text, and faults by kind."""

    rows: int = 0
    unread: int = 0
    faults: dict[str, int] = field(default_factory=dict)
    first_fault: Fault | None = None

    def add(self, rows: int, unread: int, faults: Iterable[Fault]) -> None:
        """Count a batch."""
        self.rows += rows
        self.unread += unread
        for fault in faults:
            self.faults[fault.kind] = self.faults.get(fault.kind, 0) + 1
            self.first_fault = self.first_fault or fault

    def alone(self) -> ReadTally:
        """The tally of a run on this file."""
        return ReadTally(rows=self.rows, unread_rows=self.unread, first_fault=self.first_fault)

    @property
    def lacks_the_text(self) -> bool:
        """Whether no row could be read, and not only because records are broken."""
        return 0 < self.rows == self.unread and bool({"missing", "type"} & self.faults.keys())


@dataclass
class ReadTally:
    """What a pass over the input gave: documents of any kind, rows, and files of records.

    Plain files do not count against `max_unread`: photographs among documents are no fault, and
    are compared byte for byte.
    """

    documents: int = 0
    unread: int = 0
    rows: int = 0
    unread_rows: int = 0
    has_text: bool = False
    has_text_in_rows: bool = False
    has_bytes: bool = False
    has_ids: bool = False
    has_order: bool = False
    first_fault: Fault | None = None
    files: dict[str, FileTally] = field(default_factory=dict)

    def add(self, source: Source | None, batch: Batch) -> None:
        """Count a batch; one without a source carries faults alone."""
        if batch.faults and self.first_fault is None:
            self.first_fault = batch.faults[0]
        if source is None:
            return
        is_record = source.reader != "files"
        unread = batch.texts.null_count
        if is_record and (len(batch) or batch.faults):
            self.of_file(source.name).add(len(batch), unread, batch.faults)
        if not len(batch):
            return
        if batch.files is not None:
            self.has_bytes |= batch.files.take_part()
        self.documents += len(batch)
        self.unread += unread
        if is_record:
            self.rows += len(batch)
            self.unread_rows += unread
            self.has_ids |= batch.ids.null_count < len(batch)
            self.has_order |= batch.order is not None and not np.isnan(batch.order).all()
        if not (self.has_text_in_rows if is_record else self.has_text):
            _, offsets = arrow_text(batch.texts)
            has_text = bool(offsets[-1] > offsets[0])
            self.has_text |= has_text
            self.has_text_in_rows |= is_record and has_text

    def of_file(self, name: str) -> FileTally:
        """What a file of records gave so far."""
        return self.files.setdefault(name, FileTally())

    @property
    def is_empty(self) -> bool:
        """Whether there was nothing to read, and nothing wrong with that."""
        return not self.documents and self.first_fault is None

    def lacks_order(self, options: ReadOptions) -> bool:
        """Whether no row has a value in the field that decides which copy stays."""
        return bool(options.order and self.rows and not self.has_order)

    def lacks_text(self) -> bool:
        """Whether so many rows have no text that the field is the wrong one."""
        return self.rows >= RECORDS and all(file.lacks_the_text for file in self.files.values())

    def fault(
        self, options: ReadOptions, fields: list[TextField], names: Iterable[str] = ()
    ) -> str | None:
        """What is wrong with the input as a whole, with the remedy; None where nothing is.

        ``names`` are those of all fields, ``fields`` those that hold text.
        """
        share = self.unread_rows / self.rows if self.rows else 0.0
        if self.rows and (not self.has_text_in_rows or share > options.max_unread):
            return self._rows_fault(options, fields, share)
        if self.documents and (fault := self._files_fault(options)):
            return fault
        if self.rows and not self.has_ids and options.id != ReadOptions().id:
            fault = none_of(self.rows, "row", "holds an id", "holds no id")
            return f"{fault} in the field '{options.id}'; {_fields(options.id, names, '--id {}')}"
        if self.has_text or self.has_bytes:
            return None
        if not self.documents:
            return f"the input holds no documents{self._first()}; name files that hold some"
        if self.unread == self.documents:
            fault = none_of(self.documents, "document", "could be read", "could not be read")
            return f"{fault}{self._first()}; name files that hold text"
        fault = none_of(self.documents, "document", "holds any text", "holds no text")
        return f"{fault}; name files that hold text"

    def files_without_text(
        self, options: ReadOptions, jobs: Iterable[ReadJob]
    ) -> dict[str, Any] | None:
        """The files of records of which no row could be read, for want of the field with the text.

        ``faults`` are those of their rows by kind. The ``first`` ones are named, with the sentence
        that a run on this file alone would end with. None where there are none.
        """
        files = {name: file for name, file in self.files.items() if file.lacks_the_text}
        if not files:
            return None
        named = dict(islice(files.items(), MOST_NAMED))
        fields = {job.source.name: text_fields([job]) for job in jobs if job.source.name in named}
        return {
            "files": len(files),
            "documents": sum(file.rows for file in files.values()),
            "faults": dict(sum((Counter(file.faults) for file in files.values()), Counter())),
            "first": [
                {
                    "source": name,
                    "documents": file.rows,
                    "fault": file.alone().fault(options, fields.get(name, [])),
                }
                for name, file in named.items()
            ],
        }

    def _files_fault(self, options: ReadOptions) -> str | None:
        unread = sum(not file.rows for file in self.files.values())
        share = unread / len(self.files) if self.files else 0.0
        if share <= options.max_unread:
            return None
        return (
            f"{unread:,} of {counted(len(self.files), 'file')} of records ({share:.0%}) could not "
            f"be read, more than max-unread {options.max_unread:g} allows{self._first()}; mend "
            "these files, or raise it by --max-unread"
        )

    def _rows_fault(self, options: ReadOptions, fields: list[TextField], share: float) -> str:
        if not self.has_text_in_rows:
            fault = none_of(self.rows, "row", "holds text", "holds no text")
            fault = f"{fault} in the field '{options.text}'"
        else:
            fault = (
                f"{self.unread_rows:,} of {counted(self.rows, 'row')} ({share:.0%}) could not be "
                f"read, more than max-unread {options.max_unread:g} allows"
            )
        others = [field for field in fields if field.name not in ("", options.text)]
        meant = [field for field in others if field.name != options.id]
        if meant and (not self.has_text_in_rows or meant[0].share > 1 - share):
            names = some_of([f"{field.name} ({field.share:.0%})" for field in others])
            name = nearest(options.text, [field.name for field in meant]) or meant[0].name
            return f"{fault}; fields with text: {names}; did you mean --text {name}?"
        remedy = "" if not self.has_text_in_rows else ", or raise it by --max-unread"
        remedy += ", or make every file one document with --each-file"
        return f"{fault}{self._first()}; name the field with --text{remedy}"

    def _first(self) -> str:
        if self.first_fault is None:
            return ""
        fault = self.first_fault
        place = fault.source if fault.line is None else f"{fault.source}:{fault.line}"
        return f" (the first fault: {place}: {fault.detail})"


def no_order(options: ReadOptions, names: Iterable[str]) -> str:
    """The fault that no row has a value in the field that decides which copy stays."""
    field, known = options.order or "", list(names)
    remedy = (
        _fields(field, known, QUOTED)
        if known
        else "of a web archive, name date, http_status, http_headers.NAME or warc_headers.NAME"
    )
    return f"no row holds a number or a date in the field '{field}', which --keep names; {remedy}"


def _fields(name: str, names: Iterable[str], form: str) -> str:
    """The fields that there are, and which of them was probably meant."""
    known = list(names)
    return f"{did_you_mean(name, known, form=form)}the fields are {some_of(known)}"


def none_of(count: int, noun: str, does: str, does_not: str) -> str:
    """Say that the only one, or none of several, does something."""
    return f"the only {noun} {does_not}" if count == 1 else f"none of the {count:,} {noun}s {does}"
