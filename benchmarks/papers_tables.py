"""Every table of the papers on today's documents: runs the experiments and makes their page.

    python benchmarks/papers_tables.py                      # all experiments on all corpora
    python benchmarks/papers_tables.py zelenkov --on bills  # those of a name, on one corpus
    python benchmarks/papers_tables.py --page               # no runs: the page from the results

The corpora lie beside the repository (``../shared/data``); ``made`` is generated from
``examples/collection`` as ROMIP XML. Figures go to ``benchmarks/results/papers_tables.json``, as
tables into the file of the same name with ``.md``, and some into
``docs/how-to/repeat-the-papers.md`` (`papers_page`).
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa

import papers_page
import twinset
from twinset.lab.description import shipped_names
from twinset.lab.experiment_result import ExperimentResult

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results" / "papers_tables.json"
ALL_TABLES = RESULTS.with_suffix(".md")
PAGE = ROOT / "docs" / "how-to" / "repeat-the-papers.md"
DATA = ROOT.parent / "shared" / "data"
MADE_BY = ["delete-paragraphs:5%", "replace-words:2%"]
COLUMNS = (
    "name", "image", "shingle", "image.size", "k", "measure", "threshold", "reference", "found",
    "only_in_reference", "only_in_found", "common", "precision", "recall", "f1", "seconds",
    "seconds_read_and_sketch", "seconds_cluster", "cpu_seconds", "cluster_count",
    "clusters_complete", "fault",
)  # fmt: skip
CORPORA: dict[str, dict[str, Any]] = {
    "guide": {"folder": "debian_guide_html", "truth": "truth.csv", "ignore": "dontcare.csv"},
    "licences": {"folder": "licenses", "truth": "truth.csv"},
    "reuters": {"folder": "reuters21578", "truth": "exact_pairs_J03.csv"},
    "bills": {
        "folder": "bills_human", "truth": "graded.csv", "grade": 3, "only_judged": True
    },
}  # fmt: skip


def corpus(name: str, parent: Path) -> tuple[Path, dict[str, Any]]:
    """The documents of a corpus, and its truth as options of `twinset.experiment`."""
    if name == "made":
        folder = parent / "made-documents"
        if not folder.exists():
            source = ROOT / "examples" / "collection"
            twinset.generate(source, folder, ops=MADE_BY, variants=3)
        return folder / "documents.jsonl", {"truth": folder / "truth.csv"}
    options = dict(CORPORA[name])
    folder = DATA / options.pop("folder")
    for file in ("truth", "ignore"):
        if file in options:
            options[file] = folder / options[file]
    return folder / "docs.jsonl.gz", options


def measure(experiment: str, name: str, folder: Path) -> dict[str, Any]:
    """The figures of one experiment on one corpus that the page shows."""
    documents, options = corpus(name, folder)
    begun = time.perf_counter()
    # The yardstick of Zelenkov and Segalovich is the judged pool, not a truth.
    options = {} if experiment.startswith("zelenkov") else options
    # One folder for all: rows that experiments have in common run once.
    result = twinset.experiment(
        documents, experiment, folder=folder / name, page_text="whole", **options
    )
    seconds = time.perf_counter() - begun
    return {
        "documents": result.manifest["documents"],
        "true_pairs": result.manifest["true_pairs"],
        "seconds": round(seconds, 1),
        "reused": len(result.manifest["reused"]),
        "rows": _selected(result.table),
        "tables": {name: _summary(result, name) for name in result.derived if name != "printed"},
    }


def _selected(table: pa.Table) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = table.select(
        [name for name in COLUMNS if name in table.column_names]
    ).to_pylist()
    return [
        {key: round(value, 4) if isinstance(value, float) else value for key, value in row.items()}
        for row in rows
    ]


def _summary(result: ExperimentResult, name: str) -> Any:
    """A derived table as the page needs it: large ones in short."""
    if name in _SUMMARIES:
        return _SUMMARIES[name](result)
    return result.derived[name].to_pylist()


def _found_by(result: ExperimentResult) -> dict[str, Any]:
    """How many pairs, good and others, so many methods found."""
    rows = result.derived["found-by"].to_pylist()
    counts = Counter((row["rows"], row["true"]) for row in rows)
    return {
        "pairs": len(rows),
        "by_methods": [
            {"methods": number, "good": counts[number, True], "others": counts[number, False]}
            for number in sorted({number for number, _ in counts})
        ],
    }


def _vectors(result: ExperimentResult) -> list[dict[str, Any]]:
    """The means of each similarity over either label."""
    table = result.derived["vectors"]
    names = [name for name in table.column_names if name not in ("left", "right", "label")]
    means = table.group_by("label").aggregate([([], "count_all"), *((n, "mean") for n in names)])
    return [
        {"label": row["label"], "pairs": row["count_all"]}
        | {name: round(row[f"{name}_mean"], 3) for name in names}
        for row in sorted(means.to_pylist(), key=lambda row: row["label"])
    ]


_SUMMARIES = {"found-by": _found_by, "vectors": _vectors}


def main() -> None:
    """Run what is asked for, keep the figures, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("experiment", nargs="*", help="names, or beginnings of names")
    parser.add_argument("--on", action="append", choices=[*CORPORA, "made"], help="a corpus")
    parser.add_argument("--rows", type=Path, help="a folder that keeps the rows")
    parser.add_argument("--page", action="store_true", help="only write the page")
    options = parser.parse_args()
    results: dict[str, Any] = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    names = [n for n in shipped_names() if n.startswith(tuple(options.experiment) or "")]
    with tempfile.TemporaryDirectory() as temporary:
        for name in [] if options.page else (options.on or [*CORPORA, "made"]):
            for experiment in names:
                figures = measure(experiment, name, options.rows or Path(temporary))
                print(f"{experiment} on {name}: {figures['seconds']} s", flush=True)
                results.setdefault(experiment, {})[name] = figures
                results["machine"] = f"{platform.machine()}, {os.cpu_count()} cores"
                RESULTS.write_text(json.dumps(results, indent=1) + "\n")
    page = papers_page.page(PAGE.read_text(encoding="utf-8"), results)
    PAGE.write_text(page, encoding="utf-8", newline="\n")
    ALL_TABLES.write_text(papers_page.whole(results), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
