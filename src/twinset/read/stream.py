"""Bytes from files: counted and digested as they lie there, unpacked and recoded on the way.

Plain files are read into the caller's block, not mapped, so that memory stays what was asked for.
"""

from __future__ import annotations

import bz2
import codecs
import io
import lzma
import zlib
from collections.abc import Iterator
from typing import Any, BinaryIO, Protocol

import numpy as np

from twinset._kernels import Digest
from twinset.read.ahead import Ahead
from twinset.read.encoding import byte_order_mark
from twinset.read.source import Job

MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"\x1f\x8b", "gz"),
    (b"BZh", "bz2"),
    (b"\xfd7zXZ\x00", "xz"),
    (b"\x28\xb5\x2f\xfd", "zst"),
)
SUFFIXES = {".gz": "gz", ".bz2": "bz2", ".xz": "xz", ".zst": "zst", ".zstd": "zst"}
# Small pieces for the two whose output per call cannot be bounded otherwise.
_PIECE = {"gz": 1 << 15, "zst": 1 << 12, "bz2": 1 << 18, "xz": 1 << 18}
_OUTPUT = 1 << 20
_WORTH_A_THREAD = 1 << 20


class Stream(Protocol):
    """Bytes in order; ``readinto`` fills the view as far as there are bytes, 0 at the end."""

    def readinto(self, view: memoryview) -> int:
        """Fill the view from the front and say how many bytes there were."""
        ...

    def close(self) -> None:
        """Let go of the file."""
        ...


def compression_of(head: bytes) -> str | None:
    """The packing that the first bytes of a file show."""
    return next((kind for magic, kind in MAGIC if head.startswith(magic)), None)


class Tap:
    """A file whose bytes are counted and digested as they pass."""

    def __init__(self, file: BinaryIO | io.FileIO, job: Job) -> None:
        self._file, self._job, self._digest = file, job, Digest()

    def readinto(self, view: memoryview) -> int:
        """Fill the view; at the end of the file the job learns the digest."""
        filled = 0
        while filled < len(view):
            got = self._file.readinto(view[filled:])  # type: ignore[union-attr]
            if not got:
                break
            filled += got
        self._job.meter.bytes_read += filled
        self._digest.update(np.frombuffer(view[:filled], dtype=np.uint8))
        if filled < len(view):
            self._job.digest = self._digest.value()
        return filled

    def read(self, size: int) -> bytes:
        """Up to so many bytes, as an object of their own."""
        piece = bytearray(size)
        return bytes(piece[: self.readinto(memoryview(piece))])

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()


class Pieces:
    """A stream made of byte strings, as decompressors and decoders give them."""

    def __init__(self, pieces: Iterator[bytes], below: Stream) -> None:
        self._pieces, self._below = pieces, below
        self._rest = memoryview(b"")

    def readinto(self, view: memoryview) -> int:
        """Fill the view, taking pieces as they are needed."""
        filled = 0
        while filled < len(view):
            if not self._rest:
                piece = next(self._pieces, None)
                if piece is None:
                    break
                self._rest = memoryview(piece)
                continue
            take = min(len(self._rest), len(view) - filled)
            view[filled : filled + take] = self._rest[:take]
            self._rest = self._rest[take:]
            filled += take
        return filled

    def close(self) -> None:
        """Let go of the file below."""
        self._below.close()


class Unpacked:
    """The content of a packed file, unpacked ahead; damage is told once all before it was read."""

    def __init__(self, tap: Tap, kind: str, job: Job) -> None:
        self._tap, self._job = tap, job
        self._damage: list[str] = []
        small = job.source.size < _WORTH_A_THREAD
        pieces = _unpacked(tap, kind, self._damage)
        self._ahead = None if small else Ahead(pieces)
        self._stream = Pieces(self._ahead or pieces, tap)

    def readinto(self, view: memoryview) -> int:
        """Fill the view with what was unpacked."""
        filled = self._stream.readinto(view)
        if filled < len(view) and self._damage:
            self._job.faults.add(None, "truncated", self._damage.pop())
        return filled

    def close(self) -> None:
        """Stop unpacking and let go of the file."""
        if self._ahead:
            self._ahead.close()
        self._tap.close()


class Prefixed:
    """A stream with bytes in front of it that had been read to look at them."""

    def __init__(self, front: bytes, below: Stream) -> None:
        self._front, self._below = front, below

    def readinto(self, view: memoryview) -> int:
        """Fill the view with the front first."""
        take = min(len(self._front), len(view))
        view[:take] = self._front[:take]
        self._front = self._front[take:]
        return take + self._below.readinto(view[take:]) if take < len(view) else take

    def close(self) -> None:
        """Let go of the file below."""
        self._below.close()


def open_stream(job: Job, path: Any = None, compression: str | None = None) -> Stream:
    """The unpacked bytes of a source (or of one file of it), from its beginning."""
    tap = Tap(open(path or job.source.path, "rb", buffering=0), job)  # noqa: SIM115
    kind = compression if path else job.source.compression
    return Unpacked(tap, kind, job) if kind else tap


def digest_of(job: Job) -> int:
    """The digest of a file that was not read from its beginning to its end in order."""
    apart = Job(job.source, job.options, job.faults)
    with open(job.source.path, "rb", buffering=0) as file:
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


def damage() -> tuple[type[Exception], ...]:
    """What the decompressors raise when the data are not what they should be."""
    import zstandard

    return (zlib.error, OSError, EOFError, ValueError, lzma.LZMAError, zstandard.ZstdError)


def new_decoder(kind: str) -> Any:
    """A decompressor for one member of a packed file."""
    if kind == "gz":
        return zlib.decompressobj(wbits=31)
    if kind == "bz2":
        return bz2.BZ2Decompressor()
    if kind == "xz":
        return lzma.LZMADecompressor()
    import zstandard

    return zstandard.ZstdDecompressor().decompressobj()


def _outputs(decoder: Any, piece: bytes, kind: str) -> Iterator[bytes]:
    if kind in ("gz", "zst"):
        yield decoder.decompress(piece)
        return
    yield decoder.decompress(piece, _OUTPUT)
    while not decoder.eof and not decoder.needs_input:
        yield decoder.decompress(b"", _OUTPUT)


def _unpacked(tap: Tap, kind: str, damaged: list[str]) -> Iterator[bytes]:
    """What the packed file holds, member after member, as far as it is whole."""
    magic = next(magic for magic, name in MAGIC if name == kind)
    decoder, begun = new_decoder(kind), False
    piece = tap.read(_PIECE[kind])
    while piece:
        begun = True
        try:
            yield from _outputs(decoder, piece, kind)
        except damage() as fault:
            damaged.append(f"the {kind} data are damaged ({fault})")
            return
        piece = b""
        if decoder.eof:
            piece = _next_member(decoder.unused_data, magic, tap, damaged, kind)
            decoder, begun = new_decoder(kind), False
        piece = piece or tap.read(_PIECE[kind])
    if begun:
        damaged.append(f"the {kind} data end before their end mark")


def _next_member(unused: bytes, magic: bytes, tap: Tap, damaged: list[str], kind: str) -> bytes:
    """The beginning of the next member; zeroes between are skipped, anything else is a fault."""
    unused = unused.lstrip(b"\0")
    while not unused or (len(unused) < len(magic) and magic.startswith(unused)):
        more = tap.read(_PIECE[kind])
        if not more:
            break
        unused = (unused + more).lstrip(b"\0")
    if unused and not unused.startswith(magic):
        damaged.append(f"bytes that are not {kind} follow the {kind} data")
        while tap.read(1 << 20):
            pass
        return b""
    return unused
