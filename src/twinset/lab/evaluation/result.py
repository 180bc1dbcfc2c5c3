"""The result of an evaluation: numbers, each with its definition, and the pairs behind them."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from twinset._version import VERSION
from twinset.lab.evaluation.measures import ClusterScores, PairAgreement, best_of
from twinset.lab.evaluation.operations import OperationRecall
from twinset.lab.evaluation.sides import DocumentIds, NumberedPairs
from twinset.model.columns import column
from twinset.model.spreadsheet import cells
from twinset.pages.language import ensure_known, number, speaker
from twinset.report import staged
from twinset.system.remote import Place, place_of

NUMBERS = ("reference", "found", "only_in_reference", "only_in_found", "common")
COMPARATOR = "comparator.txt"
MEASURES = ("precision", "recall", "f1")
FIGURES = (*NUMBERS, *MEASURES, "b3_precision", "b3_recall", "b3_f1", "adjusted_rand")
"""``pages/sentences/*/evaluation.toml`` has their names and definitions."""


@dataclass(frozen=True)
class Evaluation:
    """How found pairs and clusters agree with the truth; `rows` defines each number."""

    reference: int
    """Pairs of the truth."""
    found: int
    """Pairs found."""
    only_in_reference: int
    """Pairs of the truth that were not found."""
    only_in_found: int
    """Pairs found that are not in the truth."""
    common: int
    """Pairs found that are in the truth."""
    precision: float
    """common / found; 1 where nothing was found."""
    recall: float
    """common / reference; 1 where there was nothing to find."""
    f1: float
    """The harmonic mean of precision and recall."""
    b3_precision: float
    """Mean over documents: the share of its found cluster that is in its true cluster."""
    b3_recall: float
    """Mean over documents: the share of its true cluster that is in its found cluster."""
    b3_f1: float
    """The harmonic mean of B³ precision and B³ recall."""
    adjusted_rand: float
    """Agreement of both clusterings over all pairs: 1 if equal, 0 by chance."""
    documents: int
    """Documents whose clusters were compared."""
    notes: tuple[str, ...] = ()
    """What a reader has to know about the lists and how they were counted."""
    curve: pa.Table | None = field(default=None, repr=False)
    """Precision and recall over the threshold, where the found pairs have scores."""
    operations: tuple[OperationRecall, ...] = field(default=(), repr=False)
    """Recall by operation, where there is the log of a generated collection."""
    _agreement: PairAgreement | None = field(default=None, repr=False)
    _ids: DocumentIds | None = field(default=None, repr=False)

    @classmethod
    def of(
        cls, pairs: PairAgreement, clusters: ClusterScores, ids: DocumentIds, **more: Any
    ) -> Evaluation:
        """From the pairs and the scores of clusters; ``more`` are further fields."""
        return cls(
            **{name: getattr(pairs.numbers, name) for name in (*NUMBERS, *MEASURES)},
            **dataclasses.asdict(clusters),
            curve=pairs.curve(),
            _agreement=pairs,
            _ids=ids,
            **more,
        )

    @property
    def best(self) -> tuple[float, float] | None:
        """The threshold with the highest F1 of the curve, and that F1; None without a curve."""
        return None if self.curve is None else best_of(self.curve)

    def as_dict(self) -> dict[str, Any]:
        """The numbers and measures, flat; best F1, notes and operations where there are any."""
        flat: dict[str, Any] = {name: getattr(self, name) for name in (*FIGURES, "documents")}
        if self.best is not None:
            flat["best_threshold"], flat["best_f1"] = self.best
        if self.notes:
            flat["notes"] = list(self.notes)
        if self.operations:
            flat["operations"] = [row.as_dict() for row in self.operations]
        return flat

    def rows(self, language: str = "en") -> list[tuple[str, str, str]]:
        """Name, value and definition of each number, as text."""
        say = speaker(language, "evaluation")
        return [
            (say(f"name_{name}"), shown(getattr(self, name), language), say(name))
            for name in FIGURES
        ]

    def comparator_log(self, language: str = "en") -> str:
        """The five numbers as five lines of text, in the order of the papers' program Comparator.

        Pairs of the truth, pairs found, those of the one alone, those of the other alone, common.
        """
        say = speaker(language, "evaluation")
        return "".join(f"{say(f'name_{name}')}: {getattr(self, name)}\n" for name in NUMBERS)

    def missed(self) -> Iterator[tuple[str, str]]:
        """The pairs of the truth that were not found, one at a time."""
        return self._pairs("only_in_reference")

    def extra(self) -> Iterator[tuple[str, str]]:
        """The pairs found that are not in the truth, one at a time."""
        return self._pairs("only_in_found")

    def save(
        self,
        folder: str | Place,
        force: bool = False,
        max_pairs: int = 10_000_000,
        language: str = "en",
    ) -> Place:
        """Write a folder: numbers, two CSV files of unique pairs, the curve, a page.

        ``comparator.txt`` has the five lines of `comparator_log`. A CSV file ends after
        ``max_pairs`` pairs; the numbers say how many there are.
        """
        from twinset.lab.evaluation.page import curve_picture, page

        ensure_known(language)
        with staged(folder, force) as place:
            for name in ("only_in_reference", "only_in_found"):
                _write_csv(place / f"{name}.csv", self._tables(name), max_pairs)
            if self.curve is not None:
                _write_csv(place / "curve.csv", [self.curve], max_pairs)
                _write(place / "precision-recall.svg", curve_picture(self.curve, language))
            _write(place / COMPARATOR, self.comparator_log(language))
            _write(place / "evaluation.html", page(self, language))
            _write(place / "manifest.json", json.dumps(self._manifest(), indent=1))
        return place_of(folder)

    def _repr_html_(self) -> str:
        from twinset.lab.evaluation.page import fragment

        return fragment(self)

    def _manifest(self) -> dict[str, Any]:
        return {"twinset": VERSION, "evaluation": self.as_dict()}

    def _pairs(self, name: str) -> Iterator[tuple[str, str]]:
        for table in self._tables(name):
            yield from zip(table["left"].to_pylist(), table["right"].to_pylist(), strict=True)

    def _tables(self, name: str) -> Iterator[pa.Table]:
        """The unique pairs of one side with their ids, an empty table first, then chunks."""
        if self._agreement is None or self._ids is None:
            return
        if name == "only_in_reference":
            side, chunks, value = self._agreement.reference, self._agreement.missed(), "grade"
        else:
            side, chunks, value = self._agreement.found, self._agreement.extra(), "score"
        fields = [("left", pa.large_string()), ("right", pa.large_string())]
        if side.listing is not None and side.listing.value is not None:
            fields.append((value, pa.float64()))
        schema = pa.schema(fields)
        yield schema.empty_table()
        for pairs in chunks:
            yield _with_ids(pairs, self._ids, schema)


def _with_ids(pairs: NumberedPairs, ids: DocumentIds, schema: pa.Schema) -> pa.Table:
    columns = [ids.names.take(column(side)) for side in (pairs.left, pairs.right)]
    if len(schema) > 2:
        nulls = pa.nulls(len(pairs), pa.float64())
        columns.append(nulls if pairs.value is None else column(pairs.value))
    return pa.table(columns, schema=schema)


def _write_csv(path: Path, tables: Iterable[pa.Table], most: int) -> None:
    from pyarrow import csv

    tables = iter(tables)
    first = next(tables, None)
    if first is None:
        return
    with csv.CSVWriter(path, first.schema) as writer:
        writer.write_table(first)
        for table in tables:
            writer.write_table(cells(table.slice(0, most)))
            most -= min(most, table.num_rows)
            if not most:
                break


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")


def shown(value: float, language: str = "en") -> str:
    """A count with its thousands separated, a share with four places."""
    # Adding zero turns -0.0 into 0.0.
    return (
        number(language, value)
        if isinstance(value, int)
        else number(language, round(value, 4) + 0.0, 4)
    )
