"""Files that were compared byte for byte only, or not at all: which they are, and what to do."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from twinset.model import compute as pc
from twinset.model.columns import flags
from twinset.pages.language import say
from twinset.review.cleaning.cleaning import FolderCleaning
from twinset.web.report.cleaning_rows import Wording

LISTED = 200
"""Files of one sort that are listed by name."""
SORTS = ("bytes", "empty")
"""States of documents that are no faults; faults have words of their own."""


@dataclass(frozen=True)
class UnreadSort:
    """Files that were not read for one reason."""

    title: str
    remedy: str
    count: int
    files: list[str]


def unread_count(cleaning: FolderCleaning) -> int:
    """How many files have no text that was compared."""
    status = _status(cleaning)
    return int((flags(pc.not_equal(status, "ok")) & cleaning.files.whole).sum())


def unread_sorts(cleaning: FolderCleaning, words: Wording) -> list[UnreadSort]:
    """Files without text and empty ones."""
    status = _status(cleaning)
    sorts = []
    for name in SORTS:
        marks = flags(pc.equal(status, name)) & cleaning.files.whole
        documents = np.flatnonzero(marks)
        if len(documents):
            first = [cleaning.files.path_of(document) for document in documents[:LISTED].tolist()]
            title, remedy = (
                say(words.language, f"cleaning.unread_{name}{end}") for end in ("", "_do")
            )
            sorts.append(UnreadSort(title, remedy, len(documents), list(map(words.below, first))))
    return sorts


def _status(cleaning: FolderCleaning) -> pa.Array:
    column = cleaning.index.report.columns("documents", ["status"])["status"]
    return column.combine_chunks()
