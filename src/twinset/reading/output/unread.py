"""Records that cannot be read, as they are, in a file of their own for each format."""

from __future__ import annotations

from contextlib import ExitStack
from typing import IO

from twinset.reading.output.routes import open_output
from twinset.reading.output.written import WrittenRoute
from twinset.reading.rows.block import FieldRows, RowBlock
from twinset.reading.source import Source
from twinset.system.remote import Place


class UnreadFiles:
    """``unread.jsonl`` beside the documents; a file is made when there is something for it.

    Damaged tables are kept whole and apart: ``unread.parquet``, ``unread.2.parquet``. ``opened``
    closes the files; without a folder records are only counted.
    """

    def __init__(self, folder: Place | None, opened: ExitStack) -> None:
        self._folder, self._opened = folder, opened
        self._files: dict[str, tuple[IO[bytes], WrittenRoute]] = {}
        self._name = ""
        self._tables = 0
        self._is_first, self._open_lines = False, set[str]()
        self.documents = 0

    def begin(self, source: Source, suffix: str) -> None:
        """The documents of a source follow."""
        self._name, self._is_first = f"unread{suffix}", True
        if source.reader == "parquet" and self._name in self._files:
            self._tables += 1
            self._name = f"unread.{self._tables + 1}{suffix}"

    def add(self, block: RowBlock) -> None:
        """Keep what could not be read of these documents."""
        # A table that can be read at all has a record for every row.
        rows = block.rows if isinstance(block, FieldRows) else ()
        count = sum(row is None for row in rows)
        data = b"".join((block.more, *block.unread.values()))
        self.documents += count
        if not data or self._folder is None:
            return
        file, so_far = self._files.get(self._name) or (
            self._open(),
            WrittenRoute(self._name, 0, 1, 0),
        )
        if self._is_first and self._name in self._open_lines:
            data = b"\n" + data  # the last line of another source had no end
        self._is_first = False
        if data.endswith(b"\n"):
            self._open_lines.discard(self._name)
        else:
            self._open_lines.add(self._name)
        file.write(data)
        self._files[self._name] = (
            file,
            WrittenRoute(self._name, so_far.documents + count, 1, so_far.bytes + len(data)),
        )

    def written(self) -> dict[str, WrittenRoute]:
        """What was written, by name: ``unread``, and the further ones with their suffixes."""
        routes = [route for _, route in self._files.values()]
        return {
            "unread" if not number else f"unread_{number + 1}": route
            for number, route in enumerate(routes)
        }

    def _open(self) -> IO[bytes]:
        assert self._folder is not None
        return self._opened.enter_context(open_output(self._folder / self._name))
