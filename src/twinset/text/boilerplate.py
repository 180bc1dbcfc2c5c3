"""Boilerplate: paragraphs that stand in many documents, such as disclaimers, footers and licences.

They are left out of the texts that are compared. A document of nothing else stays whole: it is
compared as it is, and equal ones are found. Two paragraphs are the same if they have the same words
in the same order, as ``--level paragraph`` compares them.

Of each paragraph its key and the digest of its document are kept, 16 bytes in all. What does not
fit into memory goes to a file, sorted by key, and is counted part by part: equal keys are all in
one part. Documents with equal texts have equal digests, so these are one document here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset import _kernels
from twinset.model import Features, Ints
from twinset.model import compute as pc
from twinset.model.columns import column, numbers, text
from twinset.system.temporary import TemporaryFile
from twinset.text.arrow import Bytes, arrow_text
from twinset.text.page_lines import SHOWN

PARTS = 256
MOST_BYTES = 64 << 20
"""What is kept in memory, unless something else is asked for."""


class KeyedParagraphs(NamedTuple):
    """The paragraphs of some texts that have a word; equal keys mean equal words in equal order.

    Paragraph i takes ``data[begins[i]:ends[i]]`` with the line ends behind it; those of text n are
    between ``offsets[n]`` and ``offsets[n + 1]``.
    """

    data: Bytes
    texts: Ints
    keys: Features
    begins: Ints
    ends: Ints
    offsets: Ints

    @classmethod
    def of(cls, texts: pa.Array, threads: int) -> KeyedParagraphs:
        """The paragraphs of an array of texts."""
        data, text_offsets = arrow_text(texts)
        keys, places, offsets = _kernels.keyed_paragraphs(data, text_offsets, threads)
        keys >>= np.uint64(2)  # so that every table can hold them
        begins, ends = places.reshape(2, -1)
        return cls(data, text_offsets, keys, begins, ends, offsets)

    @property
    def document(self) -> Ints:
        """The text that each paragraph stands in."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))


class DigestedParagraphs(NamedTuple):
    """Keys of paragraphs with the digests of their documents, and the digests of all of these."""

    keys: Features
    digests: Features
    documents: Features

    @classmethod
    def of(cls, found: KeyedParagraphs, threads: int) -> DigestedParagraphs:
        """The digests of texts with a paragraph; a text without one does not count."""
        digests = _kernels.text_digests(found.data, found.texts, threads)
        counts = np.diff(found.offsets)
        return cls(found.keys, np.repeat(digests, counts), digests[counts > 0])


class FrequentParagraphs(NamedTuple):
    """Paragraphs that stand in many documents: keys in rising order, and in how many each stands.

    ``total`` is the number of different documents.
    """

    keys: Features
    documents: Ints
    total: int


