"""Documents in another format than their own: rows instead of records go along the routes.

A source that is of the format already is written as it is, record by record. Where fields need
columns (CSV, Parquet), one look through all rows tells these first. What cannot be read is no row:
it goes, as it is, to a file of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from twinset.errors import PlanError, ReadError
from twinset.model import Ints
from twinset.model.outcomes import Outcomes
from twinset.plan.output import OutputForm
from twinset.reading.faults import Faults
from twinset.reading.output.decisions import Mask
from twinset.reading.output.names import OutputNames
from twinset.reading.output.notes import columns_of
from twinset.reading.output.records import Outputs
from twinset.reading.output.routes import JoinedRoute, Route, Shard, Wrap
from twinset.reading.output.row_formats import NamedByFormat, RowFormat
from twinset.reading.output.unread import UnreadFiles
from twinset.reading.output.writing import (
    Rereading,
    SourceWriter,
    along,
    is_there,
    routes_to,
)
from twinset.reading.output.written import WrittenDocuments
from twinset.reading.rows.block import RowBlock, TableRows
from twinset.reading.rows.kinds import FieldKinds
from twinset.reading.rows.tables import groups_at_a_time
from twinset.reading.source import ReadJob, Source
from twinset.system.remote import Place

MOST_COLUMNS = 4096


def convert_documents(
    again: Rereading, outcomes: Outcomes, folder: Place, form: OutputForm
) -> WrittenDocuments:
    """Write the documents below a folder in the format that the form names."""
    format = RowFormat.of(form.to or "jsonl")
    # A file of rows for every plain file would help nobody.
    are_files = form.shards is None and all(s.reader == "files" for s in again.sources)
    conversion = Conversion.of(again, format, are_files or form.shards is not None)
    names = OutputNames(
        again.sources, NamedByFormat.of(format, again.sources), len(again.sources) == 1
    )
    counted = conversion.counts(outcomes) if form.shards is not None else None
    routes = routes_to(names, outcomes, folder, form, counted)
    if are_files:
        routes = {
            name: JoinedRoute(folder, name, Shard(format.suffixes, format.compression))
            for name in routes
        }
    with ExitStack() as opened:
        conversion.unread = UnreadFiles(folder, opened)
        along(again, outcomes, routes, conversion.writer, folder)
    written = {name: route.written() for name, route in routes.items()}
    return WrittenDocuments(folder, {**written, **conversion.unread.written()})


@dataclass
class Conversion:
    """Writes sources as rows; ``own`` are the readers of those that stay as they are."""

    again: Rereading
    format: RowFormat
    own: frozenset[str]
    kinds: FieldKinds = field(default_factory=FieldKinds)
    unread: UnreadFiles | None = None
    suffixes: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def of(cls, again: Rereading, format: RowFormat, is_stream: bool) -> Conversion:
        """A conversion to the format, with the columns that all rows together need.

        In a stream of several files all are rows, since tables of different columns would follow
        each other; JSON lines have none.
        """
        readers = {source.reader for source in again.sources}
        is_alike = readers == {format.name}
        joins = format.name == "jsonl" or len(again.sources) == 1
        own = {format.name} if not is_stream or (is_alike and joins) else set()
        for source in again.sources:
            if source.reader not in own and not hasattr(again.writer(source), "rows"):
                raise PlanError(
                    [f"{source.name}: {source.reader} has no fields to write --to {format.name}"]
                )
        conversion = cls(again, format, frozenset(own))
        if format.has_columns:
            conversion.kinds = conversion._look()
        return conversion

    def writer(self, source: Source) -> SourceWriter:
        """What writes a source."""
        return self.again.writer(source) if source.reader in self.own else self

    def _sources(self) -> Iterator[tuple[Any, ReadJob]]:
        """The readers and the jobs of what becomes rows; their faults have been reported."""
        for source in filter(is_there, self.again.sources):
            if source.reader not in self.own:
                job = self.again.job(source)
                job.faults = Faults(source.name, "skip")
                yield self.again.writer(source), job

    def _look(self) -> FieldKinds:
        kinds = FieldKinds()
        for reader, job in self._sources():
            if hasattr(reader, "row_kinds"):
                kinds.merge(reader.row_kinds(job))
            else:
                kinds.merge(_looked_through(reader.rows(job)))
            _ensure_columns(kinds)
        return kinds

    def counts(self, outcomes: Outcomes) -> dict[str, int]:
        """How many rows each route gets; documents that cannot be read are none."""
        keep = outcomes.keep
        if outcomes.unread is None or outcomes.unread.any():
            keep = keep[self._readable(len(keep))]
        kept = int(keep.sum())
        return {"kept": kept, "removed": len(keep) - kept, "annotated": len(keep)}

    def _readable(self, count: int) -> Mask:
        masks = [_readable(block) for reader, job in self._sources() for block in reader.rows(job)]
        if self.own or not masks:
            return np.ones(count, dtype=bool)
        return np.concatenate(masks)

    def write(self, job: ReadJob, outputs: Outputs) -> None:
        """Send the rows of a source along the routes."""
        job.faults = Faults(job.source.name, "skip")
        reader: Any = self.again.writer(job.source)
        if self.unread is not None:
            self.unread.begin(job.source, reader.suffixes[0])
        is_last_kept = True
        with outputs.begun(self._wrap) as routes, ExitStack() as stack:
            blocks = reader.rows(job)
            stack.callback(blocks.close)
            for block in blocks:
                outcomes = outputs.decisions.take(len(block))
                keep = _as_files_go(block, outcomes.keep, is_last_kept)
                self._send(routes, block, outcomes, keep)
                is_last_kept = bool(keep[-1]) if len(keep) else is_last_kept
                if self.unread is not None:
                    self.unread.add(block)

    def _wrap(self, name: str) -> Wrap:
        threads = groups_at_a_time(self.again.job(self.again.sources[0]))
        return lambda file: self.format.sink(file, self.kinds, name == "annotated", threads)

    def _send(
        self, routes: Mapping[str, Route], block: RowBlock, outcomes: Outcomes, keep: Mask
    ) -> None:
        readable = _readable(block)
        for name, route in routes.items():
            rows, goes = block, readable
            if name == "annotated":
                columns = columns_of(outcomes)
                added = pa.RecordBatch.from_arrays(list(columns.values()), list(columns))
                rows = block.with_fields(added)
            else:
                goes = readable & (keep if name == "kept" else ~keep)
            _fill(route, rows, np.flatnonzero(goes))


def _fill(route: Route, block: RowBlock, rows: Ints) -> None:
    route.fill(len(rows), lambda begin, count: block.take(rows[begin : begin + count]))


def _readable(block: RowBlock) -> Mask:
    """Which documents have records."""
    if isinstance(block, TableRows):
        return np.ones(len(block), dtype=bool)
    return np.array([row is not None for row in block.rows], dtype=bool)


def _as_files_go(block: RowBlock, keep: Mask, is_last_kept: bool) -> Mask:
    """Where documents go: a part of a file, such as an attachment, where its file goes."""
    parts = None if isinstance(block, TableRows) else block.parts
    if parts is None or not len(parts):
        return keep
    files = np.arange(len(keep))
    files[parts] = -1
    files = np.maximum.accumulate(files)
    goes: Mask = np.where(files >= 0, keep[files], is_last_kept)
    return goes


def _looked_through(blocks: Iterator[RowBlock]) -> FieldKinds:
    kinds = FieldKinds()
    for block in blocks:
        for record in block.records():
            if record is not None:
                kinds.add(record)
        _ensure_columns(kinds)
    return kinds


def _ensure_columns(kinds: FieldKinds) -> None:
    if len(kinds.kinds) > MOST_COLUMNS:
        raise ReadError(
            "input",
            None,
            f"the records have more than {MOST_COLUMNS:,} different fields, too many for columns; "
            "write --to jsonl",
        )
