"""Plain texts among the files of a folder, which a kernel reads many at a time.

It takes what is certainly text in UTF-8, of which careful reading would give the same text, faults
and digests. All other files, by their names or by their content, are left to that.
"""

from __future__ import annotations

import os
from itertools import chain
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from twinset import _kernels
from twinset.model import Batch, FileFacts
from twinset.model.files import DIGEST_BYTES
from twinset.reading.arrays import string_array, strings
from twinset.reading.batches import no_floats
from twinset.reading.content import GLIMPSE
from twinset.reading.file_groups import FileGroup, cost_of, names_of
from twinset.reading.formats import TEXT_MARKS
from twinset.reading.ledger import absolute
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
    files = zip(names_of(job), job.source.states, strict=True)
    every = _reads_all_with_care(job)
    return sum(cost_of(state) for name, state in files if every or not is_named_plain(name))


def _reads_all_with_care(job: ReadJob) -> bool:
    """Whether files must lie within folders, or are to be cleaned whatever they hold."""
    return bool(job.options.within) or job.options.html == "yes"


def read_plain(job: ReadJob, group: FileGroup) -> PlainTexts:
    """The plain texts of a group as one batch, and what is left."""
    folder = str(job.source.path)
    above = os.path.join("" if folder == os.curdir else folder, "")
    limit = min(job.limit, GLIMPSE)
    tried = () if _reads_all_with_care(job) else group.names
    rows = [
        row
        for row, name in enumerate(tried)
        if is_named_plain(name) and name.startswith(above) and group.states[row].bytes <= limit
    ]
    room = sum(group.states[row].bytes for row in rows)
    names = os.fsencode("".join([f"{group.names[row]}\0" for row in rows]))
    data, offsets, is_plain, digests, contents = _kernels.plain_files(
        np.frombuffer(names, np.uint8), room, limit, _MARKS, _MOST_UTF8 * HEAD, LEAST_CLOSED
    )
    plain = np.flatnonzero(is_plain)
    taken = [rows[at] for at in plain.tolist()]
    cut = len(os.fsencode(above))
    every = names.split(b"\0")
    below = [every[at][cut:] for at in plain.tolist()]
    ids = [name.decode("utf-8", "replace") for name in below]
    front = os.path.join(absolute(job.source.path), b"")
    states = chain.from_iterable([group.states[row] for row in taken])
    sizes, modified = np.fromiter(states, np.int64, 2 * len(taken)).reshape(-1, 2).T
    count, valid = len(taken), np.ones(len(taken), bool)
    ends = np.append(0, offsets[plain + 1])
    texts = string_array(pa.large_string(), data, ends, valid)
    batch = Batch(
        strings(ids, pa.string()),
        texts,
        job.source.name,
        np.array([group.numbers[row] for row in taken], np.int64),
        no_floats(count) if job.options.order else None,
        raw=texts.view(pa.large_binary()) if job.options.raw else None,
        files=FileFacts(
            strings([front + name for name in below], pa.large_binary()),
            pa.nulls(count, pa.string()),
            sizes.copy(),
            modified.copy(),
            string_array(
                pa.binary(), contents[plain].ravel(), DIGEST_BYTES * np.arange(count + 1), valid
            ),
            np.zeros(count, bool),
        ),
    )
    digested = [
        f"{id}\0{digest}\0".encode()
        for id, digest in zip(ids, digests[plain].tolist(), strict=True)
    ]
    left = sorted(set(range(len(group.names))).difference(taken))
    unexpected = sum(cost_of(group.states[row]) for row in set(rows).difference(taken))
    return PlainTexts(batch, digested, int(sizes.sum()), group.only(left), unexpected)
