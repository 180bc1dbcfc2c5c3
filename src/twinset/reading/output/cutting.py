"""Documents without stretches of their text, every other byte of their records as it was.

A text stands in its record with escapes, each of which is one character. The bytes of the stretches
are taken out where they stand. Where that would not leave the text that is wanted (bytes that no
encoding explains, a name that stands in a record twice), the text is written anew.
"""

from __future__ import annotations

import json
import re
from codecs import getincrementalencoder
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset.model import Ints
from twinset.model.outcomes import Cuts, Outcomes
from twinset.reading.batches import lookup
from twinset.reading.encoding import (
    byte_order_mark,
    decode,
    decode_utf8_by_definition,
    without_surrogates,
)
from twinset.reading.faults import Faults
from twinset.reading.output.blocks import AnnotatedRecords
from twinset.reading.output.csv_notes import CsvNotes
from twinset.reading.output.decisions import ROW
from twinset.reading.output.json_notes import annotated_lines, members_of
from twinset.reading.output.routes import Route, open_output
from twinset.reading.source import ReadJob
from twinset.system.remote import Place
from twinset.system.upload import copy_file

Stretch = tuple[int, int]
_JSON = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.", re.DOTALL
)
_QUOTE = re.compile(rb'""')


def without(text: str, stretches: Sequence[Stretch]) -> str:
    """A text without some of its characters."""
    begins = [0, *(end for _, end in stretches)]
    ends = [*(start for start, _ in stretches), len(text)]
    return "".join(text[begin:end] for begin, end in zip(begins, ends, strict=True))


def raw_without(
    raw: bytes, stretches: Sequence[Stretch], escape: re.Pattern[bytes], encoding: str
) -> bytes:
    """The bytes of a text in its record without some of its characters."""
    places = _places(raw, [place for stretch in stretches for place in stretch], escape, encoding)
    begins, ends = [0, *places[1::2]], [*places[::2], len(raw)]
    return b"".join(raw[begin:end] for begin, end in zip(begins, ends, strict=True))


def _places(
    raw: bytes, characters: list[int], escape: re.Pattern[bytes], encoding: str
) -> list[int]:
    """Where these characters begin, which rise; an escape is one of them."""
    places: list[int] = []
    before = 0  # characters
    for begin, end in _plain_parts(raw, escape):
        plain = raw[begin:end]
        text = plain.decode(encoding, "replace")
        is_narrow = len(text) == len(plain)
        encoder = getincrementalencoder(encoding)()
        at, size = 0, 0  # characters that were passed, and their bytes
        while len(places) < len(characters) and characters[len(places)] <= before + len(text):
            inside = characters[len(places)] - before
            size += inside - at if is_narrow else len(encoder.encode(text[at:inside]))
            places.append(begin + size)
            at = inside
        before += len(text) + 1
    return places + [len(raw)] * (len(characters) - len(places))


def _plain_parts(raw: bytes, escape: re.Pattern[bytes]) -> Iterator[tuple[int, int]]:
    """What stands before, between and behind the escapes."""
    begin = 0
    for found in escape.finditer(raw):
        yield begin, found.start()
        begin = found.end()
    yield begin, len(raw)


def changed_lines(
    job: ReadJob, data: NDArray[np.uint8], ends: Ints, kinds: NDArray[np.uint8], outcomes: Outcomes
) -> AnnotatedRecords:
    """Lines of JSON with the fields of an annotation, or without stretches of their texts."""
    if outcomes.cuts is None:
        return annotated_lines(job, data, ends, kinds, outcomes)
    field = job.options.text
    return _records(data, ends, kinds, outcomes.cuts, lambda line, s: cut_line(line, field, s))


def _records(
    data: NDArray[np.uint8],
    ends: Ints,
    kinds: NDArray[np.uint8],
    cuts: Cuts,
    cut: Callable[[bytes, list[Stretch]], bytes],
) -> AnnotatedRecords:
    rows, begins = np.flatnonzero(kinds == ROW), np.concatenate([np.zeros(1, np.int64), ends])
    pieces: list[Any] = []
    lengths, done = np.diff(begins), 0
    for number, stretches in cuts.documents():
        row = rows[number]
        begin, end = int(begins[row]), int(begins[row + 1])
        record = cut(data[begin:end].tobytes(), stretches)
        pieces += (data[done:begin], record)
        lengths[row], done = len(record), end
    pieces.append(data[done : int(ends[-1])])
    return AnnotatedRecords(b"".join(pieces), np.cumsum(lengths))


def cut_line(line: bytes, field: str, stretches: list[Stretch]) -> bytes:
    """A line of JSON without stretches of its text.

    >>> cut_line(b'{"text": "one \\\\u00e9 two",  "id": 7}\\n', "text", [(3, 7)])
    b'{"text": "oneto",  "id": 7}\\n'
    """
    content, _ = decode_utf8_by_definition(line)
    wanted = without(_text_in(content, field), stretches)
    place = _place_of(line, field)
    if place is not None:
        begin, end = place
        inside = raw_without(line[begin:end], stretches, _JSON, "utf-8")
        new = line[:begin] + inside + line[end:]
        if _text_in(decode_utf8_by_definition(new)[0], field) == wanted:
            return new
    return _written_anew(content, field, wanted)


