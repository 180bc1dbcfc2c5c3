"""What a comparison of units has found, and the folder that it is saved in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset.lazy_dataclass import dataclass
from twinset.model import Documents, Floats, Ints
from twinset.model.columns import column
from twinset.passages.noting import ReadDocuments
from twinset.passages.numbering import Occurrences, in_groups
from twinset.passages.page import units_headline, units_page
from twinset.passages.removing import cleaned_texts
from twinset.passages.report import (
    Cut,
    documents_table,
    manifest_of,
    stretches_table,
    write_report,
)
from twinset.passages.stretches import Stretches, united
from twinset.plan import Plan
from twinset.reading import Inputs
from twinset.system.remote import Place


class Units(NamedTuple):
    """Units in reading order: where each stands, how many words it has, and what it is the same as.

    ``same_as`` is the number of the unit that stays in its place, its own where it stays itself.
    """

    document: Ints
    start: Ints
    end: Ints
    words: Ints
    same_as: Ints
    score: Floats

    @property
    def goes(self) -> NDArray[np.bool_]:
        """Which of them are the same as another."""
        goes: NDArray[np.bool_] = self.same_as != np.arange(len(self.same_as))
        return goes


@dataclass(frozen=True)
class UnitFindings:
    """The result of `find` and `dedup` with a level: ``units`` and ``documents`` as Arrow tables.

    ``units`` has a row for every unit: ``unit`` (its number), ``id`` (of its document), ``start``
    and ``end`` (characters of the text as it is stored), ``same_as`` (the number of the unit that
    stays in its place, null where it stays itself) and their ``score``. ``documents`` has a row for
    every document, with its ``characters`` and how many of these are ``repeated``: of units that
    stand elsewhere, too, the first of them included.
    """

    units: pa.Table
    documents: pa.Table
    manifest: dict[str, Any]
    rows: Occurrences = field(repr=False)
    dropped: Stretches = field(repr=False)
    read: ReadDocuments = field(repr=False)
    source: Any = field(repr=False)
    dedup: bool = False
    saved: dict[str, Any] = field(repr=False, default_factory=dict)

    @classmethod
    def of(
        cls,
        documents: Documents,
        read: ReadDocuments,
        units: Units,
        plan: Plan,
        timings: Mapping[str, float],
        threads: int,
        *,
        dedup: bool,
    ) -> UnitFindings:
        """The tables and the manifest of the units."""
        goes, rows = units.goes, _occurrences(units)
        table = pa.table(
            {
                "unit": column(np.arange(len(goes))),
                "id": read.ids.take(column(units.document)),
                "start": column(units.start),
                "end": column(units.end),
                "same_as": column(units.same_as, missing=~goes),
                "score": column(units.score, missing=~goes),
            }
        )
        dropped = united(units.document[goes], units.start[goes], units.end[goes], read.characters)
        covered = united(rows.document, rows.start, rows.end, read.characters)
        characters = covered.characters(len(read))
        own = characters[~np.asarray(read.reference)]
        totals = {
            "units": len(goes),
            "repeated_units": rows.spans,
            "places": len(rows.span),
            "same_as_others": int(np.count_nonzero(goes)),
            "documents_with_repeats": int(np.count_nonzero(own)),
            "repeated_characters": int(own.sum()),
            "dropped_characters": int(dropped.characters(len(read)).sum()),
        }
        command = {"command": "dedup" if dedup else "find", "plan": plan.as_dict()}
        manifest = manifest_of(command, documents, read, totals, timings, threads)
        about = documents_table(read, characters)
        return cls(table, about, manifest, rows, dropped, read, documents, dedup)

    def removed(self) -> pa.Table:
        """What goes in a `dedup`: ``id``, ``start`` and ``end``; what touches is one."""
        return stretches_table(self.read, self.dropped)

    def cleaned(self) -> pa.Table:
        """``id`` and ``text`` of the documents without what goes in a `dedup`, read again."""
        return cleaned_texts(self.source, self.read, self.dropped)

    def save(self, folder: str | Place, force: bool = False, language: str = "en") -> Place:
        """Write the report folder, whole or not at all; ``force`` replaces an older one.

        After `dedup` of files it also holds the documents without the units that are the same as
        others: every other byte stays as it is. ``removed.parquet`` has what is missing there.
        """
        is_cut = self.dedup and isinstance(self.source, Inputs)  # else `cleaned` has the texts
        target, saved = write_report(
            folder,
            force,
            language,
            self.manifest,
            {"units": self.units, "documents": self.documents},
            lambda manifest: units_page(manifest, self.rows, self.read.ids, self.source, language),
            self.source,
            self.read.ids,
            Cut(self.dropped, "all but those that stay") if is_cut else None,
        )
        self.saved.update(saved)
        return target

    def __repr__(self) -> str:
        return f"<twinset: {units_headline(self.manifest)}>"


def _occurrences(units: Units) -> Occurrences:
    """The places of units that stand in several, those of one together, in reading order."""
    rows, span = in_groups(units.same_as, units.goes)
    return Occurrences(
        span, *(column[rows] for column in (units.document, units.start, units.end, units.words))
    )
