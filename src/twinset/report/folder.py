"""Writing and reading a report folder."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from twinset.bounded import MANIFEST_BYTES, open_regular, read_regular
from twinset.errors import ReportError
from twinset.report.staging import MANIFEST, staged

if TYPE_CHECKING:
    import pyarrow as pa

    from twinset.report.lattices import Drawing

TABLES = ("documents", "pairs", "clusters")
MORE = ("groups", "statistics", "components")  # tables that some runs make


class Results(Protocol):
    """What a run found: three Arrow tables and the manifest; a run and a report both offer it."""

    @property
    def documents(self) -> pa.Table:
        """One row a document, in reading order."""

    @property
    def pairs(self) -> pa.Table:
        """Verified pairs with their exact scores."""

    @property
    def clusters(self) -> pa.Table:
        """One row a member of a cluster."""

    @property
    def manifest(self) -> dict[str, Any]:
        """The plan, the counts and what else is needed to judge or repeat the run."""

    @property
    def more(self) -> dict[str, pa.Table]:
        """Tables that only some methods make: groups by key, word statistics."""

    @property
    def lattices(self) -> list[Drawing]:
        """With closed sets: the lattices of the components most worth a look."""

    def heads(self, ids: Sequence[str]) -> dict[str, str]:
        """The beginnings of these documents, as far as they can be had."""

    def texts(self, ids: Sequence[str]) -> dict[str, str]:
        """The whole texts of these documents, as far as they can be read again."""


def write(
    results: Results,
    folder: str | Path,
    force: bool = False,
    also: Callable[[Path], None] | None = None,
) -> Path:
    """Write a report folder, whole or not at all; ``also`` may add files before it is in place."""
    inputs = [str(entry["source"]) for entry in results.manifest.get("inputs", [])]
    with staged(folder, force, inputs) as place:
        fill(results, place)
        if also is not None:
            also(place)
    return Path(folder)


def fill(results: Results, place: Path) -> None:
    """Write the files of a report into an existing folder, the manifest last."""
    from twinset.report import html, lattices, tables

    for name in TABLES:
        tables.write_parquet(getattr(results, name), place / f"{name}.parquet")
    for name, table in getattr(results, "more", {}).items():
        tables.write_parquet(table, place / f"{name}.parquet")
    tables.write_duplicates(results, place / "duplicates.txt")
    if "kept_as" in results.documents.column_names:
        # Not "removed.csv": that is the name of the removed documents of a CSV file.
        tables.write_removed(results, place / "removals.csv")
    page, drawings = html.page_and_lattices(results)
    if drawings:
        lattices.write(drawings, place / lattices.FILE)
    (place / "report.html").write_text(page, encoding="utf-8", newline="\n")
    (place / MANIFEST).write_text(_pretty(results.manifest), encoding="utf-8", newline="\n")


def _pretty(manifest: dict[str, Any]) -> str:
    """JSON with a line for each entry and each entry of an entry: to be read by people, too."""
    lines = (f" {json.dumps(key)}: {_entry(value)}" for key, value in manifest.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _entry(value: Any) -> str:
    if not isinstance(value, dict) or not value:
        return json.dumps(value, ensure_ascii=False)
    lines = (f"  {json.dumps(k)}: {json.dumps(v, ensure_ascii=False)}" for k, v in value.items())
    return "{\n" + ",\n".join(lines) + "\n }"


def read(folder: str | Path, within: Sequence[str] = ()) -> Report:
    """Open a report folder; the tables load at first use.

    Where ``within`` names folders, files of the report that are links out of them are not read.
    """
    path = Path(folder)
    if not path.is_dir():
        raise ReportError(
            f"there is no report folder {path}; 'twinset find IN... -o {path}' makes one"
        )
    report = Report(path, _manifest(path, within), tuple(within))
    missing = [f"{name}.parquet" for name in TABLES if not (path / f"{name}.parquet").is_file()]
    if missing:
        raise ReportError(
            f"the report {path} is incomplete, it lacks {' and '.join(missing)}; "
            "run again with --force"
        )
    return report


def _manifest(path: Path, within: Sequence[str]) -> dict[str, Any]:
    file = path / MANIFEST
    if not file.is_file():
        raise ReportError(
            f"{path} is not a twinset report, it has no {MANIFEST}; name the folder given to -o"
        )
    try:
        manifest = json.loads(read_regular(file, MANIFEST_BYTES, within).decode())
    except (OSError, ValueError, RecursionError) as fault:
        told = getattr(fault, "strerror", None) or fault
        raise ReportError(f"cannot read {file}: {told}; run again with --force") from None
    if not isinstance(manifest, dict) or "twinset" not in manifest:
        raise ReportError(f"{file} was not written by twinset; name the folder given to -o")
    if wrong := [name for name, is_right in SHAPE.items() if not is_right(manifest.get(name))]:
        raise ReportError(
            f"{file} is not the manifest of a report: {' and '.join(wrong)} cannot be understood; "
            "run again with --force"
        )
    return manifest


def _is_plan(plan: Any) -> bool:
    if not isinstance(plan, dict) or not isinstance(plan.get("threshold", 0.0), int | float):
        return False
    texts = [plan.get(name, "") for name in ("method", "clusters", "measure")]
    return all(isinstance(text, str) for text in texts)


def _are_counts(counts: Any) -> bool:
    kinds = (int, type(None))
    return isinstance(counts, dict) and all(type(count) in kinds for count in counts.values())


def _are_inputs(inputs: Any) -> bool:
    if inputs is None:
        return True
    rows = inputs if isinstance(inputs, list) else [None]
    return all(
        isinstance(row, dict)
        and isinstance(row.get("source"), str)
        and isinstance(row.get("path", ""), str)
        for row in rows
    )


SHAPE = {"plan": _is_plan, "counts": _are_counts, "inputs": _are_inputs}
"""What every reader of a manifest relies on; a report may be somebody else's."""


