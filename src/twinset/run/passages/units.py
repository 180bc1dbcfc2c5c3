"""Units of documents compared with those of others: each is a document of its own for the search.

What stands for them inside is their number in reading order; who finds pairs, and which of the
units stays, is decided as it is for documents. A unit is the same as the one that stays in its
place, if that stands in another document, or anywhere where units of one document are compared.
Taking some units out of a text leaves the others as they are.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, NoReturn

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset import _kernels
from twinset.model import Batch, Documents, Floats, Ints
from twinset.model import compute as pc
from twinset.model.columns import column
from twinset.plan import Plan, Resources
from twinset.plan.spec import option
from twinset.reading import Inputs
from twinset.run.columns import NumberColumn
from twinset.run.documents import preferred, staying, traits_of
from twinset.run.local import Stages
from twinset.run.manifest import masked_in
from twinset.run.passages.report import (
    Repeats,
    cleaned_texts,
    documents_table,
    manifest_of,
    units_said,
)
from twinset.run.passages.searching import Occurrences, ReadDocuments, ReadingLog, Stretches, united
from twinset.run.progress import Progress, Silent
from twinset.run.removing import remove
from twinset.system.remote import Place
from twinset.text.arrow import arrow_text


class UnitTexts(NamedTuple):
    """The units of some texts: so many of each text, and the characters that they take there.

    The texts of units are without the blanks around them, which ``start`` and ``end`` include.
    """

    texts: pa.Array
    counts: Ints
    start: Ints
    end: Ints


@dataclass(frozen=True, slots=True)
class WholeDocument:
    """Documents as they are."""

    splits: ClassVar[bool] = False


@dataclass(frozen=True, slots=True)
class UnitLevel:
    """Units inside documents."""

    splits: ClassVar[bool] = True
    number: ClassVar[int]
    inside: bool = option(False, "Compare the units of each document with each other, too.")

    def split(self, texts: pa.Array, threads: int = 1) -> UnitTexts:
        """The units of each text that have a word."""
        size = getattr(self, "size", 1)
        data, ends, places, offsets = _kernels.split_texts(
            *arrow_text(texts), self.number, size, threads
        )
        count = len(ends) - 1
        buffers = [None, pa.py_buffer(ends), pa.py_buffer(data)]
        units = pa.Array.from_buffers(pa.large_string(), count, buffers)
        return UnitTexts(units, offsets[1:] - offsets[:-1], places[:count], places[count:])


@dataclass(frozen=True, slots=True)
class LineLevel(UnitLevel):
    """Lines that hold a word, with their line ends."""

    number: ClassVar[int] = 0


@dataclass(frozen=True, slots=True)
class ParagraphLevel(UnitLevel):
    """Paragraphs, which end at blank lines, with these."""

    number: ClassVar[int] = 1


@dataclass(frozen=True, slots=True)
class SentenceLevel(UnitLevel):
    """Sentences, with the blanks behind them."""

    number: ClassVar[int] = 2


@dataclass(frozen=True, slots=True)
class WindowLevel(UnitLevel):
    """Windows of as many words each, one after another, the last of a document shorter."""

    number: ClassVar[int] = 3
    size: int = option(
        100, "Number of words in a window.", metavar="N", least=1, most=1_000_000, first=True
    )


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


@dataclass(frozen=True, repr=False, kw_only=True)
class UnitFindings(Repeats):
    """The result of `find` and `dedup` with a level: ``units`` and ``documents`` as Arrow tables.

    ``units`` has a row for every unit: ``unit`` (its number), ``id`` (of its document), ``start``
    and ``end`` (characters of the text as it is stored), ``same_as`` (the number of the unit that
    stays in its place, null where it stays itself) and their ``score``. ``documents`` has a row for
    every document, with its ``characters`` and how many of these are ``repeated``: of units that
    stand elsewhere, too, the first of them included.
    """

    WEIGHT = "characters"
    units: pa.Table
    dropped: Stretches
    dedup: bool = False

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
        before = np.bincount(units.document, minlength=len(read))
        left = np.bincount(units.document[~goes], minlength=len(read))
        totals = {
            "units": len(goes),
            "repeated_units": rows.spans,
            "places": len(rows.span),
            "same_as_others": int(np.count_nonzero(goes)),
            "emptied_documents": int(np.count_nonzero((before > 0) & (left == 0))),
            "documents_with_repeats": int(np.count_nonzero(own)),
            "repeated_characters": int(own.sum()),
            "dropped_characters": int(dropped.characters(len(read)).sum()),
        }
        command = {"command": "dedup" if dedup else "find", "plan": plan.as_dict()}
        command |= masked_in(plan, read.read_counts)
        return cls(
            units=table,
            documents=documents_table(read, characters),
            manifest=manifest_of(command, documents, read, totals, timings, threads),
            rows=rows,
            dropped=dropped,
            read=read,
            source=documents,
            dedup=dedup,
        )

    @property
    def kept(self) -> NoReturn:
        """There is none: with a level no document goes as a whole."""
        raise AttributeError("with a level parts of documents go: call cleaned() for what is left")

    @property
    def tables(self) -> dict[str, pa.Table]:
        """Those of the folder."""
        return {"units": self.units, "documents": self.documents}

    def said(self, language: str = "en") -> list[str]:
        """What was found."""
        return units_said(self.manifest, language)

    def removed(self) -> pa.Table:
        """What goes in a `dedup`: ``id``, ``start`` and ``end``; what touches is one."""
        return self._table(self.dropped)

    def cleaned(self) -> pa.Table:
        """``id`` and ``text`` of the documents without what goes in a `dedup`, read again."""
        return cleaned_texts(self.source, self.read, self.dropped)

    def save(self, folder: str | Place, force: bool = False, language: str = "en") -> Place:
        """Write the report folder, whole or not at all; ``force`` replaces an older one.

        After `dedup` of files it also holds the documents without the units that are the same as
        others: every other byte stays as it is. ``removed.parquet`` has what is missing there.
        """
        is_cut = self.dedup and isinstance(self.source, Inputs)  # else `cleaned` has the texts
        also = self._without(self.dropped, "all but those that stay") if is_cut else None
        return self._write(folder, force, language, also)


def _occurrences(units: Units) -> Occurrences:
    """The places of units that stand in several, those of one together, in reading order."""
    goes, same_as = units.goes, units.same_as
    chosen = goes.copy()
    chosen[same_as[goes]] = True
    rows = np.flatnonzero(chosen)
    group = same_as[rows]
    first = np.full(len(goes), len(goes))
    np.minimum.at(first, group, rows)
    rows = rows[np.lexsort((rows, first[group]))]
    _, span = np.unique(first[same_as[rows]], return_inverse=True)
    return Occurrences(
        span, *(column[rows] for column in (units.document, units.start, units.end, units.words))
    )


DIGITS = 12
"""Those of the name of a unit: names sort as their units stand."""


class UnitDocuments:
    """Documents as a stream of their units."""

    def __init__(self, documents: Documents, level: UnitLevel, threads: int) -> None:
        self.documents, self.level, self.threads = documents, level, threads
        self.total_bytes = documents.total_bytes
        self._begin()

    @property
    def bytes_read(self) -> int:
        """Bytes taken from the files in this pass."""
        return int(getattr(self.documents, "bytes_read", 0))

    @property
    def now_reading(self) -> str:
        """The name of the file that is being read."""
        return str(getattr(self.documents, "now_reading", ""))

    def _begin(self) -> None:
        self._columns = ReadingLog()
        self._counts, self._start, self._end = NumberColumn(), NumberColumn(), NumberColumn()

    def batches(self) -> Iterator[Batch]:
        """The units from the beginning."""
        self._begin()
        count = 0
        for batch in self.documents.batches():
            self._columns.take(batch)
            units = self.level.split(batch.texts, self.threads)
            self._counts.append(units.counts)
            self._start.append(units.start)
            self._end.append(units.end)
            if not len(units.texts):
                continue
            number = np.arange(count, count + len(units.texts))
            count += len(number)
            yield Batch(
                pc.utf8_lpad(column(number).cast(pa.string()), DIGITS, "0"),
                units.texts,
                batch.source,
                number + 1,
                None if batch.order is None else np.repeat(batch.order, units.counts),
                is_reference=batch.is_reference,
            )

    def finish(self) -> tuple[ReadDocuments, Ints, Ints, Ints]:
        """After a pass: the documents, and of each unit its document, start and end."""
        read = self._columns.read(self.threads)
        document = np.repeat(np.arange(len(read)), self._counts.finish())
        start, end = self._start.finish(), self._end.finish()
        return read, document, start.astype(np.int64), end.astype(np.int64)


def find_units(
    documents: Documents,
    plan: Plan,
    *,
    dedup: bool = False,
    resources: Resources | None = None,
    progress: Progress | None = None,
) -> UnitFindings:
    """The units of documents that stand elsewhere, too; saving a ``dedup`` drops them."""
    resources, progress = resources or Resources.make(), progress or Silent()
    split = UnitDocuments(documents, plan.level, resources.threads)
    plan_of_units = dataclasses.replace(plan, level=None)
    stages = Stages(split, plan_of_units, False, resources, progress, head=0)
    searched = stages.read()
    collected = searched.collected
    plan = dataclasses.replace(stages.plan, level=plan.level)
    read, document, start, end = split.finish()
    read.read_counts.update(collected.read_counts)
    stays = staying(plan, read.ids, read.sources, read.source) | read.reference
    preference = preferred(stays[document], plan.keep, traits_of(collected), collected.ids)
    compared = stages.compare(searched, preference)
    removal = remove(compared.paired, compared.classes, preference, None)
    same_as = removal.target
    if not plan.level.inside:
        own = document[same_as] == document
        same_as = np.where(own, np.arange(len(same_as)), same_as)
    units = Units(document, start, end, collected.units.astype(np.int64), same_as, removal.score)
    collected.release_features()
    return UnitFindings.of(
        documents, read, units, plan, stages.clock.seconds, resources.threads, dedup=dedup
    )
