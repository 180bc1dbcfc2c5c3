"""Boilerplate: paragraphs that stand in many documents, such as disclaimers, footers and licences.

They are left out of the texts that are compared. A document of nothing else stays whole: it is
compared as it is, and equal ones are found. Two paragraphs are the same if they have the same words
in the same order, as ``--level paragraph`` compares them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset import _kernels
from twinset.model import Ints
from twinset.model import compute as pc
from twinset.model.columns import column, numbers, text
from twinset.text.page_lines import SHOWN
from twinset.text.paragraph_counts import FrequentParagraphs, KeyedParagraphs

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

    def trimmed(self, texts: pa.Array, paragraphs: pa.Array | None = None) -> ComparedTexts:
        """Texts without these paragraphs, except those that consist of them.

        ``paragraphs`` are those of the texts as `KeyedParagraphs.column` has them, where that is
        known: to cut texts takes longer than to read what was cut.
        """
        if paragraphs is None:
            found = KeyedParagraphs.of(texts, 1)
        else:
            found = KeyedParagraphs.of_column(texts, paragraphs)
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
