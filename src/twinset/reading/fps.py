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
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, cast

from twinset.errors import MissingFileError
from twinset.model import Batch
from twinset.plan import ReadOptions
from twinset.reading.batches import BatchBuilder
from twinset.reading.faults import Faults
from twinset.reading.source import Meter, ReadJob, Source

SUFFIXES = (".fps", ".fps.gz")
_PLAIN_ID = re.compile(r'[^\s"#\x00-\x1f\x7f][^\s"\x00-\x1f\x7f]*')
_VALUES = re.compile(r"(?:(?:^|[ \t]+)(?:0|[1-9][0-9]*))*[ \t]*", re.ASCII)
_QUOTED = json.JSONDecoder()


def is_image_file(path: str | os.PathLike[str]) -> bool:
    """Whether a path names a file of images."""
    return os.fspath(path).lower().endswith(SUFFIXES)


def quoted_id(id: str) -> str:
    """An id as it is written in a line."""
    return id if _PLAIN_ID.fullmatch(id) else json.dumps(id, ensure_ascii=False)


class ImageFiles:
    """Files of images as documents: the text of each is its values, separated by blanks."""

    def __init__(
        self,
        paths: Sequence[str | os.PathLike[str]],
        options: ReadOptions,
        batch_bytes: int = 32 << 20,
    ) -> None:
        self.paths = [Path(path) for path in paths]
        for path in self.paths:
            if not path.is_file():
                raise MissingFileError(path)
        self.options, self.batch_bytes = options, batch_bytes
        self.total_bytes = sum(path.stat().st_size for path in self.paths)
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

    def _read(self, path: Path) -> Iterator[Batch]:
        name, before = str(path), self._meter.bytes_read
        source = Source(path, name, "fps", None, path.stat().st_size)
        job = ReadJob(source, self.options, Faults(name, self.options.on_error))
        rows = BatchBuilder()
        try:
            with open(path, "rb") as file:
                packed = name.lower().endswith(".gz")
                stream = cast(BinaryIO, gzip.GzipFile(fileobj=file)) if packed else file
                for place, raw in enumerate(stream, 1):
                    if raw.strip() and not raw.startswith(b"#"):
                        rows.add(*_document(job, raw, place), place)
                    if rows.bytes >= self.batch_bytes:
                        self._meter.bytes_read = before + file.tell()
                        yield rows.batch(job)
                        rows = BatchBuilder()
        except (OSError, EOFError) as fault:
            detail = f"cannot be read to the end ({getattr(fault, 'strerror', None) or fault})"
            job.faults.add(None, "truncated", detail)
        self._meter.bytes_read = before + source.size
        if len(rows) or job.faults:
            yield rows.batch(job)


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
