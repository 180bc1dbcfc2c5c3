"""The documents of a run written: which routes there are, and every source sent along them."""

from __future__ import annotations

import errno
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, pairwise
from pathlib import Path
from typing import IO, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from twinset import _kernels
from twinset.errors import PlanError, ReadError, ReportError
from twinset.model.flow import WritingMeter
from twinset.model.outcomes import Cuts, Outcomes
from twinset.plan import OutputForm
from twinset.reading.base import FRAME, MORE, ROW, RecordBytes, RecordFormat, Rows
from twinset.reading.elsewhere import fetched_ahead
from twinset.reading.inputs import Rereading
from twinset.reading.source import ReadJob, Source
from twinset.reading.stream import mark_of
from twinset.system.places import is_readable
from twinset.system.remote import Place
from twinset.system.upload import copy_file
from twinset.writing import rows as forms
from twinset.writing.names import OutputNames
from twinset.writing.notes import (
    annotated_line,
    annotated_schema,
    cut_file,
    cut_line,
    notes_of,
)
from twinset.writing.routes import (
    JoinedRoute,
    Route,
    SourceRoute,
    WrittenDocuments,
    WrittenRoute,
    changed_input,
    open_output,
)

Change = Callable[[RecordBytes, Outcomes], RecordBytes]
_NO_TAILS = np.empty(0, np.uint8), np.zeros(1, np.int64), np.empty(0, np.int64)
_NEWLINE = 10


class BytesFile:
    """A file of records behind their head; ``joint`` is what the last source lacks at its end."""

    def __init__(self, file: IO[bytes], head: bytearray) -> None:
        self._file, self.joint, self.is_line_open = file, b"", False
        self.write(bytes(head))

    def write(self, data: Any) -> None:
        """Bytes, behind what is missing before them."""
        if len(data):
            if self.joint:
                self._file.write(self.joint)
                self.joint = b""
            self._file.write(data)
            self.is_line_open = data[-1] != _NEWLINE

    def close(self) -> None:
        """Nothing is held back."""


def send_records(
    source: Source,
    blocks: Iterator[RecordBytes],
    routes: Mapping[str, Route],
    take: Callable[[int], Outcomes],
    head: bytearray,
    line_end: bytes,
    change: Change | None = None,
) -> None:
    """Send the records of a source along the routes.

    ``take`` hands out the outcomes of the next documents. ``head`` is what files begin with; the
    frame at the beginning of the first source is added to it. ``change`` makes the records of the
    routes that have all documents.
    """
    for route in routes.values():
        route.begin(source, lambda file: BytesFile(file, head))
    has_head, has_rows = head.endswith(b"\n"), False
    last, missing = False, b""
    for block in blocks:
        is_row, is_frame = block.kinds == ROW, block.kinds == FRAME
        outcomes = take(int(is_row.sum()))
        goes = np.zeros(len(is_row), bool)
        goes[is_row] = ~outcomes.keep
        if (block.kinds == MORE).all():
            goes[:] = last
        stays = np.zeros(len(is_row), bool) if has_head else is_frame
        if is_frame.any() and not has_head and not has_rows:
            frame = bytes(_gathered(block, is_frame))
            head += frame if frame.endswith(line_end) else frame + line_end
        for name, route in routes.items():
            if name == "removed":
                _send(route, block, (goes & ~is_frame) | stays)
            elif name == "kept":
                _send(route, block, (~goes & ~is_frame) | stays)
            else:
                changed = block if change is None else change(block, outcomes)
                _send(route, changed, ~is_frame | stays)
        if len(goes):
            last, missing = bool(goes[-1]), block.missing
            has_rows |= bool(is_row.any())
    for name, route in routes.items():
        if missing and name != ("kept" if last else "removed"):
            route.sink.joint = missing
        elif route.sink.is_line_open:
            route.sink.joint = line_end
        route.end()


