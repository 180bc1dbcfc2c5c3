"""Files packed by several threads: as gzip, bzip2, xz or zstd.

The content is cut into chunks of one size, so that the same content is the same bytes for any
number of threads. Chunks of gzip are parts of one member, as `pigz` makes them: each is deflated
with the end of the one before it at hand. Chunks of bzip2 are streams behind each other, as
`pbzip2` makes them, and zstd cuts one frame by itself. Python's xz packs with one thread.
"""

from __future__ import annotations

import bz2
import io
import lzma
import zlib
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import IO, Any, NamedTuple

from twinset.system.pool import Crew

_LEVEL = 6
_WINDOW = 1 << 15
# Deflated, without flags, name and time, of any system.
_GZIP_HEAD = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
_GZIP_CHUNK = 1 << 19
_BZIP2_CHUNK = 900_000  # one block of bzip2
_ZSTD_CHUNK = 2 << 20
_ZSTD_LEVEL = 3
_MOST_AT_A_TIME = 16


class Chunk(NamedTuple):
    """Bytes to be packed, and the last ones before them."""

    data: bytes
    before: bytes
    is_last: bool


class ChunkedFile(io.RawIOBase):
    """A file whose chunks are packed side by side and written in order."""

    def __init__(
        self, file: IO[bytes], size: int, pack: Callable[[Chunk], bytes], threads: int
    ) -> None:
        self._file, self._size, self._pack = file, size, pack
        threads = min(threads, _MOST_AT_A_TIME)
        self._ahead = threads + 2 if threads > 1 else 0
        self._crew: Crew[Chunk, bytes] = Crew(pack, threads, None)
        self._waiting: deque[Any] = deque()
        self._chunk, self._before = bytearray(), b""
        self._total = 0

    def writable(self) -> bool:
        """It is."""
        return True

    def tell(self) -> int:
        """How many bytes have gone in, which Arrow asks for."""
        return self._total

    def write(self, data: Any) -> int:
        """Bytes that are packed now or later."""
        view = memoryview(data).cast("B")
        size = len(view)
        self._total += size
        while len(view):
            if len(self._chunk) == self._size:
                self._give(is_last=False)
            count = min(self._size - len(self._chunk), len(view))
            self._chunk += view[:count]
            view = view[count:]
        return size

    def finish(self) -> None:
        """Pack the rest, and write all that is packed."""
        self._give(is_last=True)
        self._settle(0)

    def close(self) -> None:
        """End the threads; what is not written by then is lost."""
        if not self.closed:
            self._crew.close()
        super().close()

    def _give(self, is_last: bool) -> None:
        chunk = Chunk(bytes(self._chunk), self._before, is_last)
        self._chunk.clear()
        self._before = chunk.data[-_WINDOW:]
        self.pass_by(chunk.data)
        if self._ahead:
            self._waiting.append(self._crew.give(chunk))
            self._settle(self._ahead)
        else:
            self._file.write(self._pack(chunk))

    def pass_by(self, data: bytes) -> None:
        """A look at the content, in order."""

    def _settle(self, most: int) -> None:
        while len(self._waiting) > most:
            self._file.write(self._waiting.popleft().result())


class GzipChunks(ChunkedFile):
    """One member of gzip."""

    def __init__(self, file: IO[bytes], threads: int) -> None:
        super().__init__(file, _GZIP_CHUNK, _deflated, threads)
        self._sum = 0
        file.write(_GZIP_HEAD)

    def pass_by(self, data: bytes) -> None:
        """Sum the bytes up."""
        self._sum = zlib.crc32(data, self._sum)

    def finish(self) -> None:
        """Write the rest, the sum and the size."""
        super().finish()
        for value in (self._sum, self._total & 0xFFFFFFFF):
            self._file.write(value.to_bytes(4, "little"))


def _deflated(chunk: Chunk) -> bytes:
    options = _LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS, zlib.DEF_MEM_LEVEL, zlib.Z_DEFAULT_STRATEGY
    packer = zlib.compressobj(*options, *((chunk.before,) if chunk.before else ()))
    end = zlib.Z_FINISH if chunk.is_last else zlib.Z_SYNC_FLUSH
    return packer.compress(chunk.data) + packer.flush(end)


def _bzipped(chunk: Chunk) -> bytes:
    return bz2.compress(chunk.data) if chunk.data or not chunk.before else b""


@contextmanager
def packed(file: IO[bytes], compression: str | None, threads: int) -> Iterator[Any]:
    """What packs into a file; without names and times: equal content is equal bytes."""
    if compression is None:
        yield file
    elif compression in ("gz", "bz2"):
        chunks = (
            GzipChunks(file, threads)
            if compression == "gz"
            else ChunkedFile(file, _BZIP2_CHUNK, _bzipped, threads)
        )
        with closing(chunks):
            yield chunks
            chunks.finish()
    else:
        with _by_library(file, compression, threads) as whole:
            yield whole


def _by_library(file: IO[bytes], compression: str, threads: int) -> Any:
    if compression == "xz":
        return lzma.open(file, "wb")
    import zstandard

    # The same bytes for any number of threads, but not for 0, which works in the caller's.
    options = zstandard.ZstdCompressionParameters.from_level(
        _ZSTD_LEVEL, threads=max(1, min(threads, _MOST_AT_A_TIME)), job_size=_ZSTD_CHUNK
    )
    packer = zstandard.ZstdCompressor(compression_params=options)
    return packer.stream_writer(file, closefd=False)
