"""CSV and TSV with a header line: quoted fields may hold delimiters, quotes and line ends."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from twinset.model import Batch
from twinset.reading.fork import OTHER, ROW, Fork
from twinset.reading.opening import open_text_stream
from twinset.reading.source import Job
from twinset.reading.stream import Prefixed, Stream
from twinset.reading.table import Table
from twinset.spec import option

Delimiter = Literal["auto", "comma", "tab", "semicolon", "pipe"]
_DELIMITERS = {"comma": ",", "tab": "\t", "semicolon": ";", "pipe": "|"}
_HEAD = 1 << 16


@dataclass(frozen=True)
class Csv:
    """Rows of fields under a header; ``auto`` takes the delimiter that the header has most of."""

    delimiter: Delimiter = option(
        "auto", "What separates fields; auto takes what the header has most of."
    )
    suffixes: ClassVar[tuple[str, ...]] = (".csv",)

    @staticmethod
    def sniff(head: bytes) -> bool:
        """Whether the first line names a column 'text' among others."""
        line = head.split(b"\n", 1)[0].strip().lower().replace(b'"', b"")
        names = [line.split(delimiter.encode()) for delimiter in _DELIMITERS.values()]
        return any(len(row) > 1 and b"text" in row for row in names)

    def read(self, job: Job) -> Iterator[Batch]:
        """A batch for every block of records."""
        stream, _, _ = open_text_stream(job)
        try:
            table = Table(job, *self._delimited(stream))
            for block in table.blocks():
                batch = table.batch(block)
                if batch is not None:
                    yield batch
        finally:
            stream.close()

    def records(self, job: Job) -> Iterator[dict[str, Any]]:
        """The rows of the first block with all their columns."""
        stream, _, _ = open_text_stream(job)
        try:
            table = Table(job, *self._delimited(stream))
            yield from table.named_rows(next(iter(table.blocks()), None))
        finally:
            stream.close()

    def split(self, job: Job, fork: Fork) -> None:
        """Hand over the records as they are, the header to both outputs."""
        stream, mark, encoding = open_text_stream(job)
        try:
            with fork.files(encoding, mark) as out:
                table = Table(job, *self._delimited(stream))
                for block in table.blocks():
                    if block.part == "whole":
                        records, _ = table.records(block, [])
                        out.records(block.data, records["end"], table.kinds(records))
                    elif block.part == "first":
                        out.record(block.data, ROW if table.begun else OTHER)
                        table.begun = True
                    else:
                        out.more(block.data)
        finally:
            stream.close()

    def _delimited(self, stream: Stream) -> tuple[Stream, str]:
        head = bytearray(_HEAD)
        with memoryview(head) as view:
            got = stream.readinto(view)
        first = bytes(head[:got]).lstrip(b"\r\n").split(b"\n", 1)[0].decode("latin-1")
        delimiter = _DELIMITERS.get(self.delimiter) or max(_DELIMITERS.values(), key=first.count)
        return Prefixed(bytes(head[:got]), stream), delimiter


@dataclass(frozen=True)
class Tsv(Csv):
    """Rows of fields between tabs."""

    delimiter: Delimiter = option("tab", "What separates fields.")
    suffixes: ClassVar[tuple[str, ...]] = (".tsv", ".tab")
