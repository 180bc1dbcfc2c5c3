"""The result of an experiment: a table of rows, derived tables, a page, and the folder of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from twinset.lab.evaluation.pair_set import PairSet
from twinset.lab.evaluation.truth import Truth
from twinset.lab.experiment.description import Description
from twinset.lab.experiment.rows import ExperimentRow
from twinset.lab.runs.documents import Collection
from twinset.lab.runs.folder import save_table
from twinset.lab.runs.runner import Outcome
from twinset.model import Ints
from twinset.pages.language import ensure_known
from twinset.system.files import write_file, write_json

TABLE, PAGE, BEST, MANIFEST = "experiment", "experiment.html", "best.toml", "manifest.json"


@dataclass(frozen=True)
class ExperimentResult:
    """The rows of an experiment with what each found and cost.

    Documents have numbers in reading order; those that only the truth names come after them.
    """

    description: Description
    rows: Sequence[ExperimentRow] = field(repr=False)
    table: pa.Table = field(repr=False)
    """One row per row: its options, the five numbers and measures, times, memory, clusters."""
    best: int | None
    """The number of the best row."""
    manifest: Mapping[str, Any] = field(repr=False)
    """Documents, reference, versions, failures, and which rows were not run again."""
    truth: Truth = field(repr=False)
    """The reference: ``truth.side.pairs`` are its pairs."""
    collection: Collection = field(repr=False)
    outcomes: Mapping[int, Outcome] = field(repr=False)
    derived: Mapping[str, pa.Table] = field(default_factory=dict, repr=False)
    """Further tables by name, as the experiment asks for them."""

    @property
    def ids(self) -> pa.Array:
        """The ids of all documents by number."""
        return self.truth.ids.names

    @property
    def finished(self) -> list[ExperimentRow]:
        """The rows that have a result."""
        return [row for row in self.rows if row.number in self.outcomes]

    def pairs(self, row: ExperimentRow) -> PairSet:
        """The pairs that a finished row found."""
        more = len(self.truth.ids) - len(self.collection)
        return self.outcomes[row.number].pairs.extended(more)

    def figures(self, row: ExperimentRow) -> dict[str, Any]:
        """The row of the table."""
        figures: dict[str, Any] = self.table.slice(row.number, 1).to_pylist()[0]
        return figures

    def facts(self, row: ExperimentRow) -> dict[str, Any]:
        """Everything that was kept of a finished run beside its pairs."""
        return self.outcomes[row.number].facts

    def texts(self, numbers: Ints) -> dict[int, str]:
        """The texts of some documents by number, while the experiment runs."""
        return self.collection.texts.texts(numbers)

    @property
    def option_columns(self) -> list[str]:
        """The columns of the swept options in the table."""
        keys = dict.fromkeys(key for row in self.rows for key in row.options)
        columns = self.table.column_names
        return [f"option.{key}" if f"option.{key}" in columns else key for key in keys]

    @property
    def best_plan(self) -> str | None:
        """The plan of the best row as a TOML file, which names every option that was swept."""
        if self.best is None or self.rows[self.best].plan is None:
            return None
        return self.rows[self.best].as_toml()

    def save(self, folder: str | Path, language: str = "en") -> Path:
        """Write the tables (Parquet and CSV), the page and the best plan, the manifest last."""
        from twinset.lab.experiment.page import page

        place = Path(folder)
        ensure_known(language)
        place.mkdir(parents=True, exist_ok=True)
        for name, table in {TABLE: self.table, **self.derived}.items():
            save_table(table, place, name)
        shown = page(self.table, self.option_columns, self.derived, self.manifest, language)
        write_file(place / PAGE, shown)
        if self.best_plan is not None:
            write_file(place / BEST, self.best_plan)
        write_json(place / MANIFEST, dict(self.manifest), indent=1)
        return place

    def as_dict(self) -> dict[str, Any]:
        """Everything but the pairs, as plain values."""
        tables = {name: table.to_pylist() for name, table in self.derived.items()}
        return {**self.manifest, "rows": self.table.to_pylist(), "tables": tables}

    def _repr_html_(self) -> str:
        from twinset.lab.experiment.page import fragment

        return fragment(self.table, self.option_columns, self.derived, self.manifest)

    def __repr__(self) -> str:
        best = "no row" if self.best is None else self.rows[self.best].name
        return f"<twinset: {len(self.rows)} rows, {best} is best>"
