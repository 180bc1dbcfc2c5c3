"""Records that are bytes, sent to the routes of their documents, untouched and in order.

What is no document (blank lines) and what could not be read goes with the kept ones, so that kept
and removed together are the input. Among the annotated ones everything is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import IO, Any, TypeVar

import numpy as np

from twinset.model import Ints
from twinset.model.columns import runs
from twinset.model.outcomes import Outcomes
from twinset.reading.output.blocks import (
    Annotate,
    BlockPreparer,
    Kinds,
    OutgoingBlock,
    Pieces,
    ReadyBlock,
)
from twinset.reading.output.decisions import FRAME, OTHER, ROW, DecisionQueue, Mask
from twinset.reading.output.listing import ListedDocuments
from twinset.reading.output.routes import Route, Wrap
from twinset.reading.source import Source
from twinset.system.background import BackgroundIterator

Block = TypeVar("Block")
_NEWLINE = 10


@dataclass
class Outputs:
    """Where the documents of one source go, and what was decided on them.

    ``continues`` says that the source follows others in the same files; ``encoding`` is that of
    these files, None where each has that of its source. ``threads`` work on the records.
    """

    source: Source
    decisions: DecisionQueue
    routes: Mapping[str, Route]
    continues: bool = False
    encoding: tuple[bytes, str] | None = None
    listing: ListedDocuments | None = None
    threads: int = 1

    @contextmanager
    def begun(self, wrap: Callable[[str], Wrap]) -> Iterator[Mapping[str, Route]]:
        """The routes, ready for the documents of the source; ``wrap`` says how by their names."""
        for name, route in self.routes.items():
            route.begin(self.source, wrap(name))
        yield self.routes
        for route in self.routes.values():
            route.end()

    @contextmanager
    def files(
        self, encoding: str = "utf-8", mark: bytes = b"", line_end: bytes = b""
    ) -> Iterator[RecordWriter]:
        """The routes for records, which begin with the input's byte order mark.

        ``line_end`` is what ends a record where the last one of a source may lack it.
        """
        mark, encoding = self.encoding or (mark, encoding)

        def wrap(name: str) -> Wrap:
            frame = Frame(mark, encoding)
            return lambda file: RecordFile(file, frame)

        with self.begun(wrap) as routes:
            writer = RecordWriter(self.decisions, routes, self.continues, self.threads)
            with closing(writer):
                yield writer
                writer.end(line_end)


@dataclass
class Frame:
    """What every file of a route has before and behind its records."""

    mark: bytes
    encoding: str
    head: bytes = b""
    tail: bytes = b""


class RecordFile:
    """A file of records with their frame; ``joint`` is what the last source lacks at its end."""

    def __init__(self, file: IO[bytes], frame: Frame) -> None:
        self._file, self.frame = file, frame
        self.joint = b""
        self.is_line_open = False
        file.write(frame.mark)
        self.write(frame.head)

    def write(self, data: Any) -> None:
        """Bytes in UTF-8."""
        if not len(data):
            return
        if self.joint:
            joint, self.joint = self.joint, b""
            self.write(joint)
        self.is_line_open = data[-1] != _NEWLINE
        if self.frame.encoding != "utf-8":
            data = bytes(data).decode("utf-8", "replace").encode(self.frame.encoding)
        self._file.write(data)

    def close(self) -> None:
        """End the frame."""
        self.joint = b""
        self.write(self.frame.tail)


class RecordWriter:
    """Sends the records of a source to their routes."""

    def __init__(
        self,
        decisions: DecisionQueue,
        routes: Mapping[str, Route],
        continues: bool,
        threads: int = 1,
    ) -> None:
        self._decisions, self._routes, self._threads = decisions, routes, threads
        self._blocks = BlockPreparer(routes, self._deliver, threads)
        # An empty file before has left its frame to this one.
        self.continues = continues and any(
            route.documents or route.sink.frame.head for route in routes.values()
        )
        self._of_kept = [routes[name] for name in ("kept", "annotated") if name in routes]
        self._of_removed = [routes[name] for name in ("removed", "annotated") if name in routes]
        self._last = self._of_kept
        self._begun = False
        self._joint = b""

    @property
    def is_stream(self) -> bool:
        """Whether the records of several sources follow each other, or are cut into shards."""
        return any(route.is_stream for route in self._routes.values())

    @contextmanager
    def read_ahead(self, blocks: Iterator[Block]) -> Iterator[Iterator[Block]]:
        """The same blocks, read by a thread of their own where there are several."""
        if self._threads <= 1:
            yield blocks
            return
        with closing(BackgroundIterator(blocks, 1)) as ahead:
            yield ahead

    def records(
        self,
        data: Any,
        ends: Ints,
        kinds: Kinds,
        annotate: Annotate | None = None,
        done: Callable[[], None] | None = None,
    ) -> None:
        """Consecutive records, each with its kind (`ROW`, `FRAME` or `OTHER`).

        They are written later where ``done`` is to be called after that; then ``annotate`` is
        called by any thread.
        """
        if len(ends) == 0:
            if done is not None:
                done()
            return
        rows = kinds == ROW
        outcomes = self._decisions.take(int(rows.sum()))
        goes: Mask = np.zeros(len(ends), dtype=bool)
        goes[rows] = ~outcomes.keep
        self._blocks.add(OutgoingBlock(data, ends, kinds, goes, outcomes, annotate, done))
        self._last = self._of_removed if goes[-1] else self._of_kept
        self._begun = self._begun or bool(rows.any())

    def record(
        self, data: Any, kind: int = ROW, annotate: Callable[[Outcomes], Pieces] | None = None
    ) -> None:
        """One record."""
        self._blocks.settle()
        if kind == FRAME:
            for route in self._routes.values():
                self._frame(route, data)
            return
        outcomes = self._decisions.take(int(kind == ROW))
        self._last = self._of_kept if kind == OTHER or outcomes.keep[0] else self._of_removed
        for route in self._last:
            piece = data
            if annotate is not None and route is self._routes.get("annotated"):
                piece = b"".join(annotate(outcomes))
            if kind == ROW:
                self._begun = True
                route.next_file()
                route.count(1)
            route.sink.write(piece)

    def more(self, data: Any) -> None:
        """More of the last record."""
        self._blocks.settle()
        for route in self._last:
            route.sink.write(data)

    def only(self, name: str, data: bytes) -> None:
        """Bytes that one of the routes needs."""
        self._blocks.settle()
        if name in self._routes:
            self._routes[name].sink.write(data)

    def tail(self, data: bytes) -> None:
        """What ends the frame of every file."""
        for route in self._routes.values():
            route.sink.frame.tail = data

    def left_open(self, joint: bytes) -> None:
        """The last record needs this behind it before another source follows."""
        self._joint = joint

    def end(self, line_end: bytes) -> None:
        """The source has no more records."""
        self._blocks.settle()
        for route in self._routes.values():
            frame = route.sink.frame
            if frame.head and not frame.head.endswith(line_end):
                frame.head += line_end  # nothing but a header, and more sources may follow
            if route in self._last and self._joint:
                route.sink.joint = self._joint
            elif line_end and route.sink.is_line_open:
                route.sink.joint = line_end

    def close(self) -> None:
        """End the threads, whatever was written."""
        self._blocks.close()

    def _deliver(self, ready: ReadyBlock) -> None:
        """Hand the records of a block to the routes that they go."""
        block = ready.block
        for name, route in self._routes.items():
            goes = block.mask(name)
            documents, whole = block.documents(goes), ready.whole.get(name)
            if whole is not None and not block.has_frame and documents <= route.room:
                route.sink.write(whole)
                route.count(documents)
            else:
                noted = ready.annotated if name == "annotated" else None
                self._deliver_runs(route, noted or block, goes)

    def _deliver_runs(self, route: Route, block: OutgoingBlock, goes: Mask) -> None:
        """Those of the records that go this way, and the frame, which goes every way."""
        kinds = block.kinds
        before = np.zeros(len(kinds) + 1, dtype=np.int64)
        np.cumsum(kinds == ROW, out=before[1:])
        for first, last in _runs(goes, np.flatnonzero(kinds == FRAME).tolist()):
            if kinds[first] == FRAME:
                self._frame(route, block.records(first, first + 1))
                continue
            while first < last:
                cut, documents = last, int(before[last] - before[first])
                if documents > route.room:
                    # up to the first document that has no room: what is none stays with the others
                    cut = int(np.searchsorted(before, before[first] + route.room + 1)) - 1
                    documents = route.room
                if cut > first:
                    route.sink.write(block.records(first, cut))
                    route.count(documents)
                first = cut
                if first < last:
                    route.next_file()

    def _frame(self, route: Route, data: Any) -> None:
        """Before the first document it is the head of every file; a later source has none."""
        if self._begun or not self.continues:
            if not self._begun:
                route.sink.frame.head += bytes(data)
            route.sink.write(data)


def _runs(goes: Mask, frames: list[int]) -> Iterator[tuple[int, int]]:
    """Stretches of records that go the same way, and each part of the frame by itself."""
    if not frames:
        yield from runs(goes)
        return
    begin = 0
    for frame in [*frames, len(goes)]:
        for first, last in runs(goes[begin:frame]):
            yield begin + first, begin + last
        if frame < len(goes):
            yield frame, frame + 1
        begin = frame + 1
