"""Files packed as they are written, without names and times: equal content is equal bytes."""

from __future__ import annotations

import bz2
import io
import lzma
import zlib
from collections import deque
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import IO, Any

from twinset.system.threads import Crew

_LEVEL = 6
_WINDOW = 1 << 15
# Deflated, without flags, name and time, of any system.
_GZIP_HEAD = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
_GZIP_CHUNK = 1 << 19
_ZSTD_CHUNK = 2 << 20
_ZSTD_LEVEL = 3
_MOST_AT_A_TIME = 16


@contextmanager
def packed(file: IO[bytes], compression: str | None, threads: int) -> Iterator[Any]:
    """What packs into a file; the bytes are the same for any number of threads."""
    threads = max(1, min(threads, _MOST_AT_A_TIME))
    if compression is None:
        yield file
    elif compression == "gz":
        with closing(_GzipFile(file, threads)) as whole:
            yield whole
            whole.finish()
    elif compression in ("bz2", "xz"):
        with (bz2.open if compression == "bz2" else lzma.open)(file, "wb") as whole:
            yield whole
    else:
        import zstandard

        # Not 0 threads, which work in the caller's and give other bytes.
        options = zstandard.ZstdCompressionParameters.from_level(
            _ZSTD_LEVEL, threads=threads, job_size=_ZSTD_CHUNK
        )
        packer = zstandard.ZstdCompressor(compression_params=options)
        with packer.stream_writer(file, closefd=False) as whole:
            yield whole


class _GzipFile(io.RawIOBase):
    """One member of gzip, whose chunks are deflated side by side and written in order."""

    def __init__(self, file: IO[bytes], threads: int) -> None:
        self._file, self._ahead = file, threads + 2
        self._crew: Crew[tuple[bytes, bytes, bool], bytes] = Crew(_deflated, threads, None)
        self._waiting: deque[Any] = deque()
        self._chunk, self._before = bytearray(), b""
        self._sum = self._total = 0
        file.write(_GZIP_HEAD)

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        """How many bytes have gone in, which Arrow asks for."""
        return self._total

    def write(self, data: Any) -> int:
        view = memoryview(data).cast("B")
        self._total += len(view)
        self._sum = zlib.crc32(view, self._sum)
        for begin in range(0, len(view), _GZIP_CHUNK):
            self._chunk += view[begin : begin + _GZIP_CHUNK]
            while len(self._chunk) > _GZIP_CHUNK:
                self._give(bytes(self._chunk[:_GZIP_CHUNK]), is_last=False)
                del self._chunk[:_GZIP_CHUNK]
        return len(view)

    def finish(self) -> None:
        """Write the rest, the sum and the size."""
        self._give(bytes(self._chunk), is_last=True)
        self._settle(0)
        self._file.write(self._sum.to_bytes(4, "little"))
        self._file.write((self._total & 0xFFFFFFFF).to_bytes(4, "little"))

    def close(self) -> None:
        """End the threads; what is not written by then is lost."""
        if not self.closed:
            self._crew.close()
        super().close()

    def _give(self, chunk: bytes, is_last: bool) -> None:
        self._waiting.append(self._crew.give((chunk, self._before, is_last)))
        self._before = chunk[-_WINDOW:]
        self._settle(self._ahead)

    def _settle(self, most: int) -> None:
        while len(self._waiting) > most:
            self._file.write(self._waiting.popleft().result())


def _deflated(chunk: tuple[bytes, bytes, bool]) -> bytes:
    data, before, is_last = chunk
    options = _LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS, zlib.DEF_MEM_LEVEL, zlib.Z_DEFAULT_STRATEGY
    packer = zlib.compressobj(*options, *((before,) if before else ()))
    return packer.compress(data) + packer.flush(zlib.Z_FINISH if is_last else zlib.Z_SYNC_FLUSH)
