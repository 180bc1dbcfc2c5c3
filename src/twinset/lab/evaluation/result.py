"""The result of an evaluation: numbers, each with its definition, and the pairs behind them."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from twinset.lab.evaluation.clusterings import ClusterScores
from twinset.lab.evaluation.measures import Contest, FiveNumbers, Rows
from twinset.lab.evaluation.operations import OperationRecall
from twinset.lab.evaluation.sides import Ids
from twinset.model.columns import column
from twinset.model.spreadsheet import cells
from twinset.report import staged

DEFINITIONS = {
    "reference": "pairs of the truth",
    "found": "pairs found",
    "only_in_reference": "pairs of the truth that were not found",
    "only_in_found": "pairs found that are not in the truth",
    "common": "pairs found that are in the truth",
    "precision": "common / found; 1 where nothing was found",
    "recall": "common / reference; 1 where there was nothing to find",
    "f1": "2 · precision · recall / (precision + recall)",
    "b3_precision": "mean over documents: share of its found cluster that is in its true cluster",
    "b3_recall": "mean over documents: share of its true cluster that is in its found cluster",
    "b3_f1": "2 · B³ precision · B³ recall / (B³ precision + B³ recall)",
    "adjusted_rand": "agreement of both clusterings over all pairs: 1 if equal, 0 by chance",
}
TITLES = {
    "f1": "F1",
    "b3_precision": "B³ precision",
    "b3_recall": "B³ recall",
    "b3_f1": "B³ F1",
    "adjusted_rand": "adjusted Rand",
}
UNIQUE = ("only_in_reference", "only_in_found")


@dataclass(frozen=True)
class Evaluation:
    """How found pairs and clusters agree with the truth; `DEFINITIONS` says what each number is.

    ``documents`` is the number of documents whose clusters were compared. ``curve`` has precision
    and recall over the threshold where the found pairs have scores; ``operations`` the recall by
    operation where the log of a generated collection was given.
    """

    reference: int
    found: int
    only_in_reference: int
    only_in_found: int
    common: int
    precision: float
    recall: float
    f1: float
    b3_precision: float
    b3_recall: float
    b3_f1: float
    adjusted_rand: float
    documents: int
    notes: tuple[str, ...] = ()
    curve: pa.Table | None = field(default=None, repr=False)
    operations: tuple[OperationRecall, ...] = field(default=(), repr=False)
    _contest: Contest | None = field(default=None, repr=False)
    _ids: Ids | None = field(default=None, repr=False)

    @classmethod
    def of(
        cls, pairs: FiveNumbers, clusters: ClusterScores, documents: int, **more: Any
    ) -> Evaluation:
        """From the counts of pairs and the scores of clusters."""
        names = ("reference", "found", *UNIQUE, "common", "precision", "recall", "f1")
        return cls(
            **{name: getattr(pairs, name) for name in names},
            **dataclasses.asdict(clusters),
            documents=documents,
            **more,
        )

    def as_dict(self) -> dict[str, Any]:
        """The numbers and measures, flat; notes and operations where there are any."""
        flat: dict[str, Any] = {name: getattr(self, name) for name in (*DEFINITIONS, "documents")}
        if self.notes:
            flat["notes"] = list(self.notes)
        if self.operations:
            flat["operations"] = [one.as_dict() for one in self.operations]
        return flat

    def rows(self) -> list[tuple[str, str, str]]:
        """Name, value and definition of each number, as text."""
        return [
            (TITLES.get(name, name.replace("_", " ")), shown(getattr(self, name)), told)
            for name, told in DEFINITIONS.items()
        ]

    def missed(self) -> Iterator[tuple[str, str]]:
        """The pairs of the truth that were not found, one at a time."""
        return self._pairs("only_in_reference")

    def extra(self) -> Iterator[tuple[str, str]]:
        """The pairs found that are not in the truth, one at a time."""
        return self._pairs("only_in_found")

    def save(self, folder: str | Path, force: bool = False, max_pairs: int = 10_000_000) -> Path:
        """Write a folder: numbers, two CSV files of unique pairs, the curve, a page.

        A CSV file ends after ``max_pairs`` pairs; the numbers tell how many there are.
        """
        from twinset.lab.evaluation.page import curve_picture, page

        with staged(folder, force) as place:
            for name in UNIQUE:
                _write_csv(place / f"{name}.csv", self._tables(name), max_pairs)
            if self.curve is not None:
                _write_csv(place / "curve.csv", [self.curve], max_pairs)
                _write(place / "precision-recall.svg", curve_picture(self.curve, alone=True))
            _write(place / "evaluation.html", page(self))
            _write(place / "manifest.json", json.dumps(self._manifest(), indent=1))
        return Path(folder)

    def _repr_html_(self) -> str:
        from twinset.lab.evaluation.page import fragment

        return fragment(self)

    def _manifest(self) -> dict[str, Any]:
        from importlib.metadata import version

        return {"twinset": version("twinset"), "evaluation": self.as_dict()}

    def _pairs(self, name: str) -> Iterator[tuple[str, str]]:
        for table in self._tables(name):
            yield from zip(table["left"].to_pylist(), table["right"].to_pylist(), strict=True)

    def _tables(self, name: str) -> Iterator[pa.Table]:
        """The unique pairs of one side with their ids, a chunk at a time, an empty one first."""
        contest, ids = self._contest, self._ids
        if contest is None or ids is None:
            return
        side = contest.reference if name == "only_in_reference" else contest.found
        scored = side.listing is not None and side.listing.value is not None
        rows = contest.missed() if name == "only_in_reference" else contest.extra()
        value = "grade" if name == "only_in_reference" else "score"
        fields = [("left", pa.large_string()), ("right", pa.large_string())]
        schema = pa.schema([*fields, *([(value, pa.float64())] if scored else [])])
        yield schema.empty_table()
        for one in rows:
            yield _named(one, ids, schema)


def _named(rows: Rows, ids: Ids, schema: pa.Schema) -> pa.Table:
    left, right, value = rows
    columns = [ids.names.take(column(left)), ids.names.take(column(right))]
    if len(schema) > 2:
        columns.append(column(value) if value is not None else pa.nulls(len(left), pa.float64()))
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


def shown(value: float) -> str:
    """A count with its thousands parted, a share with four places."""
    # Adding nought takes the sign from what rounds to it.
    return f"{value:,}" if isinstance(value, int) else f"{round(value, 4) + 0.0:.4f}"