@dataclass(frozen=True)
class Report:
    """A report folder opened for reading, with the attributes of the run that wrote it."""

    folder: Path
    manifest: dict[str, Any]
    within: tuple[str, ...] = ()

    @cached_property
    def documents(self) -> pa.Table:
        """One row a document, in reading order."""
        return self._table("documents")

    @cached_property
    def pairs(self) -> pa.Table:
        """Verified pairs with their exact scores."""
        return self._table("pairs")

    @cached_property
    def clusters(self) -> pa.Table:
        """One row a member of a cluster."""
        return self._table("clusters")

    @cached_property
    def more(self) -> dict[str, pa.Table]:
        """Tables that only some methods make: groups by key, word statistics."""
        return {n: self._table(n) for n in MORE if (self.folder / f"{n}.parquet").is_file()}

    def heads(self, ids: Sequence[str]) -> dict[str, str]:
        """The beginnings of these documents, read again from their sources."""
        from twinset.model import HEAD

        return {id: text[:HEAD] for id, text in self.texts(ids).items()}

    def texts(self, ids: Sequence[str]) -> dict[str, str]:
        """The whole texts of these documents, read again from their sources."""
        from twinset.report.texts import texts

        return texts(self, ids)

    @cached_property
    def lattices(self) -> list[Drawing]:
        """With closed sets: the lattices of the components most worth a look."""
        from twinset.report.lattices import FILE, read

        file = self.folder / FILE
        return read(file, self.within) if file.is_file() else []

    def __repr__(self) -> str:
        from twinset.report.words import headline

        return f"<Report {self.folder}: {headline(self.manifest)}>"

    def _table(self, name: str) -> pa.Table:
        import pyarrow as pa
        import pyarrow.parquet as pq

        file = self.folder / f"{name}.parquet"
        try:
            with open_regular(file, self.within) as opened:
                return pq.read_table(opened)
        except (OSError, pa.ArrowException) as fault:
            raise ReportError(f"cannot read {file}: {fault}; run again with --force") from None