def _send(route: Route, block: RecordBytes, mask: NDArray[np.bool_]) -> None:
    """The records of a mask, to each file as many documents as it has room for."""
    before = np.cumsum(mask & (block.kinds == ROW))
    begin, done = 0, 0
    while begin < len(mask):
        end = int(np.searchsorted(before, done + route.room, side="right"))
        if end > begin:
            part = np.zeros(len(mask), bool)
            part[begin:end] = mask[begin:end]
            route.sink.write(_gathered(block, part))
            route.count(int(before[end - 1]) - done)
            done = int(before[end - 1])
        begin = end
        if begin < len(mask):
            route.next_file()


def _gathered(block: RecordBytes, mask: NDArray[np.bool_]) -> Any:
    """The bytes of the records of a mask, one behind the other."""
    size = int(block.ends[-1]) if len(mask) else 0
    if mask.all():
        data: Any = block.data
        return memoryview(data)[:size]
    begins = np.concatenate([np.zeros(1, np.int64), block.ends])
    edges = np.flatnonzero(np.diff(mask, prepend=False, append=False))
    room = np.empty(size, np.uint8)
    firsts, lasts = begins[edges[::2]], begins[edges[1::2]]
    data = np.frombuffer(block.data, np.uint8)
    return room[: _kernels.spliced(data, firsts, lasts, *_NO_TAILS, room)]


CUTTABLE = ("jsonl", "csv", "tsv", "parquet", "files")
"""Formats whose texts stand in their records as they were read."""
_LINES, _DELIMITED = "jsonl", ("csv", "tsv")
_NOTABLE = (_LINES, *_DELIMITED, "parquet")
"""Formats with room for what was decided."""
NOWHERE = "-"
_SPLIT = ("kept", "removed")


class Rereadable(Protocol):
    """Documents that can be read again; the first ones may be those of references, which stay."""

    reference_documents: int

    def again(self) -> Rereading:
        """The sources, and how each of them is read."""
        ...


def write_documents(
    documents: Rereadable,
    outcomes: Outcomes,
    folder: Place,
    form: OutputForm,
    meter: WritingMeter | None = None,
) -> WrittenDocuments:
    """Write the documents below a folder in the form that is asked for.

    ``outcomes`` has an entry for every document, in reading order.
    """
    outcomes = outcomes.slice(documents.reference_documents)
    work = _Writing(documents.again(), outcomes, form.to, form.shards is not None, folder)
    work.meter = meter or work.meter
    work.ensure_writable(form.annotate)
    names = () if form.no_split else _SPLIT
    if form.annotate:
        names = (*names, "annotated")
    routes = {name: work.route(name, form.shards) for name in names}
    work.along(routes)
    written = {name: route.written() for name, route in routes.items()}
    return WrittenDocuments(folder, written | work.unread_files())


def stream_documents(
    documents: Rereadable,
    outcomes: Outcomes,
    file: IO[bytes],
    form: OutputForm,
    meter: WritingMeter | None = None,
) -> dict[str, WrittenRoute]:
    """Write the kept documents, or with ``annotate`` all, to a file that its owner closes.

    In their own format they are not compressed. What cannot be read of another format is left out
    and counted as ``unread``.
    """
    name = "annotated" if form.annotate else "kept"
    outcomes = outcomes.slice(documents.reference_documents)
    work = _Writing(documents.again(), outcomes, form.to, is_joined=True)
    work.meter = meter or work.meter
    work.ensure_writable(form.annotate)
    packing = None if form.to is None else form.to.partition(".")[2] or None
    route = JoinedRoute(NOWHERE, lambda _: nullcontext(_CountedStream(file)), packing)
    work.along({name: route})
    left_out = {"unread": WrittenRoute(NOWHERE, work.unread, 0, 0)} if work.unread else {}
    return {name: route.written(), **left_out}


def ensure_writable(documents: Rereadable, form: OutputForm, is_joined: bool) -> None:
    """Raise where the documents cannot be written in this form, or follow each other in a file."""
    nothing = Outcomes.of_cuts(Cuts(*(np.zeros(1, np.int64) for _ in range(3))))
    _Writing(documents.again(), nothing, form.to, is_joined).ensure_writable(form.annotate)


@dataclass(frozen=True)
class CutDocuments:
    """Documents written without stretches of their texts, and how many had to stay whole."""

    written: WrittenRoute
    uncut: int


