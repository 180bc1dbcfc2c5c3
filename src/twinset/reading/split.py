"""Kept and removed documents in the input's own format: every record untouched and in order.

A second pass over the input hands each record's bytes to one of two outputs. What is no document
(blank lines) and what could not be read goes with the kept ones, so both together are the input.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, ClassVar, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from twinset import spec
from twinset.errors import ReadError, ReportError
from twinset.model import Ints
from twinset.reading.compression import SUFFIXES, open_compressed
from twinset.reading.formats import suffix_of
from twinset.reading.source import ReadJob, Source
from twinset.system.remote import Place, RemotePath

Bytes = NDArray[np.uint8]
Mask = NDArray[np.bool_]
# What a record is: a document, part of the frame that both outputs need, or neither.
ROW, FRAME, OTHER = 0, 1, 2


@dataclass
class KeepDecisions:
    """One decision per document, in reading order."""

    keep: Mask
    used: int = 0

    def take(self, count: int) -> Mask:
        """The decisions for the next documents."""
        decisions = self.keep[self.used : self.used + count]
        if len(decisions) < count:
            raise ReadError("input", None, "the input has changed since it was read; run again")
        self.used += count
        return decisions


@dataclass
class SplitOutputs:
    """The two outputs of one source."""

    decisions: KeepDecisions
    kept: Place
    removed: Place
    compression: str | None

    @contextmanager
    def handles(self) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
        """The two outputs as files, compressed like the input."""
        with (
            open_compressed(self.kept, self.compression) as kept,
            open_compressed(self.removed, self.compression) as removed,
        ):
            yield kept, removed

    @contextmanager
    def files(self, encoding: str = "utf-8", mark: bytes = b"") -> Iterator[RecordWriter]:
        """The two outputs for records, which begin with the input's byte order mark."""
        with self.handles() as (kept, removed):
            kept.write(mark)
            removed.write(mark)
            yield RecordWriter(self.decisions, kept, removed, encoding)


class RecordWriter:
    """Sends each record to one of the two outputs."""

    def __init__(
        self, decisions: KeepDecisions, kept: IO[bytes], removed: IO[bytes], encoding: str
    ) -> None:
        self._decisions, self._encoding = decisions, encoding
        self._outputs = {True: kept, False: removed}
        self._last = True

    def records(self, data: Bytes, ends: Ints, kinds: NDArray[np.uint8]) -> None:
        """Consecutive records, each with its kind (`ROW`, `FRAME` or `OTHER`)."""
        if len(ends) == 0:
            return
        goes = np.ones(len(ends), dtype=bool)
        rows = kinds == ROW
        goes[rows] = self._decisions.take(int(rows.sum()))
        breaks = (
            np.flatnonzero((np.diff(goes) != 0) | (np.diff(kinds == FRAME) != 0)) + 1
        ).tolist()
        for first, last in zip([0, *breaks], [*breaks, len(ends)], strict=True):
            begin = int(ends[first - 1]) if first else 0
            piece = data[begin : int(ends[last - 1])]
            if kinds[first] == FRAME:
                self.frame(piece)
            else:
                self._write(bool(goes[first]), piece)
        self._last = bool(goes[-1])

    def record(self, data: Any, kind: int = ROW) -> None:
        """One record."""
        piece = np.frombuffer(data, dtype=np.uint8)
        self.records(piece, np.array([len(piece)]), np.array([kind], dtype=np.uint8))

    def more(self, data: Bytes) -> None:
        """More of the last record."""
        self._write(self._last, data)

    def frame(self, data: Any) -> None:
        """Bytes that both outputs need."""
        self._write(True, data)
        self._write(False, data)

    def removed_only(self, data: bytes) -> None:
        """Bytes that only the removed documents need, since the kept ones have theirs."""
        self._write(False, data)

    def _write(self, kept: bool, data: Any) -> None:
        if self._encoding != "utf-8":
            data = bytes(data).decode("utf-8", "replace").encode(self._encoding)
        self._outputs[kept].write(data)


