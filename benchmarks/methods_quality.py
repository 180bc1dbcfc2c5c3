"""Recall, precision and F of every method on labelled collections, as a page of the docs.

Two yardsticks, for raw decisions at the papers' defaults:

* labels: the collection's own pairs; pairs that its makers call undecided are left out of both
counts.
* pool: the protocol of Zelenkov and Segalovich. All pairs of all methods are the pool, the judge is
  edit similarity of at least 0.80, precision is the judged share of a method's pairs, and recall is
  against all judged pairs of the pool.

    python benchmarks/methods_quality.py ../shared/data --write docs/reference/methods/quality.md
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pages
import twinset
from twinset.lab.experiment import all_methods

COLLECTIONS = {
    "debian_guide_html": ("truth.csv", "dontcare.csv"),
    "licenses": ("truth.csv", "cross_key_similar.csv.gz"),
}
SHOWN = {"recall": "recall", "precision": "precision", "f": "f1"}
FIGURES = {"recall": "recall", "precision": "precision", "f": "F"}
TITLES = {"debian_guide_html": "guide", "licenses": "licences"}


def measure(folder: Path, wanted: list[str], kept: Path | None) -> dict[str, object]:
    truth, undecided = (folder / name for name in COLLECTIONS[folder.name])
    options = {"most_judged": 10**9, "page_text": "whole"}
    options["folder"] = None if kept is None else kept / folder.name
    documents = folder / "docs.jsonl.gz"
    by_truth = twinset.compare(documents, wanted, truth=truth, ignore=undecided, **options)
    by_pool = twinset.compare(documents, wanted, **options)
    rows: dict[str, dict[str, object]] = {name: {} for name in wanted}
    for row in by_truth.table.to_pylist():
        rows[row["name"]] |= {"pairs": row["pairs"], "cpu_seconds": row["cpu_seconds"]}
    for prefix, result in (("", by_truth), ("pool_", by_pool)):
        for row in result.table.to_pylist():
            rows[row["name"]] |= {prefix + name: row[key] for name, key in SHOWN.items()}
    return {
        "documents": by_truth.manifest["documents"],
        "true_pairs": by_truth.manifest["true_pairs"],
        "pool": by_pool.manifest["judged"],
        "judged_good": by_pool.manifest["true_pairs"],
        "methods": rows,
    }


def table(results: dict[str, dict[str, object]]) -> str:
    """A line for each method, with the figures of every collection."""
    heads = [f"{TITLES[name]}: {title}" for name in results for title in FIGURES.values()]
    rows = [result["methods"] for result in results.values()]
    first = rows[0]
    lines = (
        [
            f"`{method}`",
            *(
                f"{row[method][key]:.3f}" if method in row else ""
                for row in rows
                for key in FIGURES
            ),
        ]
        for method in sorted(first, key=lambda name: -first[name]["f"])
    )
    return pages.table(["method", *heads], lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="the folder of the labelled collections")
    parser.add_argument("--write", type=Path, help="the page to put the table into")
    parser.add_argument("--only", nargs="*", default=list(COLLECTIONS))
    # The method `given` reads values of images, which the texts of these collections are not.
    methods = [name for name in all_methods() if name != "given"]
    parser.add_argument("--methods", nargs="*", default=methods)
    parser.add_argument("--folder", type=Path, help="where to keep the comparisons, to go on later")
    options = parser.parse_args()
    results = {
        name: measure(options.data / name, options.methods, options.folder) for name in options.only
    }
    shown = table(results)
    if options.write is None:
        print(shown)
        return
    page = options.write.read_text(encoding="utf-8")
    options.write.write_text(pages.filled(page, "figures", f"\n{shown}\n"), encoding="utf-8")
    file = Path(__file__).parent / "results" / "methods_quality.json"
    file.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
