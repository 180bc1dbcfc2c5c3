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

import twinset
from twinset.lab.comparison.options import all_methods

COLLECTIONS = {
    "debian_guide_html": ("truth.csv", "dontcare.csv"),
    "licenses": ("truth.csv", "cross_key_similar.csv.gz"),
}
BEGIN, END = "<!-- figures: begin -->", "<!-- figures: end -->"
FIGURES = ("recall", "precision", "f", "pool_recall", "pool_precision", "pool_f")


def measure(folder: Path, wanted: list[str], kept: Path | None) -> dict[str, object]:
    truth, undecided = (folder / name for name in COLLECTIONS[folder.name])
    result = twinset.compare(
        folder / "docs.jsonl.gz",
        wanted,
        truth=truth,
        ignore=undecided,
        pool=True,
        most_judged=10**9,
        page_text="whole",
        folder=None if kept is None else kept / folder.name,
    )
    rows = {}
    for row in result.methods.to_pylist():
        rows[row["method"]] = {"pairs": row["pairs"], "cpu_seconds": row["cpu_seconds"]}
        rows[row["method"]] |= {name: row[name] for name in FIGURES}
    facts = result.manifest
    return {
        "documents": facts["documents"],
        "true_pairs": facts["true_pairs"],
        "pool": facts["pool"],
        "judged_good": round(facts["good"]),
        "methods": {name: rows[name] for name in wanted},
    }


def table(name: str, result: dict[str, object]) -> str:
    rows = result["methods"]
    assert isinstance(rows, dict)
    lines = [
        f"### {name}",
        "",
        f"{result['documents']:,} documents, {result['true_pairs']:,} labelled pairs; a pool of "
        f"{result['pool']:,} pairs, of which the judge accepts {result['judged_good']:,}.",
        "",
        "| method | pairs | recall | precision | F | pool recall | pool precision | pool F |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for method, row in sorted(rows.items(), key=lambda item: -item[1]["pool_f"]):
        figures = " | ".join(f"{row[key]:.3f}" for key in FIGURES)
        lines.append(f"| `{method}` | {row['pairs']:,} | {figures} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="the folder of the labelled collections")
    parser.add_argument("--write", type=Path, help="the page to put the tables into")
    parser.add_argument("--only", nargs="*", default=list(COLLECTIONS))
    # The method `given` reads values of images, which the texts of these collections are not.
    methods = [name for name in all_methods() if name != "given"]
    parser.add_argument("--methods", nargs="*", default=methods)
    parser.add_argument("--folder", type=Path, help="where to keep the comparisons, to go on later")
    options = parser.parse_args()
    results = {
        name: measure(options.data / name, options.methods, options.folder) for name in options.only
    }
    tables = "\n\n".join(table(name, result) for name, result in results.items())
    if options.write is None:
        print(tables)
        return
    page = options.write.read_text(encoding="utf-8")
    before, _, rest = page.partition(BEGIN)
    after = rest.partition(END)[2]
    options.write.write_text(f"{before}{BEGIN}\n\n{tables}\n\n{END}{after}", encoding="utf-8")
    file = Path(__file__).parent / "results" / "methods_quality.json"
    file.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
