"""Writing and reading a report folder."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from twinset.errors import ReportError
from twinset.report.staging import MANIFEST, staged

if TYPE_CHECKING:
    import pyarrow as pa

    from twinset.report.lattices import Drawing

TABLES = ("documents", "pairs", "clusters")
MORE = ("groups", "statistics", "components")  # tables that some runs make

# What every manifest holds and reading a report rests on.
_SHAPE: dict[str, Any] = {
    "plan": dict,
    "plan.threshold": (int, float),
    "counts": dict,
    "counts.documents": int,
    "counts.pairs": int,
    "counts.clusters": int,
}


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


def read(folder: str | Path) -> Report:
    """Open a report folder; the tables load at first use."""
    path = Path(folder)
    if not path.is_dir():
        raise ReportError(
            f"there is no report folder {path}; 'twinset find IN... -o {path}' makes one"
        )
    report = Report(path, _manifest(path))
    missing = [f"{name}.parquet" for name in TABLES if not (path / f"{name}.parquet").is_file()]
    if missing:
        raise ReportError(
            f"the report {path} is incomplete, it lacks {' and '.join(missing)}; "
            "run again with --force"
        )
    return report


def _manifest(path: Path) -> dict[str, Any]:
    file = path / MANIFEST
    if not file.is_file():
        raise ReportError(
            f"{path} is not a twinset report, it has no {MANIFEST}; name the folder given to -o"
        )
    try:
        manifest = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as fault:
        raise ReportError(f"cannot read {file}: {fault}; run again with --force") from None
    if not isinstance(manifest, dict) or "twinset" not in manifest:
        raise ReportError(f"{file} was not written by twinset; name the folder given to -o")
    if damaged := [place for place, kind in _SHAPE.items() if not _fits(manifest, place, kind)]:
        raise ReportError(f"{file} is damaged at {', '.join(damaged)}; run again with --force")
    return manifest


def _fits(manifest: dict[str, Any], place: str, kind: Any) -> bool:
    value: Any = manifest
    for key in place.split("."):
        value = value.get(key) if isinstance(value, dict) else None
    return isinstance(value, kind)


@dataclass(frozen=True)
class Report:
    """A report folder opened for reading, with the attributes of the run that wrote it."""

    folder: Path
    manifest: dict[str, Any]

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
        return read(file) if file.is_file() else []

    def __repr__(self) -> str:
        from twinset.report.words import headline

        return f"<Report {self.folder}: {headline(self.manifest)}>"

    def _table(self, name: str) -> pa.Table:
        import pyarrow as pa
        import pyarrow.parquet as pq

        file = self.folder / f"{name}.parquet"
        try:
            return pq.read_table(file)
        except (OSError, pa.ArrowException) as fault:
            raise ReportError(f"cannot read {file}: {fault}; run again with --force") from None
