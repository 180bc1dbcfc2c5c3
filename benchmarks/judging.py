"""How near the answers come to those of people, on every labelled collection there is.

    python benchmarks/judging.py                      all collections, real and made
    python benchmarks/judging.py --only forms bills   some of them
    python benchmarks/judging.py --only-columns default preset
    python benchmarks/judging.py --page               the page from the stored figures alone

Rows are kept beside the made collections until the package changes, so that an interrupted run
goes on where it stopped. Figures go to benchmarks/results/judging.json and
docs/explanation/judging.md.
"""

from __future__ import annotations

import argparse
import json
import sys
import traceback
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from judging import collections, material, page
from judging.columns import COLUMNS
from judging.compared import digest
from judging.kept import kept

RESULTS = Path(__file__).resolve().parent / "results" / "judging.json"


def main() -> None:
    """Measure what is missing, then write the figures and their page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="+", choices=collections.names(), metavar="COLLECTION")
    parser.add_argument("--only-columns", nargs="+", choices=COLUMNS)
    parser.add_argument("--jobs", type=int, default=2, help="collections at a time")
    parser.add_argument("--page", action="store_true", help="write the page and measure nothing")
    given = parser.parse_args()
    figures = json.loads(RESULTS.read_text("utf-8")) if RESULTS.is_file() else {"rows": {}}
    if not given.page:
        columns = given.only_columns or list(COLUMNS)
        figures = measured(given.only or collections.names(), columns, given.jobs, figures)
        RESULTS.write_text(written(figures), "utf-8")
    page.PAGE.write_text(page.text(figures), "utf-8")


def written(figures: dict[str, Any]) -> str:
    """The figures as JSON with a line for each cell, so that a change shows where it is."""
    rows = []
    for name, row in sorted(figures["rows"].items()):
        cells = [f"  {json.dumps(key)}: {json.dumps(row[key])}" for key in sorted(row)]
        rows.append(f" {json.dumps(name)}: {{\n" + ",\n".join(cells) + "\n }")
    return '{"rows": {\n' + ",\n".join(rows) + "\n}}\n"


def measured(
    names: list[str], columns: list[str], jobs: int, figures: dict[str, Any]
) -> dict[str, Any]:
    """The figures with the cells of these collections and columns in them."""
    present = []
    for collection in collections.collections(names):
        row = figures["rows"].setdefault(collection.name, {})
        row["about"] = {
            "kind": collection.kind,
            "real": collection.real,
            "documents": len(collection.ids),
            "true": len(collection.truth),
            "alike": len(collection.hard),
            "why": collection.why,
        }
        present.append(collection.name)
    with ProcessPoolExecutor(jobs) as pool:
        cells = {
            pool.submit(cell, name, column): (name, column)
            for column in columns
            for name in present
        }
        for done in as_completed(cells):
            name, column = cells[done]
            value = done.result()
            figures["rows"][name][column] = value
            shown = value.get("absent") or value.get("f1") or "measured"
            print(f"{name:14} {column:10} {shown}", file=sys.stderr, flush=True)
    return figures


def cell(name: str, column: str) -> dict[str, Any]:
    """One column of one collection, read where the same package measured it before."""
    home = material.FOLDER / "rows" / f"{name}-{column}-{digest()}.json"
    try:
        value: dict[str, Any] = kept(home, lambda: COLUMNS[column](name))
    except Exception as fault:  # one fault must not cost the figures of the others
        traceback.print_exc()
        return {"absent": f"{type(fault).__name__}: {fault}"}
    return value


if __name__ == "__main__":
    main()
