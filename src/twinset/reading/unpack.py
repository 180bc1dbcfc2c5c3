"""Packed files (gz, bz2, xz, zst), known by their first bytes and unpacked as they stream."""

from __future__ import annotations

import bz2
import lzma
import zlib
from collections.abc import Iterator
from typing import Any

from twinset.reading.ahead import Ahead, joined
from twinset.reading.source import Job
from twinset.reading.stream import Pieces, Tap

MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"\x1f\x8b", "gz"),
    (b"BZh", "bz2"),
    (b"\xfd7zXZ\x00", "xz"),
    (b"\x28\xb5\x2f\xfd", "zst"),
)
SUFFIXES = {".gz": "gz", ".bz2": "bz2", ".xz": "xz", ".zst": "zst", ".zstd": "zst"}
# Small pieces for the one whose output per call cannot be bounded otherwise: four bytes of zstd
# may stand for 128 kB.
_PIECE = {"gz": 1 << 15, "zst": 1 << 12, "bz2": 1 << 18, "xz": 1 << 18}
_OUTPUT = 1 << 20
_LITTLE = 512
_MOST_DICTIONARY = 256 << 20  # bytes that xz may ask for; its highest level takes 65 MB
_JOINED, _WAITING = 1 << 20, 32  # about one batch ahead
_WORTH_A_THREAD = 1 << 20


def compression_of(head: bytes) -> str | None:
    """The packing that the first bytes of a file show."""
    return next((kind for magic, kind in MAGIC if head.startswith(magic)), None)


class Unpacked:
    """The content of a packed file, unpacked ahead; damage is told once all before it was read."""

    def __init__(self, tap: Tap, kind: str, job: Job) -> None:
        self._tap, self._job = tap, job
        self._damage: list[str] = []
        small = job.source.size < _WORTH_A_THREAD
        pieces = _unpacked(tap, kind, self._damage)
        self._ahead = None if small else Ahead(joined(pieces, _JOINED), _WAITING)
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


def damage() -> tuple[type[Exception], ...]:
    """What the decompressors raise when the data are not what they should be."""
    import zstandard

    return (zlib.error, OSError, EOFError, ValueError, lzma.LZMAError, zstandard.ZstdError)


def head_of_packed(packed: bytes, kind: str, size: int) -> bytes:
    """The first bytes of a packed file, without unpacking more than a little beyond them."""
    decoder, unpacked = new_decoder(kind), b""
    for begin in range(0, len(packed), _LITTLE):
        for piece in _outputs(decoder, packed[begin : begin + _LITTLE], kind):
            unpacked += piece
            if len(unpacked) >= size:
                return unpacked[:size]
        if decoder.eof:
            break
    return unpacked


def new_decoder(kind: str) -> Any:
    """A decompressor for one member of a packed file."""
    if kind == "gz":
        return zlib.decompressobj(wbits=31)
    if kind == "bz2":
        return bz2.BZ2Decompressor()
    if kind == "xz":
        return lzma.LZMADecompressor(memlimit=_MOST_DICTIONARY)
    import zstandard

    return zstandard.ZstdDecompressor().decompressobj()


def _outputs(decoder: Any, piece: bytes, kind: str) -> Iterator[bytes]:
    if kind == "zst":
        yield decoder.decompress(piece)
        return
    if kind == "gz":
        unpacked = decoder.decompress(piece, _OUTPUT)
        yield unpacked
        while len(unpacked) == _OUTPUT and not decoder.eof:
            unpacked = decoder.decompress(decoder.unconsumed_tail, _OUTPUT)
            yield unpacked
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
