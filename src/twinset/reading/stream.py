"""The bytes of a source: opened, counted and digested, decompressed, and recoded to UTF-8.

Plain files are read into the caller's block, not mapped, so that memory stays within the limit.
"""

from __future__ import annotations

import codecs
import io
import os
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, suppress
from itertools import chain
from typing import BinaryIO, Protocol

import numpy as np

from twinset._kernels import Digest
from twinset.reading.compression import decompressed
from twinset.reading.source import ReadJob
from twinset.system.places import open_place
from twinset.system.remote import Place
from twinset.system.threads import BackgroundIterator, ChunkedFile, in_order
from twinset.text.encoding import byte_order_mark

_JOINED, _WAITING = 1 << 20, 32  # about one batch ahead
_WORTH_A_THREAD = 1 << 20


class ByteStream(Protocol):
    """Bytes in order; ``readinto`` fills the view as far as there are bytes, 0 at the end."""

    def readinto(self, view: memoryview) -> int:
        """Fill the view from the front and say how many bytes there were."""
        ...

    def close(self) -> None:
        """Close the file."""
        ...


class CountedFile:
    """A file whose bytes are counted and digested as they pass."""

    def __init__(self, file: BinaryIO | io.FileIO, job: ReadJob) -> None:
        self._file, self._job, self._digest = file, job, Digest()

    def readinto(self, view: memoryview) -> int:
        """Fill the view; at the end of the file the job learns the digest."""
        filled = 0
        while filled < len(view):
            count = self._file.readinto(view[filled:])  # type: ignore[union-attr]
            if not count:
                break
            filled += count
        self._job.meter.bytes_read += filled
        self._digest.update(np.frombuffer(view[:filled], dtype=np.uint8))
        if filled < len(view):
            self._job.digest = self._digest.value()
        return filled

    def read(self, size: int) -> bytes:
        """Up to ``size`` bytes, as a new object."""
        piece = bytearray(size)
        return bytes(piece[: self.readinto(memoryview(piece))])

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def prefixed(front: bytes, below: ByteStream) -> ByteStream:
    """A stream with bytes in front of it that were read ahead."""
    return ChunkedFile(chain([front], chunks(below)), below.close)


def _unpacked(
    tap: CountedFile, kind: str, job: ReadJob, name: str | None
) -> Generator[bytes, None, None]:
    """The content of a packed file; damage is reported after what is before it.

    ``name`` is that of a file of a folder; a source has its own.
    """
    damage: list[str] = []
    pieces, size = decompressed(tap.read, kind, damage), job.source.size
    if (size is None or size >= _WORTH_A_THREAD) and job.threads > 1:
        ahead = BackgroundIterator(_joined(pieces, _JOINED), _WAITING)
        with closing(ahead):
            yield from ahead
    else:
        yield from pieces
    for detail in damage:
        job.faults.add(None, "truncated", detail, name)


def _joined(chunks: Iterator[bytes], size: int) -> Iterator[bytes]:
    """The same bytes in chunks of at least ``size``, which are worth handing to another thread."""
    waiting: list[bytes] = []
    total = 0
    for chunk in chunks:
        waiting.append(chunk)
        total += len(chunk)
        if total >= size:
            yield b"".join(waiting)
            waiting, total = [], 0
    if total:
        yield b"".join(waiting)


def open_stream(
    job: ReadJob, path: Place | None = None, compression: str | None = None
) -> ByteStream:
    """The unpacked bytes of a source (or of one file of it), from its beginning."""
    opened: Place = path or job.source.path
    if not job.source.is_spool:
        job.meter.file = os.fsencode(opened.name).decode("utf-8", "replace")
    tap = CountedFile(open_place(opened, bounds_of(job), ahead=True), job)
    kind = compression if path else job.source.compression
    if not kind:
        return tap
    pieces = _unpacked(tap, kind, job, None if path is None else str(path))
    return ChunkedFile(pieces, pieces.close, tap.close)


def bounds_of(job: ReadJob) -> tuple[str, ...]:
    """The folders that the files of a source must lie in; a copy of a pipe is our own file."""
    return () if job.source.is_spool else tuple(job.options.within)


def digests_of(jobs: Sequence[ReadJob], threads: int) -> dict[str, int]:
    """The digests of files that were not read from the beginning to the end in order, by name.

    One that cannot be read has none: that was reported as a fault when it was read.
    """
    digests = zip(jobs, in_order(_digest_of, jobs, threads), strict=True)
    return {job.source.name: digest for job, digest in digests if digest is not None}


def _digest_of(job: ReadJob) -> int | None:
    apart = ReadJob(job.source, job.options, job.faults)
    with suppress(OSError), open_place(job.source.path, bounds_of(job), ahead=True) as file:
        tap, buffer = CountedFile(file, apart), bytearray(1 << 20)
        while tap.readinto(memoryview(buffer)) == len(buffer):
            pass
        return apart.digest or 0
    return None


def open_text_stream(job: ReadJob) -> tuple[ByteStream, bytes, str]:
    """The bytes of a source in UTF-8 without byte order mark; the mark and the encoding they had.

    Only UTF-16 and UTF-32 are recoded here. Other encodings keep ASCII as it is, so that records
    can be cut as bytes and each decoded by itself.
    """
    stream = open_stream(job)
    head = bytearray(4)
    count = stream.readinto(memoryview(head))
    mark, encoding = byte_order_mark(bytes(head[:count])) or (b"", "utf-8")
    rest = prefixed(bytes(head[len(mark) : count]), stream)
    if encoding == "utf-8":
        return rest, mark, encoding
    return ChunkedFile(_recoded(rest, encoding), stream.close), mark, encoding


def mark_of(job: ReadJob) -> bytes:
    """The byte order mark of UTF-8 where a source has one of any encoding, since it is recoded."""
    stream, mark, _ = open_text_stream(job)
    stream.close()
    return codecs.BOM_UTF8 if mark else b""


def chunks(stream: ByteStream) -> Iterator[bytes]:
    """The bytes of a stream, about a megabyte at a time."""
    chunk = bytearray(1 << 20)
    while count := stream.readinto(memoryview(chunk)):
        yield bytes(memoryview(chunk)[:count])


def _recoded(stream: ByteStream, encoding: str) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    for chunk in chunks(stream):
        yield decoder.decode(chunk).encode("utf-8", "replace")
    yield decoder.decode(b"", final=True).encode("utf-8", "replace")