class ParagraphCounter:
    """Takes paragraphs in, in any order, and tells the frequent ones; close it after use."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most = most_bytes
        self.bytes = 0
        """Of all that was counted, in memory or in the file."""
        self._keys: list[Features] = []
        self._digests: list[Features] = []
        self._documents: list[Features] = []
        self._bytes = 0
        self._file: TemporaryFile | None = None
        self._runs: list[tuple[int, Ints]] = []

    def take(self, some: DigestedParagraphs) -> None:
        """Count some more."""
        self._keys.append(some.keys)
        self._digests.append(some.digests)
        self._documents.append(some.documents)
        size = some.keys.nbytes + some.digests.nbytes
        self.bytes += size
        self._bytes += size
        if self._bytes > self._most:
            self._spill()

    def frequent(self, more_than: float) -> FrequentParagraphs:
        """Those in more documents than this: a number, or a share of the documents if below 1."""
        total = len(np.unique(_joined(self._documents)))
        least = more_than * total if more_than < 1 else more_than
        keys, documents = [np.empty(0, np.uint64)], [np.empty(0, np.int64)]
        for part_keys, part_digests in self._parts():
            often, counts = _in_more_than(least, part_keys, part_digests)
            keys.append(often)
            documents.append(counts)
        return FrequentParagraphs(np.concatenate(keys), np.concatenate(documents), total)

    def close(self) -> None:
        """Forget what was counted, and remove the file."""
        self._keys, self._digests, self._documents = [], [], []
        if self._file is not None:
            self._file.close()

    def _parts(self) -> Iterator[tuple[Features, Features]]:
        """Keys and digests, those of rising keys one after the other."""
        if self._file is None:
            yield _joined(self._keys), _joined(self._digests)
            return
        self._spill()
        with self._file.path.open("rb") as file:
            for part in range(PARTS):
                read: tuple[list[Features], list[Features]] = [], []
                for start, bounds in self._runs:
                    count = int(bounds[part + 1] - bounds[part])
                    for column, values in enumerate(read):
                        file.seek(start + 8 * int(bounds[part] + column * bounds[-1]))
                        values.append(np.frombuffer(file.read(8 * count), np.uint64))
                yield _joined(read[0]), _joined(read[1])

    def _spill(self) -> None:
        """Write what is held, in the order of the keys."""
        if self._file is None:
            self._file = TemporaryFile()
        keys, digests = _joined(self._keys), _joined(self._digests)
        self._keys, self._digests, self._bytes = [], [], 0
        order = np.argsort(keys)
        keys, digests = keys[order], digests[order]
        edges = np.arange(1, PARTS, dtype=np.uint64) << np.uint64(54)
        bounds = np.concatenate([[0], np.searchsorted(keys, edges), [len(keys)]])
        with self._file.path.open("ab") as file:
            self._runs.append((file.tell(), bounds))
            file.write(keys.tobytes())
            file.write(digests.tobytes())


def _joined(arrays: list[Features]) -> Features:
    return np.concatenate([np.empty(0, np.uint64), *arrays])


def _in_more_than(least: float, keys: Features, digests: Features) -> tuple[Features, Ints]:
    """The keys that stand beside more different digests than this, and beside how many."""
    distinct, times = np.unique(keys, return_counts=True)
    often = distinct[times > least]
    if not len(often):
        return often, np.empty(0, np.int64)
    place = np.minimum(np.searchsorted(often, keys), len(often) - 1)
    rows = np.flatnonzero(often[place] == keys)
    place, digests = place[rows], digests[rows]
    order = np.lexsort((digests, place))
    place, digests = place[order], digests[order]
    is_new = np.ones(len(place), bool)
    is_new[1:] = (place[1:] != place[:-1]) | (digests[1:] != digests[:-1])
    documents = np.bincount(place[is_new], minlength=len(often))
    stays = documents > least
    return often[stays], documents[stays]


COUNTS = ("boilerplate_documents", "boilerplate_paragraphs", "boilerplate_left")
"""What is counted of documents: those that lost paragraphs, how many, and those that stay whole."""
_MOST_BYTES = 8 * SHOWN
"""Bytes of a paragraph that are looked at to show its beginning."""
_NOTHING = np.empty(0, np.uint8), np.zeros(1, np.int64), np.empty(0, np.int64)


class ComparedTexts(NamedTuple):
    """Texts without boilerplate; ``rows`` are the paragraphs found that are such.

    ``which`` of the frequent paragraphs each is, and whether it ``goes``.
    """

    texts: pa.Array
    counts: dict[str, int]
    found: KeyedParagraphs
    rows: Ints
    which: Ints
    goes: NDArray[np.bool_]


class BoilerplateCutter:
    """What is left out of texts."""

    def __init__(self, paragraphs: FrequentParagraphs) -> None:
        self.paragraphs = paragraphs

    def __len__(self) -> int:
        return len(self.paragraphs.keys)

    def trimmed(self, texts: pa.Array) -> ComparedTexts:
        """Texts without these paragraphs, except those that consist of them."""
        found = KeyedParagraphs.of(texts, 1)
        rows, which = self._among(found)
        document, counts = found.document[rows], np.diff(found.offsets)
        frequent = np.bincount(document, minlength=len(counts))
        stays_whole = (frequent == counts) & (counts > 0)
        goes = ~stays_whole[document]
        counted = (frequent > 0) & ~stays_whole
        tally = (int(counted.sum()), int(goes.sum()), int(stays_whole.sum()))
        if goes.any():
            texts = _without(texts, found, rows[goes], document[goes])
        return ComparedTexts(texts, dict(zip(COUNTS, tally, strict=True)), found, rows, which, goes)

    def without(self, text: str) -> str:
        """One text without these paragraphs."""
        return str(self.trimmed(pa.array([text], pa.large_string())).texts[0].as_py())

    def _among(self, found: KeyedParagraphs) -> tuple[Ints, Ints]:
        """The rows of paragraphs that are among these, and which of these each is."""
        if not len(self):
            return np.empty(0, np.int64), np.empty(0, np.int64)
        keys = self.paragraphs.keys
        place = np.minimum(np.searchsorted(keys, found.keys), len(keys) - 1)
        rows = np.flatnonzero(keys[place] == found.keys)
        return rows, place[rows]

    @classmethod
    def of_table(cls, table: pa.Table | None) -> BoilerplateCutter:
        """That of a table that `BoilerplateTally.table` has made; none without one."""
        if table is None:
            return cls(FrequentParagraphs(np.empty(0, np.uint64), np.empty(0, np.int64), 0))
        keys = numbers(table["key"]).astype(np.uint64)
        order = np.argsort(keys)
        documents = numbers(table["documents"]).astype(np.int64)
        return cls(FrequentParagraphs(keys[order], documents[order], 0))


def _without(texts: pa.Array, found: KeyedParagraphs, rows: Ints, document: Ints) -> pa.Array:
    """The texts without the paragraphs of these rows."""
    begins, ends = found.begins[rows], found.ends[rows]
    sizes = np.diff(found.texts) - np.bincount(
        document, ends - begins, minlength=len(found.texts) - 1
    ).astype(np.int64)
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
    room = np.empty(int(offsets[-1]), np.uint8)
    # what stays lies between the texts' own bounds and those of what goes
    _kernels.spliced(
        found.data,
        np.sort(np.concatenate([found.texts[:-1], ends])),
        np.sort(np.concatenate([begins, found.texts[1:]])),
        *_NOTHING,
        room,
    )
    new = pa.LargeStringArray.from_buffers(len(sizes), pa.py_buffer(offsets), pa.py_buffer(room))
    if texts.null_count:
        new = pc.if_else(pc.is_valid(texts), new, pa.scalar(None, pa.large_string()))
    return new


def _characters(found: KeyedParagraphs, rows: Ints) -> Ints:
    """How many characters the paragraphs of these rows have."""
    begins, ends = found.begins[rows], found.ends[rows]
    stops = np.cumsum(ends - begins)
    room = np.empty(int(stops[-1]) if len(rows) else 0, np.uint8)
    _kernels.spliced(found.data, begins, ends, *_NOTHING, room)
    before = np.concatenate([np.zeros(1, np.int64), np.cumsum((room & 0xC0) != 0x80)])
    counts: Ints = np.diff(before[np.concatenate([np.zeros(1, np.int64), stops])])
    return counts


class BoilerplateTally:
    """What was left out, for the reader of a report; texts come in reading order."""

    def __init__(self, boilerplate: BoilerplateCutter) -> None:
        self._paragraphs = boilerplate.paragraphs
        self._characters = np.zeros(len(boilerplate), np.int64)
        self._shown: dict[int, str] = {}

    def add(self, trimmed: ComparedTexts) -> None:
        """Count what was left out of some texts; a paragraph is shown as it stands first."""
        found, rows, which = trimmed.found, trimmed.rows, trimmed.which
        goes = trimmed.goes
        np.add.at(self._characters, which[goes], _characters(found, rows[goes]))
        for number, first in zip(*np.unique(which, return_index=True), strict=True):
            if int(number) not in self._shown:
                row = rows[first]
                end = min(found.ends[row], found.begins[row] + _MOST_BYTES)
                words = found.data[found.begins[row] : end].tobytes().decode("utf-8", "ignore")
                self._shown[int(number)] = " ".join(words.split())[:SHOWN]

    def table(self) -> pa.Table | None:
        """``paragraph``, ``documents``, ``share``, ``characters``, ``key``: most frequent first."""
        keys, documents, total = self._paragraphs
        if not len(keys):
            return None
        shown = [self._shown[number] for number in range(len(keys))]
        order = sorted(range(len(keys)), key=lambda n: (-documents[n], shown[n], keys[n]))
        return pa.table(
            {
                "paragraph": text([shown[number] for number in order]),
                "documents": column(documents[order].astype(np.int64)),
                "share": column(documents[order] / total),
                "characters": column(self._characters[order]),
                "key": column(keys[order].astype(np.int64)),
            }
        )
