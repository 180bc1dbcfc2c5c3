"""The first documents as they will be compared, before a run."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from twinset.model import Fault
from twinset.plan import ReadOptions
from twinset.reading.inputs import Inputs, open_inputs
from twinset.reading.source import Source
from twinset.reading.unread import TextField

BATCH = 1 << 18
MOST_BATCHES = 16
"""A source without a readable document is not read to its end."""


@dataclass(frozen=True, slots=True)
class PreviewDocument:
    """A document: its id, where it is from, the beginning of its text, and the whole length."""

    id: str
    source: str
    text: str
    length: int


@dataclass(frozen=True, slots=True)
class Preview:
    """The first documents, the faults met with them, and how much input there is.

    Where no document has any text, ``unread`` says what is wrong and ``fields`` which fields of the
    records hold text.
    """

    documents: list[PreviewDocument]
    faults: list[Fault]
    sources: int
    files: int
    bytes: int
    unread: str | None = None
    fields: tuple[TextField, ...] = ()


def preview(
    inputs: Sequence[str | os.PathLike[str]],
    options: ReadOptions | None = None,
    *,
    documents: int = 5,
    characters: int = 600,
) -> Preview:
    """Read the first documents of each source in turn; the rest of the input is not read."""
    opened = open_inputs(inputs, options, batch_bytes=BATCH, threads=1)
    shown: list[PreviewDocument] = []
    faults: list[Fault] = list(opened.opening_faults)
    # A few of every source, so that a folder beside a file of records is shown as well.
    share = max(1, -(-documents // max(1, len(opened.sources))))
    for source in opened.sources:
        if len(shown) >= documents:
            break
        documents_of_source, faults_of_source = _first(
            opened, source, min(share, documents - len(shown)), characters
        )
        shown += documents_of_source
        faults += faults_of_source
    files = sum(len(source.files) or 1 for source in opened.sources)
    preview = Preview(shown, faults, len(opened.sources), files, opened.total_bytes)
    if any(document.length for document in shown):
        return preview
    return dataclasses.replace(preview, unread=opened.unread(), fields=tuple(opened.fields()))


def _first(
    opened: Inputs, source: Source, count: int, characters: int
) -> tuple[list[PreviewDocument], list[Fault]]:
    shown: list[PreviewDocument] = []
    faults: list[Fault] = []
    for batch in islice(opened.only(source), MOST_BATCHES):
        opened.tally.add(source, batch)
        faults += batch.faults
        for row in range(min(len(batch), count - len(shown))):
            text = batch.texts[row].as_py()
            id = batch.ids[row].as_py() or f"{batch.source}:{batch.places[row]}"
            if text is not None:
                shown.append(PreviewDocument(id, batch.source, text[:characters], len(text)))
        if len(shown) >= count:
            break
    return shown, faults
