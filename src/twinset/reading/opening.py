"""From a source to its bytes: opened, unpacked, and recoded where lines could not be told apart."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from typing import Any

from twinset.reading.encoding import byte_order_mark
from twinset.reading.source import Job
from twinset.reading.stream import Pieces, Prefixed, Stream, Tap
from twinset.reading.unpack import Unpacked
from twinset.system.bounded import open_regular


def open_stream(job: Job, path: Any = None, compression: str | None = None) -> Stream:
    """The unpacked bytes of a source (or of one file of it), from its beginning."""
    tap = Tap(open_regular(path or job.source.path, bounds_of(job)), job)
    kind = compression if path else job.source.compression
    return Unpacked(tap, kind, job) if kind else tap


def bounds_of(job: Job) -> tuple[str, ...]:
    """The folders that the files of a source must lie in; a copy of a pipe is our own file."""
    return () if job.source.is_spool else tuple(job.options.within)


def digest_of(job: Job) -> int:
    """The digest of a file that was not read from its beginning to its end in order."""
    apart = Job(job.source, job.options, job.faults)
    with open_regular(job.source.path, bounds_of(job)) as file:
        tap, buffer = Tap(file, apart), bytearray(1 << 20)
        while tap.readinto(memoryview(buffer)) == len(buffer):
            pass
    return apart.digest or 0


def open_text_stream(job: Job) -> tuple[Stream, bytes, str]:
    """The bytes of a source in UTF-8 without byte order mark; the mark and the encoding they had.

    Only UTF-16 and UTF-32 are recoded here. Other encodings keep ASCII as it is, so that records
    can be told apart as bytes and each decoded by itself.
    """
    stream = open_stream(job)
    head = bytearray(4)
    got = stream.readinto(memoryview(head))
    mark, encoding = byte_order_mark(bytes(head[:got])) or (b"", "utf-8")
    rest = Prefixed(bytes(head[len(mark) : got]), stream)
    if encoding == "utf-8":
        return rest, mark, encoding
    return Pieces(_recoded(rest, encoding), stream), mark, encoding


def _chunks(stream: Stream) -> Iterator[bytes]:
    chunk = bytearray(1 << 20)
    while got := stream.readinto(memoryview(chunk)):
        yield bytes(memoryview(chunk)[:got])


def _recoded(stream: Stream, encoding: str) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    for chunk in _chunks(stream):
        yield decoder.decode(chunk).encode("utf-8", "replace")
    yield decoder.decode(b"", final=True).encode("utf-8", "replace")
