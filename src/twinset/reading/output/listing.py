"""A table of what was decided on documents whose files have no room for it: plain files, images."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import IO

from twinset.model import spreadsheet
from twinset.model.outcomes import ADDED, Outcomes
from twinset.reading.output.notes import notes_of
from twinset.reading.output.routes import Route
from twinset.system.remote import Place

NAME = "annotated.csv"


class TableFile:
    """A CSV file with the header of the listing."""

    def __init__(self, file: IO[bytes]) -> None:
        self._text = io.TextIOWrapper(file, encoding="utf-8", errors="replace", newline="")
        self.rows = spreadsheet.Writer(self._text)
        self.rows.writerow(("id", "path", *ADDED))

    def close(self) -> None:
        """Hand the last rows on; the file below stays open."""
        self._text.flush()
        self._text.detach()


class ListedDocuments(Route):
    """One row for each document, of all sources; the file is made for the first of them."""

    def __init__(self, folder: Place) -> None:
        super().__init__(NAME)
        self._place = folder / NAME

    def add(self, ids: Sequence[str], paths: Sequence[str], outcomes: Outcomes) -> None:
        """Rows of documents; the run's own ids count for more than these."""
        if self.sink is None:
            self._open(self._place, None, TableFile)
        if outcomes.id is not None:
            ids = outcomes.id.to_pylist()
        for id, path, note in zip(ids, paths, notes_of(outcomes), strict=True):
            self.sink.rows.writerow((id, path, *note.cells()))
        self.count(len(ids))