class Splitter(Protocol):
    """A format whose files can be split: see `Reader`."""

    suffixes: ClassVar[tuple[str, ...]]

    def split(self, job: ReadJob, outputs: SplitOutputs) -> None:
        """Hand every record, untouched and in order, to one of the outputs."""
        ...


class SplitPaths(NamedTuple):
    """Where the kept and the removed documents are: two files, or two folders."""

    kept: Place
    removed: Place


def split_sources(
    sources: list[Source],
    job_of: Callable[[Source], ReadJob],
    digests: Mapping[str, int],
    keep: Mask,
    kept: Place,
    removed: Place,
    reader: Splitter | None = None,
) -> SplitPaths:
    """Write the documents whose ``keep`` is true below ``kept`` and the others below ``removed``.

    One file gives two files, their names completed by its suffixes (``kept.jsonl.gz``); a folder or
    several files give two folders with the names of the input. ``keep`` has an entry for every row
    of the batches, in reading order. ``digests`` are those of the pass that was decided on.
    ``reader`` reads all of them, where that of their name does not.
    """
    decisions = KeepDecisions(np.asarray(keep, dtype=bool))
    single = len(sources) == 1 and sources[0].reader != "files"
    base = None if single else _common_folder(sources)
    try:
        for source in sources:
            used = reader or spec.make("reader", source.reader)
            paths = [_output(folder, source, base, used) for folder in (kept, removed)]
            outputs = SplitOutputs(decisions, paths[0], paths[1], source.compression)
            _split_source(job_of(source), outputs, digests.get(source.name), used)
    except OSError as fault:
        remedy = "check the free space and the permissions"
        raise ReportError(
            f"{fault.filename or kept}: cannot be written ({fault}); {remedy}"
        ) from None
    if decisions.used != len(decisions.keep):
        raise ReadError("input", None, "the input has changed since it was read; run again")
    return SplitPaths(*(paths if single else (kept, removed)))


def _split_source(
    job: ReadJob, outputs: SplitOutputs, digest: int | None, reader: Splitter
) -> None:
    source = job.source
    if not source.files and not is_readable(source.path):
        return  # reported as a fault when it was read; it had no documents
    reader.split(job, outputs)
    if job.digest is not None and digest is not None and job.digest != digest:
        raise ReadError(source.name, None, "the file has changed since it was read; run again")


def _output(folder: Place, source: Source, base: Path | None, reader: Splitter) -> Place:
    if base is None:
        return folder.with_name(folder.name + _suffixes(source, reader))
    if source.files:
        return folder / _absolute(source.path).relative_to(base)
    if source.is_spool:
        return folder / (Path(source.name).name + _suffixes(source, reader))
    return folder / _absolute(source.path).relative_to(base)


def _suffixes(source: Source, reader: Splitter) -> str:
    """``.jsonl.gz`` for what is such a file, by its name or else by its content."""
    name = Path(source.path.name if isinstance(source.path, RemotePath) else source.name)
    if name.suffix.lower() in SUFFIXES:
        return Path(name.stem).suffix + name.suffix
    packing = f".{source.compression}" if source.compression else ""
    suffixes = reader.suffixes
    return (name.suffix if suffix_of(name) in suffixes else suffixes[0]) + packing


def is_readable(path: Place) -> bool:
    """Whether a file is there and may be read."""
    return path.exists() if isinstance(path, RemotePath) else os.access(path, os.R_OK)


def _common_folder(sources: list[Source]) -> Path:
    """The folder below which the inputs lie, so that their names can be kept apart."""
    folders = [
        _absolute(source.path if source.files else source.path.parent)
        for source in sources
        if not source.is_spool
    ]
    return Path(os.path.commonpath(folders)) if folders else Path()


def _absolute(path: Place) -> Path:
    """Where a file lies; one elsewhere as if its scheme were a folder, so that names stay apart."""
    if isinstance(path, RemotePath):
        return Path("/", path.scheme, path.path.lstrip("/"))
    return Path(os.path.abspath(path))
