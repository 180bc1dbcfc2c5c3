"""Collection statistics: in how many documents a word occurs (df) and how often in all (cf).

One pass over a collection makes them; a Parquet file keeps them, so that another collection can be
judged by the same ones. A word that the statistics do not know counts as seen once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa

from twinset import _kernels
from twinset.errors import MissingFileError, TwinsetError
from twinset.model import Features, Floats, Ints
from twinset.model.columns import column, numbers
from twinset.plan import Unit
from twinset.system.bounded import LIST_BYTES, open_for_arrow
from twinset.text.arrow import Texts
from twinset.text.stopwords import hashes_of
from twinset.text.terms import Frequencies, TermCounts, runs
from twinset.text.tokens import Cleaning


@dataclass(frozen=True)
class Statistics:
    """Counts of all words, sorted by hash; ``documents`` is N, ``length`` the words in all.

    ``thresholds`` belongs to descriptive words alone: NaN where a word is none. ``wording`` names
    the forms and synonyms that words were counted in. Where ``words`` are missing, df alone was
    counted, of the terms that ``terms`` names: `named_terms`.
    """

    hashes: Features
    df: Ints
    cf: Ints
    words: pa.Array
    documents: int
    length: int
    cleaning: Cleaning
    thresholds: Floats | None = None
    wording: str = ""
    terms: str = ""

    @property
    def average_length(self) -> float:
        """dl_avg: words of the mean document that has any."""
        return self.length / self.documents if self.documents else 1.0

    @cached_property
    def frequencies(self) -> Frequencies:
        """df alone, as every kind of term has it."""
        return Frequencies(self.hashes, self.df, self.documents)

    def counts(self, hashes: Features, threads: int = 1) -> tuple[Ints, Ints]:
        """df and cf of these words."""
        if not len(self.hashes):
            ones = np.ones(len(hashes), np.int64)
            return ones, ones
        rows = self.frequencies.places(hashes, threads)
        known = rows >= 0
        return np.where(known, self.df[rows], 1), np.where(known, self.cf[rows], 1)

    @cached_property
    def mixed(self) -> Statistics:
        """df by hashes mixed once more: as `runs` does, even of single words, and `sorted_set`."""
        every = np.arange(len(self.hashes) + 1)
        hashes, _ = _kernels.unit_shingles(self.hashes, every, 1, False, False, 1)
        order = np.argsort(hashes)
        df = self.df[order]
        return replace(self, hashes=hashes[order], df=df, cf=df, words=self.words[:0])

    def of_terms(self) -> Statistics:
        """df by the hashes that `runs` gives."""
        return self if self.terms else self.mixed

    def table(self) -> pa.Table:
        """The words with their counts; what is known of the whole is in the metadata."""
        is_named = len(self.words) == len(self.hashes)
        term = {"word": self.words} if is_named else {"hash": column(self.hashes)}
        columns = {**term, "df": column(self.df), "cf": column(self.cf)}
        if self.thresholds is not None:
            columns["threshold"] = column(self.thresholds, np.isnan(self.thresholds))
        about = {
            "documents": self.documents,
            "length": self.length,
            "stop": self.cleaning.stop,
            "letters": self.cleaning.letters,
            **({"wording": self.wording} if self.wording else {}),
            **({"terms": self.terms} if self.terms else {}),
        }
        return pa.table(columns).replace_schema_metadata(
            {f"twinset.{key}": str(value) for key, value in about.items()}
        )

    @classmethod
    def read(cls, path: str | Path, within: Sequence[str] = ()) -> Statistics:
        """From a file that a report holds; it must lie in a folder of ``within``, if any."""
        import pyarrow.parquet as pq

        try:
            with open_for_arrow(path, within, LIST_BYTES) as file:
                return cls.of_table(pq.read_table(file))
        except FileNotFoundError:
            remedy = "give the statistics.parquet of a report"
            raise MissingFileError(path, remedy=remedy, bounded=bool(within)) from None
        except (OSError, KeyError, ValueError, pa.ArrowException) as fault:
            reason = getattr(fault, "strerror", None) or fault
            raise TwinsetError(
                f"cannot read statistics from {path}: {reason}; "
                "give the statistics.parquet of a report"
            ) from None

    @classmethod
    def of_table(cls, table: pa.Table) -> Statistics:
        """From what `table` gave."""
        about = {k.decode(): v.decode() for k, v in (table.schema.metadata or {}).items()}
        cleaning = Cleaning(about["twinset.stop"], int(about["twinset.letters"]))
        if "hash" in table.column_names:
            words, hashes = pa.array([], pa.large_string()), numbers(table["hash"])
        else:
            words = table["word"].combine_chunks().cast(pa.large_string())
            hashes = hashes_of(words.to_pylist()) if len(words) else np.empty(0, np.uint64)
        order = np.argsort(hashes)
        thresholds = None
        if "threshold" in table.column_names:
            thresholds = numbers(table["threshold"])[order]
        return cls(
            hashes[order],
            numbers(table["df"])[order].astype(np.int64),
            numbers(table["cf"])[order].astype(np.int64),
            words.take(column(order)) if len(words) else words,
            int(about["twinset.documents"]),
            int(about["twinset.length"]),
            cleaning,
            thresholds,
            about.get("twinset.wording", ""),
            about.get("twinset.terms", ""),
        )


class WordSurvey:
    """Makes statistics of the documents that pass by."""

    def __init__(self, cleaning: Cleaning, threads: int) -> None:
        self.cleaning, self.threads = cleaning, threads
        self._counts = _kernels.WordCounts()
        self._documents = self._length = 0

    def add(self, texts: Texts) -> None:
        """Count the words of a batch."""
        tokens = self.cleaning.tokens(texts, self.threads)
        words = tokens.distinct()
        items = words.items
        self._counts.add(
            items.bytes, items.starts, items.stops, words.hashes, words.tf, self.threads
        )
        self._documents += int((tokens.lengths > 0).sum())
        self._length += len(tokens.hashes)

    def finish(self) -> Statistics:
        """The counts of all batches."""
        hashes, df, cf, data, offsets = self._counts.all()
        words = pa.LargeStringArray.from_buffers(
            len(hashes), pa.py_buffer(offsets), pa.py_buffer(data)
        )
        return Statistics(hashes, df, cf, words, self._documents, self._length, self.cleaning)


def named_terms(length: int, unit: Unit) -> str:
    """What runs of units are called that terms are made of; words alone need no name."""
    return "" if (length, unit) == (1, "word") else f"{length} {unit}"


class RunSurvey:
    """Counts the documents of each term that more than one has: others count as seen once."""

    def __init__(self, cleaning: Cleaning, length: int, unit: Unit, threads: int) -> None:
        self.cleaning, self.length, self.unit, self.threads = cleaning, length, unit, threads
        self._table = _kernels.TermTable()
        self._documents = 0

    def add(self, texts: Texts) -> None:
        """Count the terms of a batch."""
        by_sentence = self.unit == "sentence"
        tokens = self.cleaning.tokens(texts, self.threads, sentences=by_sentence)
        words = named_terms(self.length, self.unit) == ""
        listed = tokens.words if words else runs(tokens, self.length, self.unit)
        terms = TermCounts.of(listed, self.threads).terms
        self._table.add(np.ascontiguousarray(terms.flat), self.threads)
        self._documents += int((terms.lengths > 0).sum())

    def finish(self) -> Statistics:
        """The counts of all batches."""
        hashes, df = self._table.all()
        order = np.argsort(hashes)
        order = order[df[order] > 1]
        hashes, counts = hashes[order], df[order].astype(np.int64)
        words, terms = pa.array([], pa.large_string()), named_terms(self.length, self.unit)
        about = self._documents, 0, self.cleaning, None, "", terms
        return Statistics(hashes, counts, counts, words, *about)
