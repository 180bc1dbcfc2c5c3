"""Rows of delimited text with the columns of an annotation, every other byte as it was.

A row with fewer fields than the header is filled up. In a row with more of them the new fields come
behind the last column of the header, so that they stand under their names; what the row has beyond
stays beyond. A row whose quotes are not closed stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from twinset.model.outcomes import ADDED, Outcomes
from twinset.reading.encoding import encoding_of
from twinset.reading.output.decisions import FRAME, OTHER, ROW
from twinset.reading.output.notes import UNREAD, Note, notable, notes_of

_NEWLINE, _RETURN = b"\n\r"


class CsvNotes:
    """Adds the columns to the rows of one file."""

    def __init__(self, delimiter: str) -> None:
        self.delimiter = delimiter.encode()
        sign = re.escape(self.delimiter)
        self._field = re.compile(rb'(?:"[^"]*(?:""[^"]*)*"?)?[^' + sign + rb"]*")
        self._special = re.compile(rb'[\r\n"' + sign + rb"]|^[ \t]|[ \t]$")
        self._columns = 0
        self._block: NDArray[np.uint8] | None = None
        self._encoding: str | None = None
        self._earlier: frozenset[int] = frozenset()

    def annotated(
        self,
        data: NDArray[np.uint8],
        records: Mapping[str, Any],
        kinds: NDArray[np.uint8],
        outcomes: Outcomes,
    ) -> list[Any]:
        """Two pieces for each record: what it has, and the new fields with the end of its line."""
        self._block, self._encoding = data, None
        view, ends = memoryview(cast(Any, data)), records["end"]
        begins = np.concatenate([[0], ends[:-1]]).astype(np.int64)
        bodies = _body_ends(data, begins, ends)
        for frame in np.flatnonzero(kinds == FRAME).tolist():
            self._header(bytes(view[begins[frame] : bodies[frame]]))
        if not self._columns:
            return _interleaved([view[b:e] for b, e in zip(begins, ends, strict=True)])
        plain = (records["fields"] == self._columns) & records["closed"].view(bool)
        plain &= (kinds != OTHER) & (not self._earlier)
        rewritten = (kinds != OTHER) & ~plain & records["closed"].view(bool)
        limits = zip(begins.tolist(), bodies.tolist(), ends.tolist(), strict=True)
        notes = self._notes(outcomes)
        pieces: list[Any] = []
        for (begin, body, end), kind, is_plain, is_rewritten in zip(
            limits, kinds.tolist(), plain.tolist(), rewritten.tolist(), strict=True
        ):
            note = self._names() if kind == FRAME else next(notes) if kind == ROW else b""
            if is_plain:
                pieces += (view[begin:body], note + bytes(view[body:end]))
            elif is_rewritten:
                row = self._rewritten(bytes(view[begin:body]), note)
                pieces += (row, view[body:end])
            else:
                pieces += (view[begin:end], b"")
        return pieces

    def _header(self, header: bytes) -> None:
        fields = list(self.fields(header))
        names = [_unquoted(field) for field in fields]
        self._columns = len(fields)
        added = {name.encode() for name in ADDED}
        self._earlier = frozenset(number for number, name in enumerate(names) if name in added)

    def _names(self) -> bytes:
        return b"".join(self.delimiter + name.encode() for name in ADDED)

    def _notes(self, outcomes: Outcomes) -> Iterator[bytes]:
        """The new fields of each document, with a delimiter before each of them."""
        usual = self._cells(UNREAD)
        rows = notable(outcomes)
        others = dict(zip(rows.tolist(), notes_of(outcomes.take(rows)), strict=True))
        for row in range(len(outcomes)):
            yield self._cells(others[row]) if row in others else usual

    def _cells(self, note: Note) -> bytes:
        return b"".join(self.delimiter + self._quoted(self._encoded(cell)) for cell in note.cells())

    def _encoded(self, cell: str) -> bytes:
        """A cell in the encoding of the rows around it; in UTF-8 where that cannot hold it."""
        if cell.isascii() or self._block is None:
            return cell.encode()
        if self._encoding is None:
            self._encoding = encoding_of(self._block.tobytes()) or "utf-8"
        try:
            return cell.encode(self._encoding)
        except UnicodeEncodeError:
            return cell.encode()

    def _quoted(self, cell: bytes) -> bytes:
        return b'"' + cell.replace(b'"', b'""') + b'"' if self._special.search(cell) else cell

    def _rewritten(self, row: bytes, note: bytes) -> bytes:
        """A row that is short or wide, or has columns of an earlier annotation."""
        fields = list(self.fields(row))
        fields += [b""] * (self._columns - len(fields))
        own = [f for n, f in enumerate(fields[: self._columns]) if n not in self._earlier]
        beyond = b"".join(self.delimiter + field for field in fields[self._columns :])
        joined = self.delimiter.join(own) + note if own else note[len(self.delimiter) :]
        return joined + beyond

    def fields(self, row: bytes) -> Iterator[bytes]:
        """The fields as they are written, with their quotes."""
        at = 0
        while True:
            match = self._field.match(row, at)
            assert match is not None  # it matches nothing, too
            yield match.group()
            if match.end() >= len(row):
                return
            at = match.end() + len(self.delimiter)


def _body_ends(data: NDArray[np.uint8], begins: Any, ends: Any) -> Any:
    """Where each record ends but for its line end, as the reader sees it."""
    bodies = ends - (data[ends - 1] == _NEWLINE)
    return bodies - ((data[np.maximum(bodies - 1, 0)] == _RETURN) & (bodies > begins))


def _unquoted(field: bytes) -> bytes:
    if not field.startswith(b'"'):
        return field
    return field[1:].replace(b'""', b'"').removesuffix(b'"')


def _interleaved(records: list[Any]) -> list[Any]:
    return [piece for record in records for piece in (record, b"")]
