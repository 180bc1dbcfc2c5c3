"""What was decided on documents, as it is written with them, and texts without stretches."""

from __future__ import annotations

import base64
import json
import math
import re
from collections.abc import Iterator, Sequence
from datetime import date, time
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from twinset.model import Floats
from twinset.model.columns import column
from twinset.model.outcomes import ADDED, Outcomes
from twinset.reading.batches import lookup
from twinset.text.encoding import (
    byte_order_mark,
    decode,
    decode_utf8_by_definition,
    without_surrogates,
)

_DIGITS = 6
_MARK = b'"twinset_'
_LITERAL = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"')
_TYPES = (pa.int64(), pa.bool_(), pa.string(), pa.float64())
Stretch = tuple[int, int]


class Note(NamedTuple):
    """The values of the fields `ADDED`, in their order."""

    cluster: int | None
    keep: bool
    kept_id: str | None
    score: float | None


def notes_of(outcomes: Outcomes) -> Iterator[Note]:
    """One for each document."""
    for cluster, keep, kept_id, score in zip(
        outcomes.cluster.tolist(),
        outcomes.keep.tolist(),
        outcomes.kept_id.to_pylist(),
        _rounded(outcomes.score).tolist(),
        strict=True,
    ):
        yield Note(
            None if cluster < 0 else cluster, keep, kept_id, None if math.isnan(score) else score
        )


def _rounded(scores: Floats) -> Floats:
    """Scores with up to six digits behind the point."""
    values: Floats = np.round(np.asarray(scores, np.float64), _DIGITS).astype(np.float64)
    return values


def annotated_schema(schema: pa.Schema) -> pa.Schema:
    """The schema with the fields of an annotation behind its own."""
    own = [field for field in schema if field.name not in ADDED]
    added = [pa.field(name, kind) for name, kind in zip(ADDED, _TYPES, strict=True)]
    return pa.schema([*own, *added], metadata=schema.metadata)


def annotated_table(rows: pa.RecordBatch, outcomes: Outcomes) -> pa.RecordBatch:
    """The rows with what was decided on each; that of an earlier run is replaced."""
    own = [rows.column(i) for i, name in enumerate(rows.schema.names) if name not in ADDED]
    scores = _rounded(outcomes.score)
    added = (
        column(np.asarray(outcomes.cluster, np.int64), missing=outcomes.cluster < 0),
        column(outcomes.keep),
        outcomes.kept_id.cast(pa.string()),
        column(scores, missing=np.isnan(scores)),
    )
    return pa.RecordBatch.from_arrays([*own, *added], schema=annotated_schema(rows.schema))


def annotated_line(line: bytes, note: Note, is_object: bool) -> bytes:
    """A line of JSON with the fields behind its own; itself where it is no object.

    ``is_object`` says that it is known to be one. One with such fields is written anew.
    """
    body = line.rstrip()
    if not is_object or _MARK in body:
        try:
            record = json.loads(decode_utf8_by_definition(body)[0])
        except (ValueError, RecursionError):
            return line
        if not isinstance(record, dict):
            return line
        if not record.keys().isdisjoint(ADDED):
            own = {name: value for name, value in record.items() if name not in ADDED}
            body = json_bytes(own)
    # in ASCII, which stands in lines of other encodings, too
    fields = json.dumps(dict(zip(ADDED, note, strict=True)), separators=(",", ":")).encode()
    inside = body[:-1].rstrip()
    return (
        inside + (b"" if inside.endswith(b"{") else b",") + fields[1:] + line[len(line.rstrip()) :]
    )


def json_bytes(value: Any) -> bytes:
    """JSON in UTF-8; half of a surrogate pair, which UTF-8 cannot hold, stays an escape."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except ValueError:
        return json_bytes(plain(value))
    return text.encode("utf-8", "backslashreplace")


def plain(value: Any) -> Any:
    """A value as JSON can hold it."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, (str, int)):
        return value
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, dict):
        return {str(name): plain(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(inner) for inner in value]
    return value.isoformat() if isinstance(value, (date, time)) else str(value)


def without(text: str, stretches: Sequence[Stretch]) -> str:
    """A text without some of its characters."""
    begins = [0, *(end for _, end in stretches)]
    ends = [*(start for start, _ in stretches), len(text)]
    return "".join(text[begin:end] for begin, end in zip(begins, ends, strict=True))


def cut_line(line: bytes, field: str, stretches: Sequence[Stretch]) -> bytes:
    """A line of JSON without stretches of its text; all else stays as it was written.

    Where the text cannot be told from another value, the line is written anew.

    >>> cut_line(b'{"text": "one two",  "x": 1.50}\\n', "text", [(3, 4)])
    b'{"text": "onetwo",  "x": 1.50}\\n'
    """
    content = decode_utf8_by_definition(line)[0]
    record = json.loads(content.rstrip())
    text = lookup(record, field)
    cut_record(record, field, stretches)
    anew, cut = json_bytes(record), json_bytes(lookup(record, field)).decode()
    for literal in _LITERAL.finditer(content):
        if json.loads(literal[0]) == text:
            left = content[: literal.start()] + cut + content[literal.end() :]
            if json_bytes(json.loads(left.rstrip())) == anew:
                return left.encode()
    return anew + line[len(line.rstrip()) :]


def cut_record(record: dict[str, Any], field: str, stretches: Sequence[Stretch]) -> None:
    """Take stretches out of the text of a record."""
    *above, name = [field] if field in record else field.split(".")
    text = without_surrogates(lookup(record, field))
    for key in above:
        record = record[key]
    record[name] = without(text, stretches)


def cut_file(raw: bytes, text: str, stretches: Sequence[Stretch]) -> bytes | None:
    """A file without stretches of its text; None where that is not what the file holds."""
    mark, encoding = byte_order_mark(raw) or (b"", decode(raw).encoding)
    try:
        if mark + text.encode(encoding) != raw:
            return None
        return mark + without(text, stretches).encode(encoding)
    except UnicodeEncodeError:
        return None