def _text_in(line: str, field: str) -> str:
    return without_surrogates(lookup(json.loads(line.rstrip("\r\n")), field))


def _place_of(line: bytes, field: str) -> tuple[int, int] | None:
    """Where the text is between its quotes; None where it is not a plain matter."""
    text = line.decode("latin-1")  # so that each byte is a character
    begin, end = 0, len(text)
    names = [field] if _has(text, field) else field.split(".")
    for name in names:
        found = [m for m in members_of(text[begin:end]) if m.name == name]
        if len(found) != 1:
            return None
        begin, end = begin + found[0].value, begin + found[0].end
    return (begin + 1, end - 1) if text[begin] == text[end - 1] == '"' else None


def _has(text: str, field: str) -> bool:
    return any(member.name == field for member in members_of(text))


def _written_anew(content: str, field: str, text: str) -> bytes:
    record = json.loads(content.rstrip("\r\n"))
    inner, names = record, [field] if field in record else field.split(".")
    for name in names[:-1]:
        inner = inner[name]
    inner[names[-1]] = text
    end = content[len(content.rstrip("\r\n")) :]
    return (json.dumps(record, ensure_ascii=False) + end).encode("utf-8", "replace")


def changed_rows(
    notes: CsvNotes,
    column: int,
    data: NDArray[np.uint8],
    records: Mapping[str, Any],
    kinds: NDArray[np.uint8],
    outcomes: Outcomes,
) -> Any:
    """Rows of delimited text with more columns, or without stretches of the texts in this one."""
    if outcomes.cuts is None:
        return notes.annotated(data, records, kinds, outcomes)

    def cut(row: bytes, stretches: list[Stretch]) -> bytes:
        end = 2 if row.endswith(b"\r\n") else 1 if row.endswith(b"\n") else 0
        body = row[: len(row) - end]
        cells = list(notes.fields(body))
        cells[column] = cut_cell(cells[column], stretches)
        return notes.delimiter.join(cells) + row[len(body) :]

    return _records(data, records["end"], kinds, outcomes.cuts, cut)


def cut_cell(cell: bytes, stretches: list[Stretch]) -> bytes:
    """A field of delimited text, with its quotes, without stretches of its text."""
    is_quoted = cell.startswith(b'"') and cell.endswith(b'"') and len(cell) > 1
    inside = cell[1:-1] if is_quoted else cell
    decoded = decode(_QUOTE.sub(b'"', inside) if is_quoted else inside)
    wanted = without(decoded.text, stretches)
    escape = _QUOTE if is_quoted else re.compile(rb"(?!)")
    new = raw_without(inside, stretches, escape, decoded.encoding)
    plain = _QUOTE.sub(b'"', new) if is_quoted else new
    try:
        if plain.decode(decoded.encoding) == wanted:
            return b'"' + new + b'"' if is_quoted else new
    except UnicodeDecodeError:
        pass
    return b'"' + wanted.replace('"', '""').encode("utf-8", "replace") + b'"'


def cut_column(rows: pa.RecordBatch, field: str, cuts: Cuts) -> pa.RecordBatch:
    """Rows of a table without stretches of the texts in this column, or in a field of it."""
    name = field if field in rows.schema.names else field.split(".")[0]
    at = rows.schema.get_field_index(name)
    inner = [] if name == field else field.split(".")[1:]
    return rows.set_column(at, rows.schema.field(at), _cut_values(rows.column(at), inner, cuts))


def _cut_values(values: pa.Array, inner: list[str], cuts: Cuts) -> pa.Array:
    changed = dict(cuts.documents())
    if not changed:
        return values
    listed = values.to_pylist()
    for row, stretches in changed.items():
        if not inner:
            listed[row] = without(listed[row], stretches)
            continue
        record = listed[row]
        for name in inner[:-1]:
            record = record[name]
        record[inner[-1]] = without(record[inner[-1]], stretches)
    return pa.array(listed, values.type)


def cut_file(raw: bytes, text: str, stretches: list[Stretch]) -> bytes | None:
    """A file without stretches of its text; None where that is not what the file holds."""
    mark, encoding = byte_order_mark(raw) or (b"", decode(raw).encoding)
    try:
        if mark + text.encode(encoding) != raw:
            return None
        return mark + without(text, stretches).encode(encoding)
    except UnicodeEncodeError:
        return None


def write_cut_file(job: ReadJob, path: Place, target: Place, cuts: Cuts, route: Route) -> None:
    """Write a plain file without stretches of its text; one that is not plain text stays whole."""
    from twinset.reading.content import content_of, mail_inside, text_of

    left, stretches = None, dict(cuts.documents())
    if stretches:
        quiet = ReadJob(job.source, job.options, Faults(job.source.name, "skip"))
        content = content_of(quiet, path)
        if content.is_whole and mail_inside(quiet, content, path) is None:
            left = cut_file(content.raw, text_of(quiet, content.raw, path, 1), stretches[0])
    if left is None:
        route.uncut += len(stretches)
        route.bytes += copy_file(path, target)
        return
    with open_output(target) as file:
        file.write(left)
    route.bytes += len(left)