def ensure_cuttable(documents: Rereadable) -> None:
    """Raise where texts are not what is stored, so that nothing can be cut out of it."""
    again = documents.again()
    for source in again.sources:
        if source.reader not in CUTTABLE:
            raise PlanError(
                [
                    f"{source.name}: nothing can be cut out of texts in {source.reader}; give "
                    "JSON lines, CSV, Parquet or plain text, or leave the input as it is"
                ]
            )
        if again.job(source).options.html != "no":
            raise PlanError(
                [
                    "nothing can be cut out of the text of pages, which is not stored as it is "
                    "read: leave out --html, or leave the input as it is"
                ]
            )


def write_cut(documents: Rereadable, cuts: Cuts, folder: Place) -> CutDocuments:
    """Write all documents below a folder, in their own files, without stretches of their texts."""
    outcomes = Outcomes.of_cuts(cuts.slice(documents.reference_documents))
    work = _Writing(documents.again(), outcomes, None, is_joined=False, folder=folder)
    route = work.route("cleaned", None)
    work.along({"cleaned": route})
    return CutDocuments(route.written(), route.uncut)


@dataclass
class _Writing:
    """One pass over the sources; ``unread`` counts what ``to``, another format, cannot hold."""

    again: Rereading
    outcomes: Outcomes
    to: str | None
    is_joined: bool
    folder: Place | None = None
    used: int = 0
    unread: int = 0
    head: bytearray = field(default_factory=bytearray)
    meter: WritingMeter = field(default_factory=WritingMeter)
    _columns: forms.Columns | None = None
    _unread: dict[str, tuple[int, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.sources = [s for s in self.again.sources if s.files or is_readable(s.path)]
        self.format = (self.to or "").partition(".")[0]
        readers = {source.reader for source in self.sources}
        # In a stream of several files all are rows, since tables of different columns would follow
        # each other; JSON lines have none.
        joins = readers == {self.format} and (self.format == _LINES or len(self.sources) == 1)
        self.stays = self.to is None or not self.is_joined or joins

    def is_rows(self, source: Source) -> bool:
        """Whether a source is written in another format than its own."""
        if self.to is None:
            return not self._can_stay(source)
        return not (self.stays and source.reader == self.format)

    def _can_stay(self, source: Source) -> bool:
        """Whether its format is one that is written; others become JSON lines."""
        is_known = source.reader in ("files", "parquet")
        return is_known or isinstance(self.again.format(source), RecordFormat)

    def route(self, name: str, shards: int | None) -> Route:
        """A route below the folder."""
        assert self.folder is not None
        known = {
            s.reader: self.again.format(s).suffixes if self._can_stay(s) else (f".{_LINES}",)
            for s in self.again.sources
        }
        names = OutputNames(self.again.sources, known, self.to)
        # A file of rows for every plain file would help nobody.
        are_files = self.to is not None and all(s.reader == "files" for s in self.sources)
        if not self.sources or (shards is None and not are_files):
            return SourceRoute(name, self.folder, names)
        first = self.sources[0]
        suffixes, packing = names.suffixes(first), names.compression(first)
        if shards is None:
            self.is_joined = True
            place = self.folder / (name + suffixes)
            return JoinedRoute(name + suffixes, lambda _: open_output(place), packing)
        folder, count = self.folder / name, shards

        def opened(number: int) -> AbstractContextManager[IO[bytes]]:
            return open_output(folder / f"{number:05d}-of-{count:05d}{suffixes}")

        total = self._documents(name)
        rooms = [total * (n + 1) // count - total * n // count for n in range(count)]
        return JoinedRoute(name, opened, packing, rooms, folder)

    def _documents(self, name: str) -> int:
        """How many documents go along a route; as rows only those that can be read."""
        keep = self.outcomes.keep
        if any(map(self.is_rows, self.sources)) and name != "annotated":
            readable = (_readable(block.rows) for block in self._ahead(self.sources))
            keep = keep[np.concatenate([np.empty(0, bool), *readable])]
        kept = int(keep.sum())
        return {"kept": kept, "removed": len(keep) - kept}.get(name, len(keep))

    def ensure_writable(self, annotate: bool) -> None:
        """Raise where the documents cannot be written, or follow each other where they should."""
        if self.is_joined and self.to is None:
            self._ensure_joinable()
        for source in self.sources if annotate else ():
            if not self.is_rows(source) and source.reader not in _NOTABLE:
                what = f"{source.name}: these files have no room for what was decided"
                raise PlanError([f"{what}: add --to jsonl, or leave annotate out"])

    def _ensure_joinable(self) -> None:
        shapes: dict[str, str] = {}
        first = self.sources[0] if self.sources else None
        for source in self.sources:
            assert first is not None
            if source.reader == "files":
                raise PlanError(
                    [f"{source.name}: plain files cannot be joined in one; add --to jsonl, or csv"]
                )
            if source.reader != first.reader:
                raise _differing((first.name, source.name), f"{first.reader} and {source.reader}")
            format = self.again.format(source)
            is_alone = len(self.sources) == 1
            if isinstance(format, RecordFormat) and format.joint is None and not is_alone:
                raise _differing((first.name, source.name), f"files of {source.reader} have an end")
            if shape := format.shape(self.again.job(source)):
                shapes.setdefault(shape, source.name)
            if len(shapes) > 1:
                raise _differing(shapes.values(), "different columns or encodings")

    def along(self, routes: Mapping[str, Route]) -> None:
        """Send the documents of all sources along the routes."""
        if not routes:
            return
        self.meter.planned += len(self.outcomes)
        try:
            with ExitStack() as opened:
                for route in routes.values():
                    if self.again.sources:
                        route.threads = self.again.job(self.again.sources[0]).threads
                    opened.enter_context(route)
                for source in self.sources:
                    self._write(source, routes)
        except BrokenPipeError:
            raise  # whoever reads the stream has enough
        except OSError as fault:
            if fault.errno in (errno.ENOSPC, errno.EDQUOT):
                raise  # it may name the file that was copied; that the disk is full says more
            if any(str(fault.filename).startswith(str(s.path)) for s in self.again.sources):
                detail = f"cannot be read again ({fault.strerror}); nothing was written"
                raise ReadError(fault.filename, None, detail) from None
            raise ReportError(
                f"{fault.filename or self.folder or 'the output'}: cannot be written ({fault}); "
                "check the free space and the permissions"
            ) from None
        if self.used != len(self.outcomes):
            raise changed_input()

    def take(self, count: int) -> Outcomes:
        """What was decided on the next documents."""
        outcomes = self.outcomes.slice(self.used, count)
        if len(outcomes) < count:
            raise changed_input()
        self.used += count
        self.meter.done += count
        return outcomes

    def _write(self, source: Source, routes: Mapping[str, Route]) -> None:
        whole = {name: route for name, route in routes.items() if name not in _SPLIT}
        job, format, begun = self.again.job(source), self.again.format(source), self.used
        if self.is_rows(source):
            self._write_rows(source, routes)
        elif source.reader == "files":
            self._write_files(job, routes)
        elif not isinstance(format, RecordFormat):
            self._write_table(job, format, routes)
        elif source.reader in _DELIMITED and whole:
            if split := {name: route for name, route in routes.items() if name in _SPLIT}:
                self.meter.planned += 0 if begun else len(self.outcomes)
                self._write_records(job, format, split)
                self.used = begun
            self._write_rows(source, whole)
        else:
            self._write_records(job, format, routes)
        digest = self.again.digests.get(source.name)
        if job.digest is not None and digest is not None and job.digest != digest:
            raise ReadError(source.name, None, "the file has changed since it was read; run again")

    def _write_records(
        self, job: ReadJob, format: RecordFormat, routes: Mapping[str, Route]
    ) -> None:
        if not self.is_joined:
            self.head = bytearray()
        if not self.head:
            self.head += mark_of(job)
        change = partial(_changed_lines, job.options.text)
        blocks, joint = format.records(job), format.joint or b""
        send_records(job.source, blocks, routes, self.take, self.head, joint, change)

    def _write_table(self, job: ReadJob, format: Any, routes: Mapping[str, Route]) -> None:
        """Rows with all their columns into files of the same schema.

        A damaged file is copied whole beside the kept rows, since it cannot be divided.
        """
        schema, codec = format.schema(job), format.codec(job)
        begun, quiet = self.used, job.quiet()
        if schema is not None:
            for name, route in routes.items():
                own = annotated_schema(schema) if name == "annotated" else schema
                route.begin(job.source, partial(forms.TableFile, schema=own, codec=codec))
            for block in format.rows(quiet):
                outcomes = self.take(len(block.rows))
                for name, route in routes.items():
                    _fill(route, _of_route(name, block.rows, outcomes, job.options.text))
            for route in routes.values():
                route.end()
        if schema is None or quiet.faults:
            # Damage in a column that was not read before may have come earlier than it did there.
            documents = sum(len(batch) for batch in format.read(job.quiet()))
            self.take(max(0, documents - (self.used - begun)))
            for name in routes.keys() - {"removed"}:
                routes[name].copy(job.source, "" if schema is None else ".damaged")

    def _write_files(self, job: ReadJob, routes: Mapping[str, Route]) -> None:
        """Copy plain files under the same names; a letter takes its attachments along."""
        from twinset.reading import files

        places = {n: r.place(job.source) for n, r in routes.items() if isinstance(r, SourceRoute)}
        for folder in places.values():
            if isinstance(folder, Path):
                (folder if job.source.files else folder.parent).mkdir(parents=True, exist_ok=True)
        self.meter.planned += len(files.documents(job))  # each of which has to reach the disk, too
        for path in fetched_ahead(files.documents(job)):
            count = files.documents_in(job.quiet(), path)
            outcomes = self.take(count)
            name = "kept" if outcomes.keep[0] else "removed"
            name = name if outcomes.cuts is None else "cleaned"
            # What cannot be read was reported as a fault; there is nothing to copy.
            if name in places and is_readable(path):
                place, route = places[name], routes[name]
                target = place / files.below(job, path) if job.source.files else place
                route.bytes += self._copy(job, path, target, outcomes, route)
                route.files += 1
                route.count(count)

    def _copy(
        self, job: ReadJob, path: Place, target: Place, outcomes: Outcomes, route: Route
    ) -> int:
        from twinset.reading import files

        stretches = {} if outcomes.cuts is None else dict(outcomes.cuts.documents())
        if stretches and (held := files.plain_text(job.quiet(), path)) is not None:
            left = cut_file(*held, stretches[0])
            if left is not None:
                with open_output(target) as file:
                    file.write(left)
                return len(left)
        route.uncut += len(stretches)
        return copy_file(path, target)

    def _rows(self, source: Source) -> Iterator[Rows]:
        return self.again.format(source).rows(self.again.job(source).quiet())

    def _ahead(self, sources: Sequence[Source]) -> Iterator[Rows]:
        """The rows of sources that are read once more before they are written."""
        self.meter.planned += len(self.outcomes) * len(sources) / len(self.sources)
        for block in chain.from_iterable(map(self._rows, sources)):
            yield block
            self.meter.done += len(block.rows)

    def _write_rows(self, source: Source, routes: Mapping[str, Route]) -> None:
        """Documents as rows; what cannot be read is no row and goes to a file of its own."""
        job, format = self.again.job(source), self.again.format(source)
        target = self.format or (source.reader if source.reader in _DELIMITED else _LINES)
        columns = self._columns_for(source) if target != _LINES else None
        texts = (job.options.id, job.options.text)
        for name, route in routes.items():
            schema = None if columns is None else columns.schema(name == "annotated")
            if schema is None:
                route.begin(source, partial(forms.JsonLinesFile, texts=texts))
            elif target == "parquet":
                route.begin(source, partial(forms.TableFile, schema=schema, texts=texts))
            else:
                names, own = schema.names, not self.is_rows(source)
                sign, mark = (format.delimiter_of(job), mark_of(job)) if own else (",", b"")
                made = partial(forms.CsvFile, names=names, texts=texts, delimiter=sign, mark=mark)
                route.begin(source, made)
        for block in self._rows(source):
            outcomes, readable = self.take(len(block.rows)), _readable(block.rows)
            if self.to is not None or "cleaned" in routes:
                self._keep_unread(source, block.unread, int((~readable).sum()))
            found = block.rows
            if isinstance(found, list):
                found = [row or {} for row in found]
            for name, route in routes.items():
                _fill(route, _of_route(name, found, outcomes, job.options.text, readable))
        for route in routes.values():
            route.end()

    def _columns_for(self, source: Source) -> forms.Columns:
        """The columns of a source, or of all that are rows together, which are found out once."""
        is_every = self.is_joined or self.is_rows(source)
        if is_every and self._columns is not None:
            return self._columns
        columns = forms.Columns()
        every = [one for one in self.sources if self.is_joined or self.is_rows(one)]
        for block in self._ahead(every if is_every else [source]):
            is_list = isinstance(block.rows, list)
            found = [row for row in block.rows if row is not None] if is_list else block.rows
            columns.add(found)
        if is_every:
            self._columns = columns
        return columns

    def _keep_unread(self, source: Source, data: bytes, count: int) -> None:
        self.unread += count
        if not data or self.folder is None:
            return
        place = self.folder / f"unread{self.again.format(source).suffixes[0]}"
        documents, size = self._unread.get(place.name, (0, 0))
        with open_output(place) if not size else open(str(place), "ab") as file:
            written = file.write(data if data.endswith(b"\n") else data + b"\n")
        self._unread[place.name] = documents + count, size + written

    def unread_files(self) -> dict[str, WrittenRoute]:
        """The files of what could not be read, by name: ``unread``, ``unread_2``."""
        return {
            "unread" if not number else f"unread_{number + 1}": WrittenRoute(name, count, 1, size)
            for number, (name, (count, size)) in enumerate(self._unread.items())
        }


def _differing(names: Iterable[str], what: str) -> PlanError:
    return PlanError(
        [f"{' and '.join(names)} cannot be joined as they are: {what}; add --to jsonl, or parquet"]
    )


def _readable(rows: Any) -> Any:
    """Which documents have rows."""
    if isinstance(rows, list):
        return np.array([row is not None for row in rows], bool)
    return np.ones(len(rows), bool)


def _of_route(
    name: str, rows: Any, outcomes: Outcomes, text: str, readable: Any = True
) -> forms.Block:
    """The rows that go along a route, as they are there."""
    if name == "annotated":
        return forms.annotated(rows, outcomes)
    if name == "cleaned":
        return forms.cut(rows, outcomes, text)
    return forms.taken(rows, readable & (outcomes.keep if name == "kept" else ~outcomes.keep))


def _fill(route: Route, rows: Any) -> None:
    if isinstance(rows, list):
        route.fill(len(rows), lambda begin, count: rows[begin : begin + count])
    else:
        route.fill(rows.num_rows, rows.slice)


def _changed_lines(field: str, block: RecordBytes, outcomes: Outcomes) -> RecordBytes:
    """Lines of JSON with what was decided on each, or without stretches of their texts."""
    lines = np.flatnonzero(block.kinds == ROW).tolist()
    begins, data = [0, *block.ends.tolist()], memoryview(block.data)
    pieces: list[Any] = [data[begin:end] for begin, end in pairwise(begins)]
    if outcomes.cuts is not None:
        for number, stretches in outcomes.cuts.documents():
            line = lines[number]
            pieces[line] = cut_line(bytes(pieces[line]), field, stretches)
    else:
        known = np.zeros(len(lines), bool) if outcomes.unread is None else ~outcomes.unread
        for line, note, is_known in zip(lines, notes_of(outcomes), known.tolist(), strict=True):
            pieces[line] = annotated_line(bytes(pieces[line]), note, is_known)
    ends = np.cumsum([len(piece) for piece in pieces], dtype=np.int64)
    return block._replace(data=b"".join(pieces), ends=ends)


class _CountedStream(io.RawIOBase, IO[bytes]):
    """A file that knows how many bytes have gone into it, which a pipe does not."""

    def __init__(self, file: IO[bytes]) -> None:
        self._below, self._written = file, 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        """Hand all bytes on: a stream without a buffer, as under PYTHONUNBUFFERED, takes some."""
        with memoryview(data).cast("B") as view:
            begin = 0
            while begin < len(view):
                count = self._below.write(view[begin:])
                begin = len(view) if count is None else begin + count
            self._written += len(view)
            return len(view)

    def tell(self) -> int:
        return self._written
