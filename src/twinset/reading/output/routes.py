"""Routes: a sequence of files that documents of one sort go to, in reading order.

A writer begins a source on a route, hands its documents to the ``sink`` as far as there is ``room``
for them, and turns to the ``next_file`` where there is none. What a sink is, the writer says: a
function that wraps the bare file, and which the route calls for every file that it opens.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, suppress
from types import TracebackType
from typing import IO, Any, NamedTuple

from twinset.reading.output.decisions import changed_input
from twinset.reading.output.names import OutputNames
from twinset.reading.output.packing import packed
from twinset.reading.output.written import WrittenRoute
from twinset.reading.source import Source
from twinset.system.remote import Place, RemotePath
from twinset.system.upload import copy_file, upload

Wrap = Callable[[IO[bytes]], Any]
"""From a bare file to what documents are handed to; that is closed before the file."""


class Shard(NamedTuple):
    """How the names of shards end, and how these are compressed."""

    suffixes: str
    compression: str | None


class Route:
    """The documents of one sort on their way out.

    ``is_stream`` says that several sources follow each other in the same files; ``threads`` pack
    these. ``uncut`` counts documents that went whole, since nothing can be cut out of their files.
    """

    is_stream = False
    threads = 1

    def __init__(self, path: str) -> None:
        self.path = path
        self.documents = self.files = self.bytes = self.uncut = 0
        self.room = sys.maxsize
        self.sink: Any = None
        self._bare: IO[bytes] | None = None
        self._opened = ExitStack()
        self._packed = ExitStack()

    def begin(self, source: Source, wrap: Wrap) -> None:
        """The documents of a source follow; in a stream ``wrap`` is that of the first source."""
        raise NotImplementedError

    def end(self) -> None:
        """The source has no more documents."""

    def count(self, documents: int) -> None:
        """So many documents were handed to the sink."""
        self.documents += documents
        self.room -= documents

    def next_file(self) -> None:
        """Turn to the next file that has room."""

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

    def copy(self, source: Source, ending: str) -> None:
        """Copy the file of a source that cannot be read, as it is."""

    def finish(self) -> None:
        """Close the last file, after all sources."""
        self._close()

    def written(self) -> WrittenRoute:
        """What was written, when it is finished."""
        return WrittenRoute(self.path, self.documents, self.files, self.bytes)

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
            try:
                self._packed.__exit__(kind, fault, trace)
            finally:
                self._opened.__exit__(kind, fault, trace)

    def _open(self, place: Place, compression: str | None, wrap: Wrap) -> None:
        self._use(self._opened.enter_context(open_output(place)), compression, wrap)

    def _use(self, bare: IO[bytes], compression: str | None, wrap: Wrap) -> None:
        file = self._packed.enter_context(packed(bare, compression, self.threads))
        self._bare, self.sink = bare, wrap(file)
        self._packed.callback(self.sink.close)
        self.files += 1

    def _close(self) -> None:
        if self._bare is None:
            return
        bare, self._bare, self.sink = self._bare, None, None
        self._packed.close()
        with suppress(OSError):  # a pipe does not know how many bytes have gone through it
            self.bytes += bare.tell()
        self._opened.close()


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
        self._open(self.place(source), self._names.named.compression(source), wrap)

    def end(self) -> None:
        """Close it."""
        self._close()

    def copy(self, source: Source, ending: str) -> None:
        """Copy it to its place, with this ending behind its name."""
        place = self.place(source)
        self.bytes += copy_file(source.path, place.with_name(place.name + ending))
        self.files += 1


class ShardedRoute(Route):
    """A given number of files for all sources, of which none has two documents more than another.

    All of them are there, empty or not.
    """

    is_stream = True

    def __init__(self, folder: Place, name: str, documents: int, shards: int, like: Shard) -> None:
        super().__init__(name)
        self._folder = folder / name
        self._total, self._shards, self._like = documents, shards, like
        self._wrap: Wrap | None = None

    def begin(self, source: Source, wrap: Wrap) -> None:
        """Open the first file, where that has not happened."""
        if self._wrap is None:
            self._wrap = wrap
            self._open_next()

    def copy(self, source: Source, ending: str) -> None:
        """Copy it beside the shards."""
        self.bytes += copy_file(source.path, self._folder / f"{source.path.name}{ending}")

    def next_file(self) -> None:
        """Close this file and open the next that has room."""
        while self.room <= 0:
            self._close()
            self._open_next()

    def finish(self) -> None:
        """Close the last file, and write those that get no documents."""
        while self._wrap is not None and self.files < self._shards:
            self._close()
            self._open_next()
        self._close()

    def _open_next(self) -> None:
        number, total = self.files, self._total
        if number >= self._shards:
            raise changed_input()
        name = f"{number:05d}-of-{self._shards:05d}{self._like.suffixes}"
        self.room = total * (number + 1) // self._shards - total * number // self._shards
        assert self._wrap is not None
        self._open(self._folder / name, self._like.compression, self._wrap)


class JoinedRoute(Route):
    """One file for all sources."""

    is_stream = True

    def __init__(self, folder: Place, name: str, like: Shard) -> None:
        super().__init__(name + like.suffixes)
        self._place, self._compression = folder / self.path, like.compression

    def begin(self, source: Source, wrap: Wrap) -> None:
        """Open the file, where that has not happened."""
        if self._bare is None:
            self._open(self._place, self._compression, wrap)


class StreamRoute(Route):
    """An open file for all sources, which its owner closes: standard output."""

    is_stream = True

    def __init__(self, file: IO[bytes], compression: str | None = None) -> None:
        super().__init__("-")
        self._out, self._compression = file, compression

    def begin(self, source: Source, wrap: Wrap) -> None:
        """Take the stream, where that has not happened."""
        if self._bare is None:
            self._use(self._out, self._compression, wrap)
