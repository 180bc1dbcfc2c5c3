"""The texts of linked documents on their way to the tasks that compare them: another pass.

Which documents these are is known to every task that reads as long as they are few: then other
texts go no further. Of many, Spark joins the texts of all documents with the numbers of theirs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from twinset.engine.spark.blocks import DOCUMENT, pieces
from twinset.engine.spark.numbering import Blocks
from twinset.engine.spark.records import SparkRecords
from twinset.engine.spark.schemas import one_blob
from twinset.engine.spark.sending import send_array, sent_array
from twinset.engine.spark.tasks import mapped
from twinset.model import compute as pc
from twinset.model.columns import column, flags, numbers

FEW = 1_000_000
"""Linked documents up to which all tasks know them: 33 MB."""
TEXTS = "file int, block bigint, row bigint, text string"
KNOWN = {"number": "i8", "root": "i8", "position": "i8", "times": "i8", "stays": "?"}
"""What is known of a linked document."""
ENTRY = np.dtype([*KNOWN.items()])
LINKED = "number bigint, root bigint, position bigint, times bigint, stays boolean, text string"
"""What a task that compares gets of a document."""

Place = tuple[int, int, int]


def linked_texts(
    records: SparkRecords, blocks: Blocks, linked: Any, count: int, few: int | None = None
) -> Any:
    """The linked documents, of which there are about ``count``, with their texts: `LINKED`."""
    if count <= (FEW if few is None else few):
        known = send_array(_entries(linked), linked.sparkSession)
        return records.through(partial(_linked, known, blocks.firsts), LINKED)
    texts = blocks.numbered(records.through(_texts, TEXTS))
    return texts.select("number", "text").join(linked.select(*KNOWN), "number")


def chosen_texts(records: SparkRecords, places: Mapping[Place, int]) -> dict[int, str]:
    """The texts of a few documents, whose numbers are given by their places."""
    rows = records.through(partial(_picked, frozenset(places)), TEXTS).collect()
    return {places[row[:3]]: row.text for row in rows}


def _entries(linked: Any) -> Any:
    """The linked documents by number, rising."""
    blobs = mapped(linked.select(*KNOWN), _packed, "entries binary").collect()
    entries = np.frombuffer(b"".join(row.entries for row in blobs), ENTRY)
    return entries[np.argsort(entries["number"])]


def _packed(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        entries = np.empty(batch.num_rows, ENTRY)
        for name in KNOWN:
            entries[name] = flags(batch[name]) if name == "stays" else numbers(batch[name])
        yield pa.RecordBatch.from_arrays([one_blob(entries)], ["entries"])


def _linked(
    known: str, firsts: Mapping[tuple[int, int], int], batches: Iterator[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """Of the documents those that are among the known ones, with what is known of them."""
    entries = sent_array(known)
    known_numbers = np.ascontiguousarray(entries["number"])
    for batch in pieces(_texts(batches), ("file", "block")):
        first = firsts[batch["file"][0].as_py(), batch["block"][0].as_py()]
        number = first + numbers(batch["row"])
        place = np.searchsorted(known_numbers, number)
        is_linked = place < len(known_numbers)
        is_linked[is_linked] = known_numbers[place[is_linked]] == number[is_linked]
        these = entries[place[is_linked]]
        yield pa.RecordBatch.from_arrays(
            [
                *(column(np.ascontiguousarray(these[name])) for name in KNOWN),
                batch["text"].filter(column(is_linked)),
            ],
            [*KNOWN, "text"],
        )


def _texts(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Documents alone, and their texts."""
    for batch in batches:
        yield batch.select([*DOCUMENT, "text"]).filter(pc.is_valid(batch["row"]))


def _picked(
    places: frozenset[Place], batches: Iterator[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """The documents in these places alone."""
    for batch in _texts(batches):
        known = zip(*(batch[name].to_pylist() for name in DOCUMENT), strict=True)
        yield batch.filter(pa.array([place in places for place in known], pa.bool_()))
