"""Compressed files (gz, bz2, xz, zst): known by their first bytes, decompressed."""

from __future__ import annotations

import bz2
import io
import lzma
import re
import zlib
from collections.abc import Callable, Iterator
from typing import Any

MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"\x1f\x8b", "gz"),
    (b"BZh", "bz2"),
    (b"\xfd7zXZ\x00", "xz"),
    (b"\x28\xb5\x2f\xfd", "zst"),
)
# Frames of zstd without data, which pzstd and seekable files have before and between the others.
_SKIPPED = re.compile(rb"[\x50-\x5f]\x2a\x4d\x18")
# The next bytes of a file, at most as many as asked for.
Read = Callable[[int], bytes]
SUFFIXES = {".gz": "gz", ".bz2": "bz2", ".xz": "xz", ".zst": "zst", ".zstd": "zst"}
NAMES = {"gz": "gzip", "bz2": "bzip2", "xz": "xz", "zst": "zstd"}
# Small pieces for zstd, whose output per call cannot be bounded otherwise: four bytes may unpack to
# 128 kB.
_PIECE = {"gz": 1 << 15, "zst": 1 << 12, "bz2": 1 << 18, "xz": 1 << 18}
_OUTPUT = 1 << 20
_AT_ONCE = 1 << 18
HEAD = 1 << 16
"""Bytes of a file that its format is looked for in."""
_LITTLE = 512
_MOST_DICTIONARY = 256 << 20  # bytes that xz may ask for; its highest level takes 65 MB


def compression_of(head: bytes) -> str | None:
    """The compression that the first bytes of a file show."""
    if _SKIPPED.match(head):
        return "zst"
    return next((kind for magic, kind in MAGIC if head.startswith(magic)), None)


def damage() -> tuple[type[Exception], ...]:
    """What the decompressors raise when the data are not what they should be."""
    import zstandard

    return (zlib.error, OSError, EOFError, ValueError, lzma.LZMAError, zstandard.ZstdError)


def head_of_packed(packed: bytes, kind: str, size: int) -> bytes:
    """The first bytes of a compressed file, without unpacking more than a little beyond them."""
    unpacked = b""
    for piece in decompressed(io.BytesIO(packed).read, kind, [], _LITTLE):
        unpacked += piece
        if len(unpacked) >= size:
            break
    return unpacked[:size]


def new_decoder(kind: str) -> Any:
    """A decompressor for one member of a compressed file."""
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


def decompressed(
    read: Read, kind: str, damaged: list[str], size: int | None = None
) -> Iterator[bytes]:
    """What the compressed file holds, member after member, as far as it is whole.

    It is taken in pieces of a ``size``.
    """
    decoder, begun, size = new_decoder(kind), False, size or _PIECE[kind]
    read = _in_pieces(read)
    piece = read(size)
    while piece:
        begun = True
        try:
            yield from _outputs(decoder, piece, kind)
        except damage():
            damaged.append(f"the {NAMES[kind]} data are damaged")
            return
        piece = b""
        if decoder.eof:
            piece = _next_member(decoder.unused_data, read, damaged, kind)
            decoder, begun = new_decoder(kind), False
        piece = piece or read(size)
    if begun:
        damaged.append(f"the {NAMES[kind]} data are cut off")


def _in_pieces(read: Read) -> Read:
    """The same bytes, read many at a time: a call of the system costs more than a small piece."""
    data, at = b"", 0

    def next_piece(size: int) -> bytes:
        nonlocal data, at
        if at >= len(data):
            data, at = read(_AT_ONCE), 0
        piece = data[at : at + size]
        at += size
        return piece

    return next_piece


def _next_member(unused: bytes, read: Read, damaged: list[str], kind: str) -> bytes:
    """The beginning of the next member; zeroes between are skipped, anything else is a fault."""
    magic = next(magic for magic, name in MAGIC if name == kind)
    unused = unused.lstrip(b"\0")
    while len(unused) < len(magic) and (more := read(_PIECE[kind])):
        unused = (unused + more).lstrip(b"\0")
    if unused and compression_of(unused) != kind:
        damaged.append(f"bytes that are not {NAMES[kind]} follow the {NAMES[kind]} data")
        while read(1 << 20):
            pass
        return b""
    return unused
