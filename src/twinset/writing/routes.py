"""Routes: a sequence of files that documents of one sort go to, in reading order.

A writer begins a source on a route, hands its documents to the ``sink`` as far as there is ``room``
for them, and turns to the ``next_file`` where there is none. What a sink is, the writer says: a
function that wraps the bare file, which the route calls for every file that it opens. Files are
packed as they are written, without names and times: equal content is equal bytes.
"""

from __future__ import annotations

import bz2
import io
import lzma
import sys
import zlib
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, suppress
from dataclasses import asdict, dataclass
from types import TracebackType
from typing import IO, Any

from twinset.errors import ReadError
from twinset.reading.source import Source
from twinset.system.remote import Place, RemotePath
from twinset.system.threads import Crew
from twinset.system.upload import copy_file, upload
from twinset.writing.names import OutputNames

Wrap = Callable[[IO[bytes]], Any]
"""From a bare file to what documents are handed to; that is closed before the file."""


@dataclass(frozen=True, slots=True)
class WrittenRoute:
    """A file or a folder of documents; ``path`` is below the folder of all of them."""

    path: str
    documents: int
    files: int
    bytes: int


@dataclass(frozen=True, slots=True)
class WrittenDocuments:
    """What was written, by name: ``kept``, ``removed``, ``annotated``."""

    folder: Place
    routes: dict[str, WrittenRoute]

    def place(self, name: str) -> Place:
        """The file or the folder of this name."""
        return self.folder / self.routes[name].path

    def described(self) -> dict[str, dict[str, Any]]:
        """For the manifest, by name: path, documents, files and bytes."""
        return {name: asdict(route) for name, route in self.routes.items()}


class Route:
    """The documents of one sort on their way out.

    ``is_joined`` says that several sources follow each other in the same files; ``threads`` pack
    these. ``uncut`` counts documents that went whole, since nothing can be cut out of their files.
    """

    is_joined = False
    threads = 1

    def __init__(self, path: str) -> None:
        self.path = path
        self.documents = self.files = self.bytes = self.uncut = 0
        self.room = sys.maxsize
        self.sink: Any = None
        self._opened = ExitStack()

    def begin(self, source: Source, wrap: Wrap) -> None:
        """The documents of a source follow; in joined files ``wrap`` is that of the first one."""
        raise NotImplementedError

    def end(self) -> None:
        """The source has no more documents."""

    def next_file(self) -> None:
        """Turn to the next file that has room."""

    def copy(self, source: Source, ending: str) -> None:
        """Copy the file of a source that cannot be divided, as it is."""

    def finish(self) -> None:
        """Close the last file, after all sources."""
        self.close()

    def count(self, documents: int) -> None:
        """So many documents were handed to the sink."""
        self.documents += documents
        self.room -= documents

    def fill(self, documents: int, piece: Callable[[int, int], Any]) -> None:
        """Hand over so many documents, to each file as many as it has room for.

        ``piece`` makes what the sink takes of the first of these and their number.
        """
        begin = 0
        while begin < documents:
            if self.room <= 0:
                self.next_file()
            count = min(self.room, documents - begin)
            self.sink.write(piece(begin, count))
            self.count(count)
            begin += count

    def written(self) -> WrittenRoute:
        """What was written, when it is finished."""
        return WrittenRoute(self.path, self.documents, self.files, self.bytes)

    def open(
        self, opened: AbstractContextManager[IO[bytes]], compression: str | None, wrap: Wrap
    ) -> None:
        """Open a file."""
        bare = self._opened.enter_context(opened)
        self._opened.push(lambda kind, *_: self._measure(bare) if kind is None else None)
        self.sink = wrap(self._opened.enter_context(packed(bare, compression, self.threads)))
        self._opened.push(lambda kind, *_: self.sink.close() if kind is None else None)
        self.files += 1

    def close(self) -> None:
        """Close the file that is open, if one is."""
        self._opened.close()
        self.sink = None

    def _measure(self, bare: IO[bytes]) -> None:
        with suppress(OSError):  # a pipe does not know how many bytes have gone through it
            self.bytes += bare.tell()

    def __enter__(self) -> Route:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:
            self.finish()
        else:
            self._opened.__exit__(kind, fault, trace)


def open_output(place: Place) -> AbstractContextManager[IO[bytes]]:
    """A file to write to, here or elsewhere; there an exception drops it."""
    if isinstance(place, RemotePath):
        return upload(place)
    place.parent.mkdir(parents=True, exist_ok=True)
    return open(place, "wb", buffering=1 << 20)


class SourceRoute(Route):
    """A file for each source, named like it."""

    def __init__(self, name: str, folder: Place, names: OutputNames) -> None:
        super().__init__(names.path(name))
        self._name, self._folder, self._names = name, folder, names

    def place(self, source: Source) -> Place:
        """The file of a source, or the folder of its plain files."""
        return self._names.place(self._folder, self._name, source)

    def begin(self, source: Source, wrap: Wrap) -> None:
        """Open the file of the source."""
        self.open(open_output(self.place(source)), self._names.compression(source), wrap)

    def end(self) -> None:
        """Close it."""
        self.close()

    def copy(self, source: Source, ending: str) -> None:
        """Copy it to its place, with this ending behind its name."""
        place = self.place(source)
        self.bytes += copy_file(source.path, place.with_name(place.name + ending))
        self.files += 1


class JoinedRoute(Route):
    """A given number of files for all sources; ``rooms`` are the documents of each.

    ``opened`` opens one by its number. All of them are there in the end, empty or not.
    """

    is_joined = True

    def __init__(
        self,
        path: str,
        opened: Callable[[int], AbstractContextManager[IO[bytes]]],
        compression: str | None = None,
        rooms: Sequence[int] = (sys.maxsize,),
        beside: Place | None = None,
    ) -> None:
        super().__init__(path)
        self._open_file, self._compression, self._rooms = opened, compression, rooms
        self._beside = beside
        self._wrap: Wrap | None = None

    def begin(self, source: Source, wrap: Wrap) -> None:
        """Open the first file, where that has not happened."""
        if self._wrap is None:
            self._wrap = wrap
            self._next()

    def next_file(self) -> None:
        """Close this file and open the next that has room."""
        while self.room <= 0:
            self._next()

    def finish(self) -> None:
        """Close the last file, and write those that get no documents."""
        while self._wrap is not None and self.files < len(self._rooms):
            self._next()
        self.close()

    def copy(self, source: Source, ending: str) -> None:
        """Copy it beside the files."""
        if self._beside is not None:
            place = self._beside / f"{source.path.name}{ending}"
            self.bytes += copy_file(source.path, place)

    def _next(self) -> None:
        self.close()
        if self.files >= len(self._rooms):
            raise changed_input()
        self.room = self._rooms[self.files]
        assert self._wrap is not None
        self.open(self._open_file(self.files), self._compression, self._wrap)


def changed_input() -> ReadError:
    """The fault of an input that has more or fewer documents than were decided on."""
    return ReadError("input", None, "the input has changed since it was read; run again")


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
