"""Images of documents in a file, ``shingles.fps``: read and written without their texts.

A line is a document: its id, then the values of its image, whole numbers, all separated by blanks.
An id with blanks, control characters or a quote, an empty one, or one that begins with ``#`` is
written as a JSON string. Blank lines and lines that begin with ``#`` are passed over. A file whose
name ends with ``.gz`` is packed by gzip.
"""

from __future__ import annotations

import io
import json
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any, ClassVar

import numpy as np

from twinset.errors import MissingFileError, ReadError
from twinset.model import Batch
from twinset.plan import ReadOptions
from twinset.reading.base import FRAME, MORE, OTHER, ROW, RecordBytes, RecordFormat
from twinset.reading.batches import BatchBuilder, empty_batch
from twinset.reading.faults import Faults
from twinset.reading.formats import IMAGE_READER, IMAGES
from twinset.reading.inputs import Rereading
from twinset.reading.record_blocks import RecordBlock, line_blocks
from twinset.reading.source import Meter, ReadJob, Source
from twinset.reading.stream import open_text_stream
from twinset.system.remote import Place, RemotePath, is_remote, place_of

_VALUES = re.compile(r"(?:(?:^|[ \t]+)(?:0|[1-9][0-9]*))*[ \t]*", re.ASCII)
_LINE = re.compile(r'("(?:[^"\\]|\\.)*"|[^ \t"][^ \t]*)(?:[ \t]+(.*))?', re.DOTALL)


class ImageFiles:
    """Files of images as documents: the text of each is its values, separated by blanks."""

    reference_documents = 0

    def __init__(
        self,
        paths: Sequence[str | os.PathLike[str]],
        options: ReadOptions,
        batch_bytes: int = 32 << 20,
    ) -> None:
        self.paths = [_place(path, options) for path in paths]
        self.options, self.batch_bytes = options, batch_bytes
        self.total_bytes = sum(_size(path) or 0 for path in self.paths)
        self._meter = Meter()

    @property
    def bytes_read(self) -> int:
        """Bytes taken from the files in this pass."""
        return self._meter.bytes_read

    def batches(self) -> Iterator[Batch]:
        """Stream all documents from the beginning."""
        self._meter.bytes_read = 0
        for path in self.paths:
            yield from self._read(path)

    def ids(self) -> Iterator[str]:
        """The ids of all documents, in order; the place of one that has none."""
        number = 0
        for batch in self.batches():
            for id in batch.ids.to_pylist():
                yield str(number) if id is None else id
                number += 1

    def describe(self) -> list[dict[str, Any]]:
        """What was read, for the manifest."""
        return [_source(path).described(digest=None) for path in self.paths]

    def again(self) -> Rereading:
        """How the lines are read when they are written."""
        return Rereading([_source(path) for path in self.paths], self._job, {}, ImageLines())

    def _job(self, source: Source) -> ReadJob:
        faults = Faults(source.name, self.options.on_error)
        return ReadJob(source, self.options, faults, meter=self._meter)

    def _read(self, path: Place) -> Iterator[Batch]:
        source = _source(path)
        job, place = self._job(source), 0
        try:
            for block, lines in _lines(job, self.batch_bytes):
                rows = BatchBuilder()
                for raw in lines if block.part in ("whole", "first") else ():
                    place += 1
                    if _kind(raw) == ROW:
                        rows.add(*_document(job, raw, place), place)
                yield rows.batch(job)
        except OSError as fault:
            job.faults.add(None, "unreadable", f"cannot be read ({fault.strerror or fault})")
        if job.faults:
            yield empty_batch(source.name, job.faults.take())


class ImageLines(RecordFormat):
    """Lines of images, as they are split among kept and removed documents; remarks go to both."""

    suffixes: ClassVar[tuple[str, ...]] = IMAGES
    joint: ClassVar[bytes] = b"\n"

    def records(self, job: ReadJob) -> Iterator[RecordBytes]:
        """The lines as they are."""
        for block, lines in _lines(job, job.block_bytes):
            if block.part == "whole":
                ends = np.cumsum([len(raw) for raw in lines], dtype=np.int64)
                yield RecordBytes(block.data, ends, np.array(list(map(_kind, lines)), np.uint8))
            else:
                yield RecordBytes.single(block.data, ROW if block.part == "first" else MORE)


def _lines(job: ReadJob, batch_bytes: int) -> Iterator[tuple[RecordBlock, list[bytes]]]:
    """Blocks of a file with their lines."""
    stream, _, _ = open_text_stream(job)
    with closing(stream):
        for block in line_blocks(stream, batch_bytes, job.limit):
            yield block, list(io.BytesIO(block.raw))


def _place(path: str | os.PathLike[str], options: ReadOptions) -> Place:
    if options.within and is_remote(path):
        raise ReadError(os.fspath(path), None, "addresses are not read here")
    place = place_of(path)
    if not place.is_file():
        raise MissingFileError(str(place), bounded=bool(options.within))
    return place


def _size(path: Place) -> int | None:
    return path.status().bytes if isinstance(path, RemotePath) else path.stat().st_size


def _source(path: Place) -> Source:
    packing = "gz" if path.suffix.lower() == ".gz" else None
    return Source(path, str(path), IMAGE_READER, packing, _size(path))


def _kind(raw: bytes) -> int:
    """Whether a line is a document, a remark, or blank."""
    if raw.startswith(b"#"):
        return FRAME
    return ROW if raw.strip() else OTHER


def _document(job: ReadJob, raw: bytes, place: int) -> tuple[str | None, str | None]:
    """The id and the values of a line; None for values that are damaged."""
    if len(raw) > job.limit:
        job.faults.add(place, "too-long", f"the line is longer than {job.limit:,} bytes")
        return None, None
    try:
        match = _LINE.fullmatch(raw.decode("utf-8").strip(" \t\r\n"))
        written, rest = match.groups("") if match else ('"', "")
        id = json.loads(written) if written.startswith('"') else written
    except UnicodeDecodeError:
        job.faults.add(place, "encoding", "the line is not UTF-8")
        return None, None
    except ValueError:
        job.faults.add(place, "syntax", "the id begins with a quote and is no JSON string")
        return None, None
    values = rest.strip(" \t")
    if _VALUES.fullmatch(values):
        return id, values
    words = values.split()
    wrong = next((word for word in words if not (word.isascii() and word.isdigit())), None)
    if wrong is not None:
        job.faults.add(
            place, "syntax", f"'{wrong[:40]}' is no value of an image, which is a whole number"
        )
        return id, None
    return id, " ".join(word.lstrip("0") or "0" for word in words)
