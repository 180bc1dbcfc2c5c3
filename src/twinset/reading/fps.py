"""Images of documents in a file, ``shingles.fps``: read and written without their texts.

A line is a document: its id, then the values of its image, whole numbers, all separated by blanks.
An id with blanks, control characters or a quote, an empty one, or one that begins with ``#`` is
written as a JSON string. Blank lines and lines that begin with ``#`` are passed over. A file whose
name ends with ``.gz`` is packed by gzip.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, BinaryIO, ClassVar, cast

from twinset.errors import MissingFileError, ReadError
from twinset.model import Batch
from twinset.plan import ReadOptions
from twinset.reading.base import FRAME, OTHER, ROW, RecordBytes, RecordFormat
from twinset.reading.batches import BatchBuilder
from twinset.reading.faults import Faults
from twinset.reading.formats import IMAGE_READER, IMAGES
from twinset.reading.inputs import Rereading
from twinset.reading.source import Meter, ReadJob, Source
from twinset.system.places import open_place
from twinset.system.remote import Place, RemotePath, is_remote, place_of

"""What the manifest calls these files where it names the reader."""
_VALUES = re.compile(r"(?:(?:^|[ \t]+)(?:0|[1-9][0-9]*))*[ \t]*", re.ASCII)
_QUOTED = json.JSONDecoder()
_DAMAGE = (OSError, EOFError, zlib.error)


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
        return ReadJob(source, self.options, Faults(source.name, self.options.on_error))

    def _read(self, path: Place) -> Iterator[Batch]:
        source, before = _source(path), self._meter.bytes_read
        job, rows = self._job(source), BatchBuilder()
        try:
            with _lines(source) as (file, stream):
                for place, raw in enumerate(stream, 1):
                    if _kind(raw) == ROW:
                        rows.add(*_document(job, raw, place), place)
                    if rows.size >= self.batch_bytes:
                        self._meter.bytes_read = before + file.tell()
                        yield rows.batch(job)
                        rows = BatchBuilder()
        except _DAMAGE as fault:
            detail = f"cannot be read to the end ({getattr(fault, 'strerror', None) or fault})"
            job.faults.add(None, "truncated", detail)
        self._meter.bytes_read = before + (source.size or 0)
        if len(rows) or job.faults:
            yield rows.batch(job)


class ImageLines(RecordFormat):
    """Lines of images, as they are split among kept and removed documents; remarks go to both."""

    suffixes: ClassVar[tuple[str, ...]] = IMAGES
    joint: ClassVar[bytes] = b"\n"

    def records(self, job: ReadJob) -> Iterator[RecordBytes]:
        """The lines as they are."""
        with _lines(job.source) as (_, stream):
            for raw in _up_to_damage(stream):
                yield RecordBytes.single(raw, _kind(raw))


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


@contextmanager
def _lines(source: Source) -> Iterator[tuple[BinaryIO, BinaryIO]]:
    """The file, and its lines."""
    with open_place(source.path, buffering=-1, ahead=True) as file:
        packed = source.compression is not None
        yield file, cast("BinaryIO", gzip.GzipFile(fileobj=file)) if packed else file


def _up_to_damage(lines: BinaryIO) -> Iterator[bytes]:
    with suppress(*_DAMAGE):
        yield from lines


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
        line = raw.decode("utf-8").strip(" \t\r\n")
    except UnicodeDecodeError:
        job.faults.add(place, "encoding", "the line is not UTF-8")
        return None, None
    if line.startswith('"'):
        try:
            id, end = _QUOTED.raw_decode(line)
        except ValueError:
            job.faults.add(place, "syntax", "the id begins with a quote and is no JSON string")
            return None, None
        rest = line[end:]
        if rest[:1] not in ("", " ", "\t"):
            job.faults.add(place, "syntax", "a blank is missing after the id in quotes")
            return id, None
    else:
        id, *others = re.split(r"[ \t]", line, maxsplit=1)
        rest = others[0] if others else ""
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
