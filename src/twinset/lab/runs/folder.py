"""The folder that holds the results of runs, and the tables that are made of them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pyarrow as pa

from twinset.errors import ReportError
from twinset.model import spreadsheet
from twinset.report import ensure_local
from twinset.report.tables import write_parquet
from twinset.system.files import FilePath, fresh_file


def results_folder(name: FilePath, store: str, kind: str, fresh: bool) -> Path:
    """The folder ``store`` inside; only an empty folder or an earlier result is written to.

    ``kind`` is what the result is called, and ``fresh`` removes what is stored.
    """
    article = "an" if kind[0] in "aeiou" else "a"
    ensure_local(name, f"{article} {kind} is written to, and goes on in,", "name one")
    folder = Path(name)
    if folder.exists() and not folder.is_dir():
        raise ReportError(f"{folder} is a file; name a folder for the {kind}")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / store).is_dir():
        raise ReportError(
            f"{folder} exists and is not {article} {kind}; name another folder, or remove it "
            "yourself"
        )
    place = folder / store
    if fresh:
        shutil.rmtree(place, ignore_errors=True)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        raise ReportError(
            f"cannot write in {folder}: {fault.strerror}; name another folder"
        ) from None
    return place


def save_table(table: pa.Table, folder: Path, name: str) -> None:
    """Write a table as Parquet and as CSV."""
    with fresh_file(folder / f"{name}.parquet") as draft:
        write_parquet(table, draft)
    with fresh_file(folder / f"{name}.csv") as draft:
        spreadsheet.write_table(_flat(table), draft)


def _flat(table: pa.Table) -> pa.Table:
    """Lists as texts with blanks between the items, for CSV has no lists."""
    for number, column in enumerate(table.schema):
        if pa.types.is_list(column.type) or pa.types.is_large_list(column.type):
            rows = table.column(number).to_pylist()
            joined = [None if row is None else " ".join(map(str, row)) for row in rows]
            table = table.set_column(number, column.name, pa.array(joined, pa.string()))
    return table
