"""The result of a comparison: tables, a page, and the folder that holds them."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from twinset.lab.runs.folder import save_table
from twinset.pages.language import ensure_known
from twinset.system.files import write_file, write_json

TABLES = ("methods", "dice", "coverage", "alone")
PAGE = "comparison.html"


@dataclass(frozen=True)
class Comparison:
    """Methods side by side, as Arrow tables."""

    methods: pa.Table
    """One row per method, the highest F first: scores, pairs, time, memory, and any fault."""
    dice: pa.Table = field(repr=False)
    """The Dice correlation of the pairs of every two methods, one row and one column each."""
    coverage: pa.Table = field(repr=False)
    """The best combinations of one, two and three methods, and what they cover together."""
    alone: pa.Table = field(repr=False)
    """Pairs that one method alone found, with the beginnings of their texts."""
    manifest: dict[str, Any] = field(repr=False)
    """Documents, yardstick, counts, failures, notes, and which methods were not run again."""

    @property
    def best(self) -> str | None:
        """The name of the method with the highest F; None where every F is 0."""
        first = self.methods.slice(0, 1).to_pylist()
        return str(first[0]["method"]) if first and first[0]["f"] else None

    def save(self, folder: str | Path, language: str = "en") -> Path:
        """Write the tables (Parquet and CSV) and the page into a folder, the manifest last."""
        from twinset.lab.comparison.page import page

        place = Path(folder)
        ensure_known(language)
        place.mkdir(parents=True, exist_ok=True)
        for name in TABLES:
            save_table(getattr(self, name), place, name)
        write_file(place / PAGE, page(self, language))
        write_json(place / "manifest.json", self.manifest, indent=1)
        return place

    def as_dict(self) -> dict[str, Any]:
        """Everything but the texts, as plain values."""
        tables = {name: getattr(self, name).to_pylist() for name in TABLES if name != "alone"}
        return {**self.manifest, **tables}

    def _repr_html_(self) -> str:
        from twinset.lab.comparison.page import fragment

        return fragment(self)

    def __repr__(self) -> str:
        best = "none has found a true pair" if self.best is None else f"{self.best} is best"
        return f"<twinset: {self.methods.num_rows} methods compared, {best}>"
