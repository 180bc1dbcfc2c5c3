"""Lines of JSON with the fields of an annotation; ordinary lines are not parsed for it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from twinset import _kernels
from twinset.model import Ints
from twinset.model.outcomes import ADDED, Outcomes
from twinset.reading.output.blocks import AnnotatedRecords
from twinset.reading.output.decisions import ROW, Mask
from twinset.reading.output.notes import UNREAD, Note, notable, notes_of
from twinset.reading.source import ReadJob
from twinset.text.arrow import with_tails

_BLANKS = " \t\r\n"
_FIELDS = ",".join(f'"{name}":{{}}' for name in ADDED)
_BRACE, _NEWLINE, _RETURN = b"}\n\r"


def annotated_lines(
    job: ReadJob, data: NDArray[np.uint8], ends: Ints, kinds: NDArray[np.uint8], outcomes: Outcomes
) -> AnnotatedRecords:
    """The lines with the fields behind what they have up to their last brace.

    Lines that are no objects stay as they are.
    """
    begins = np.concatenate([[0], ends[:-1]]).astype(np.int64)
    rows = np.flatnonzero(kinds == ROW)
    with_return = _byte(data, ends, 2) == _RETURN
    brace = np.where(with_return, ends - 3, ends - 2)
    marked = _kernels.annotated_lines(data, ends, job.threads).view(bool)
    plain = (_byte(data, brace, 0) == _BRACE) & (_byte(data, ends, 1) == _NEWLINE) & ~marked
    plain &= (data[begins] == ord("{")) & ~np.isin(_byte(data, brace, 1), _UNUSUAL)
    plain &= brace - begins > 1
    readable = np.zeros(len(ends), dtype=bool)
    readable[rows] = _readable(job, data, outcomes)
    plain &= readable
    usual = json_fields(UNREAD)
    # which tail stands behind each line: none, the usual one by its line end, or one of its own
    tails, of = [b"", *(_tail(usual, ends_so) for ends_so in (False, True))], np.zeros_like(ends)
    of[plain] = 1 + with_return[plain]
    noted = notable(outcomes)
    fields = dict(zip(rows[noted].tolist(), notes_of(outcomes.take(noted)), strict=True))
    for row in np.union1d(rows[noted], rows[~plain[rows]]).tolist():
        note = json_fields(fields[row]) if row in fields else usual
        of[row] = len(tails)
        if plain[row]:
            tails.append(_tail(note, bool(with_return[row])))
        else:
            raw = data[begins[row] : ends[row]].tobytes()
            tails.append(annotated_line(raw, note, bool(readable[row])))
    heads = np.where(plain, brace, ends)
    heads[rows] = np.where(plain[rows], heads[rows], begins[rows])
    return AnnotatedRecords(*with_tails(data, begins, heads, tails, of))


def _tail(fields: bytes, has_return: bool) -> bytes:
    return b"," + fields + (b"}\r\n" if has_return else b"}\n")


_UNUSUAL = np.frombuffer(b"{ \t\r\n", dtype=np.uint8)  # before the last brace


def _byte(data: NDArray[np.uint8], ends: Ints, back: int) -> NDArray[np.uint8]:
    """A byte before the end of each record; of a record that is shorter some other."""
    return data[np.maximum(ends - back, 0)]


def _readable(job: ReadJob, data: NDArray[np.uint8], outcomes: Outcomes) -> Mask:
    """Which documents are known to be objects: the run says so, or the kernel that reads them."""
    if outcomes.unread is not None:
        return ~outcomes.unread
    options = job.options
    odd = _kernels.jsonl_rows(data, options.id, options.text, "", job.threads)["odd"]
    return ~odd.view(bool)


def json_fields(note: Note) -> bytes:
    """The names and values between the braces of an object, in ASCII."""
    cluster = "null" if note.cluster is None else note.cluster
    kept_id = "null" if note.kept_id is None else json.dumps(note.kept_id)
    score = "null" if note.score is None else repr(note.score)
    return _FIELDS.format(cluster, "true" if note.keep else "false", kept_id, score).encode("ascii")


def annotated_line(raw: bytes, fields: bytes, is_object: bool = False) -> bytes:
    """A line with the fields in place of those of an earlier run; itself where it is no object.

    ``is_object`` says that it is known to be one.
    """
    line = raw.decode("latin-1")  # so that each byte is a character; the signs of JSON are ASCII
    try:
        members = list(members_of(line, strict=not is_object))
    except (ValueError, RecursionError, IndexError):
        return raw
    opened = after = line.index("{") + 1
    text, first = line[:opened], line[opened : members[0].begin] if members else ""
    kept = False
    for member in members:
        if member.name not in ADDED:
            text += line[after : member.end] if kept else first + line[member.begin : member.end]
            kept = True
        after = member.end
    both = text + ("," if kept else "") + fields.decode("ascii") + line[after:]
    return both.encode("latin-1")


class JsonMember(NamedTuple):
    """A name with its value, and where they are in a line."""

    name: str
    begin: int
    value: int
    end: int


def members_of(line: str, strict: bool = False) -> Iterator[JsonMember]:
    """The members of the object that a line is; raises where it is none."""
    decoder = json.JSONDecoder(strict=strict)
    at = _after_blanks(line, _past(line, _after_blanks(line, 0), "{"))
    is_first = True
    while line[at] != "}" or not is_first:
        name, end = scanstring(line, _past(line, at, '"'), strict)
        value = _after_blanks(line, _past(line, _after_blanks(line, end), ":"))
        _, end = decoder.raw_decode(line, value)
        yield JsonMember(name, at, value, end)
        at, is_first = _after_blanks(line, end), False
        if line[at] == "}":
            break
        at = _after_blanks(line, _past(line, at, ","))
    if line[at + 1 :].strip(_BLANKS):
        raise ValueError(line[at + 1 :])


def _after_blanks(line: str, at: int) -> int:
    while line[at] in _BLANKS:
        at += 1
    return at


def _past(line: str, at: int, sign: str) -> int:
    if line[at] != sign:
        raise ValueError(line[at])
    return at + 1
