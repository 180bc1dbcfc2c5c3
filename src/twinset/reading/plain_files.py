"""Plain texts among the files of a folder, which a kernel reads many at a time.

It takes what is certainly text in UTF-8, of which careful reading would give the same text, faults
and digests. All other files, by their names or by their content, are left to that.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from twinset import _kernels
from twinset.model import Batch, FileFacts, Ints
from twinset.model.files import DIGEST_BYTES
from twinset.reading.arrays import byte_strings, string_array
from twinset.reading.batches import no_floats
from twinset.reading.content import GLIMPSE
from twinset.reading.file_groups import FileGroup, cost_of, names_of
from twinset.reading.formats import TEXT_MARKS
from twinset.reading.ledger import FileStates, absolute
from twinset.reading.office import NOTED
from twinset.reading.signs import PLAIN
from twinset.reading.source import ReadJob
from twinset.text.page_bounds import HEAD, LEAST_CLOSED

_SUFFIXES = frozenset(PLAIN) - frozenset(NOTED)
_MARKS = np.frombuffer(b"".join(mark + b"\0" for mark in TEXT_MARKS), np.uint8)
_MOST_UTF8 = 4  # bytes of a character


class PlainTexts(NamedTuple):
    """The plain texts of a group, what they add to the digest of the source, and the other files.

    ``bytes`` are those that the files of the texts had before they were read. ``unexpected`` is the
    cost of other files that have the name of a plain text.
    """

    batch: Batch
    digested: list[bytes]
    bytes: int
    rest: FileGroup
    unexpected: int


def is_named_plain(name: str) -> bool:
    """Whether a file of this name may be a plain text, without signs of any notation."""
    dot = name.rfind(".")
    return name[dot:].lower() in _SUFFIXES and name[dot - 1 : dot] != os.sep


def others_by_name(job: ReadJob) -> int:
    """The cost of the files of a source that need careful reading by their names."""
    names, states = names_of(job), FileStates.of(job.source.states)
    if _reads_all_with_care(job):
        return cost_of(states)
    if _are_named_plain(names):
        return 0
    others = [row for row, name in enumerate(names) if not is_named_plain(name)]
    return cost_of(states.take(np.array(others, np.int64)))


def _are_named_plain(names: Sequence[str]) -> bool:
    """Whether all files have such names, of which most end alike."""
    return all(map(is_named_plain, {name[name.rfind(".") - 1 :] for name in names}))


def _reads_all_with_care(job: ReadJob) -> bool:
    """Whether files must lie within folders, or are to be cleaned whatever they hold."""
    return bool(job.options.within) or job.options.html == "yes"


def read_plain(job: ReadJob, group: FileGroup) -> PlainTexts:
    """The plain texts of a group as one batch, and what is left."""
    folder = str(job.source.path)
    above = os.path.join("" if folder == os.curdir else folder, "")
    limit = min(job.limit, GLIMPSE)
    rows = _tried(job, group, above, limit)
    chosen = group.names if len(rows) == len(group.names) else [group.names[row] for row in rows]
    room = int(group.states.bytes[rows].sum())
    names = os.fsencode("".join([f"{name}\0" for name in chosen]))
    data, offsets, is_plain, digests, contents = _kernels.plain_files(
        np.frombuffer(names, np.uint8), room, limit, _MARKS, _MOST_UTF8 * HEAD, LEAST_CLOSED
    )
    plain = np.flatnonzero(is_plain)
    taken = rows[plain]
    cut = len(os.fsencode(above))
    every = names.split(b"\0")
    below = [every[at][cut:] for at in plain.tolist()]
    ids = _as_utf8(below)
    front = os.path.join(absolute(job.source.path), b"")
    states = group.states.take(taken)
    count, valid = len(taken), np.ones(len(taken), bool)
    ends = np.append(0, offsets[plain + 1])
    texts = string_array(pa.large_string(), data, ends, valid)
    batch = Batch(
        byte_strings(ids, pa.string()),
        texts,
        job.source.name,
        np.array(group.numbers, np.int64)[taken],
        no_floats(count) if job.options.order else None,
        raw=texts.view(pa.large_binary()) if job.options.raw else None,
        files=FileFacts(
            byte_strings([front + name for name in below], pa.large_binary()),
            pa.nulls(count, pa.string()),
            states.bytes,
            states.modified,
            string_array(
                pa.binary(), contents[plain].ravel(), DIGEST_BYTES * np.arange(count + 1), valid
            ),
            np.zeros(count, bool),
        ),
    )
    digested = [
        b"%b\0%d\0" % (id, digest) for id, digest in zip(ids, digests[plain].tolist(), strict=True)
    ]
    is_left = np.ones(len(group.names), bool)
    is_left[taken] = False
    unexpected = cost_of(group.states.take(rows[is_left[rows]]))
    rest = group.only(np.flatnonzero(is_left).tolist())
    return PlainTexts(batch, digested, int(states.bytes.sum()), rest, unexpected)


def _tried(job: ReadJob, group: FileGroup, above: str, limit: int) -> Ints:
    """The rows of the files that may be plain texts: by their names, place and size."""
    names = group.names
    if _reads_all_with_care(job) or not names:
        return np.empty(0, np.int64)
    is_small = group.states.bytes <= limit
    # what lies between two names that begin alike does so, too
    are_below = min(names).startswith(above) and max(names).startswith(above)
    if not are_below or not _are_named_plain(names):
        is_small &= [is_named_plain(name) and name.startswith(above) for name in names]
    return np.flatnonzero(is_small)


def _as_utf8(names: Sequence[bytes]) -> Sequence[bytes]:
    """The names with U+FFFD for what is no UTF-8, which is seldom there."""
    try:
        b"\0".join(names).decode()
    except UnicodeDecodeError:
        return [name.decode("utf-8", "replace").encode() for name in names]
    return names


def digested_with(plain: PlainTexts, notes: Sequence[bytes]) -> bytes:
    """What all files of a group add to the digest, in order; ``notes`` are those on the others."""
    if not notes:
        return b"".join(plain.digested)
    by_number = dict(zip(plain.batch.places.tolist(), plain.digested, strict=True))
    by_number.update(zip(plain.rest.numbers, notes, strict=True))
    return b"".join([by_number[number] for number in sorted(by_number)])
