"""Documents to an open file, such as standard output: all sources as one."""

from __future__ import annotations

import io
from contextlib import ExitStack
from typing import IO, Any

from twinset.model.outcomes import Outcomes
from twinset.plan.output import OutputForm
from twinset.reading.output.converting import Conversion
from twinset.reading.output.routes import StreamRoute
from twinset.reading.output.row_formats import RowFormat
from twinset.reading.output.unread import UnreadFiles
from twinset.reading.output.writing import Rereading, along, ensure_joinable
from twinset.reading.output.written import WrittenRoute

NOWHERE = "-"


def stream_documents(
    again: Rereading, outcomes: Outcomes, file: IO[bytes], form: OutputForm
) -> dict[str, WrittenRoute]:
    """Write the kept documents, or with ``annotate`` all, to a file that its owner closes.

    In their own format they are not compressed. What cannot be read of another format is left out
    and counted as ``unread``.
    """
    name = "annotated" if form.annotate else "kept"
    unread = UnreadFiles(None, ExitStack())
    if form.to is None:
        ensure_joinable(again)
        route, writer = StreamRoute(_CountedStream(file)), again.writer
    else:
        format = RowFormat.of(form.to)
        conversion = Conversion.of(again, format, is_stream=True)
        conversion.unread = unread
        route, writer = StreamRoute(_CountedStream(file), format.compression), conversion.writer
    along(again, outcomes, {name: route}, writer)
    left_out = {"unread": WrittenRoute(NOWHERE, unread.documents, 0, 0)} if unread.documents else {}
    return {name: route.written(), **left_out}


class _CountedStream(io.RawIOBase, IO[bytes]):
    """A file that knows how many bytes have gone into it, which a pipe does not."""

    def __init__(self, file: IO[bytes]) -> None:
        self._below, self._written = file, 0

    def writable(self) -> bool:
        """It is there to be written to."""
        return True

    def write(self, data: Any) -> int:
        """Hand all bytes on: a stream without a buffer, as under PYTHONUNBUFFERED, takes some."""
        with memoryview(data).cast("B") as view:
            begin = 0
            while begin < len(view):
                count = self._below.write(view[begin:])
                begin = len(view) if count is None else begin + count
            self._written += len(view)
            return len(view)

    def tell(self) -> int:
        """How many bytes there were."""
        return self._written
