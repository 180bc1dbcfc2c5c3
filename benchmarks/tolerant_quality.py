"""Components, cliques, closed sets and tolerant clusters on labelled collections.

    python benchmarks/tolerant_quality.py ../shared/data -o benchmarks/results/tolerant_quality.json
    python benchmarks/tolerant_quality.py benchmarks/results/tolerant_quality.json --table

The first line measures; the second prints the table of docs/explanation/tolerant-clusters.md.
Precision, recall and F1: a pair of documents counts as found if some cluster has both. Images are
the 100 smallest shingles of 5 words; closed sets and cores share ``share`` of each image, and pairs
of components and cliques have the Jaccard similarity of two such images: share / (2 - share).
"""

from __future__ import annotations

import argparse
import csv
import json
import tempfile
from collections.abc import Iterable
from pathlib import Path
from statistics import mean

import pages
import twinset

SHARES = (0.85, 0.7, 0.6)
ALPHAS = (0.9, 0.8, 0.7, 0.6)
CHOSEN = ("components", "closed", f"tolerant, share {SHARES[0]:g}", "tolerant")
JUDGED = {
    "licenses": {"truth": "truth.csv"},
    "debian_guide_html": {"truth": "truth.csv", "ignore": "dontcare.csv"},
    "bills_human": {"truth": "graded.csv", "grade": 3, "only_judged": True},
    "reuters21578": {"truth": "exact_pairs_J03.csv", "least": 0.5},
}
TITLES = {
    "licenses": "licences",
    "debian_guide_html": "Debian guide",
    "bills_human": "bills, grade 3 and above",
    "reuters21578": "Reuters, Jaccard 0.5",
}
Row = dict[str, object]
Figures = dict[str, dict[str, dict[str, float]]]


def kinds() -> Iterable[tuple[str, str, float]]:
    """What to compare: a name, the clusters, and the threshold of pairs."""
    jaccard = {share: round(share / (2 - share), 4) for share in SHARES}
    for share in SHARES:
        yield f"components, share {share:g}", "components", jaccard[share]
    yield f"cliques, share {SHARES[0]:g}", "cliques", jaccard[SHARES[0]]
    for share in SHARES:
        yield f"closed, share {share:g}", f"closed:share={share}", jaccard[share]
    for share in SHARES:
        for alpha in ALPHAS:
            name = f"tolerant, share {share:g}, alpha {alpha:g}"
            yield name, f"tolerant:share={share},alpha={alpha}", jaccard[share]


def truth_of(folder: Path, judged: dict, scratch: Path) -> Path:
    """The truth file, or one of its pairs that reach a similarity."""
    file = folder / judged["truth"]
    if "least" not in judged:
        return file
    with file.open(newline="") as rows:
        pairs = [row[:2] for row in list(csv.reader(rows))[1:] if float(row[2]) >= judged["least"]]
    chosen = scratch / "truth.csv"
    chosen.write_text("left,right\n" + "".join(f"{a},{b}\n" for a, b in pairs))
    return chosen


def measure(folder: Path, judged: dict) -> dict[str, dict[str, float]]:
    """Precision, recall and F1 by the name of the clusters."""
    rows = {}
    with tempfile.TemporaryDirectory() as scratch:
        truth = truth_of(folder, judged, Path(scratch))
        ignore = folder / judged["ignore"] if "ignore" in judged else None
        options = {key: judged[key] for key in ("grade", "only_judged") if key in judged}
        for name, clusters, threshold in kinds():
            findings = twinset.find(
                folder / "docs.jsonl.gz", threshold, clusters=clusters, image="bottom:size=100"
            )
            result = twinset.evaluate(
                findings, truth, ignore=ignore, by="clusters", only_known=True, **options
            )
            rows[name] = {key: getattr(result, key) for key in ("precision", "recall", "f1")}
            print(folder.name, name, json.dumps(rows[name]), flush=True)
    return rows


def left_out(figures: Figures, kind: str) -> list[Row]:
    """For each collection: what is best on average on the others, and its F1 on this one."""
    names = [name for name in next(iter(figures.values())) if name.startswith(kind)]
    rows = []
    for collection in figures:
        others = [figures[other] for other in figures if other != collection]
        best = max(names, key=lambda name: mean(other[name]["f1"] for other in others))
        rows.append({"left out": collection, "chosen": best, "f1": figures[collection][best]["f1"]})
    return rows


def table(figures: Figures) -> str:
    chosen = [[kind, *_chosen(left_out(figures, kind))] for kind in CHOSEN]
    head = ["kind", *(TITLES[name] for name in figures), "worst"]
    return pages.table(head, chosen)


def _chosen(rows: list[Row]) -> list[str]:
    cells = [f"{row['f1']:.3f} ({str(row['chosen']).partition(', ')[2]})" for row in rows]
    return [*cells, f"{min(row['f1'] for row in rows):.3f}"]


def main() -> None:
    """Measure every collection that is there, or print the table of a result."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("data", type=Path, help="folder of the labelled collections, or the JSON")
    parser.add_argument("-o", "--out", type=Path, help="JSON file for the figures")
    parser.add_argument("--only", choices=list(JUDGED), action="append", help="this one alone")
    parser.add_argument("--table", action="store_true", help="print the table of the JSON file")
    options = parser.parse_args()
    if options.table:
        print(table(json.loads(options.data.read_text())))
        return
    figures = {
        name: measure(options.data / name, judged)
        for name, judged in JUDGED.items()
        if (options.data / name).is_dir() and name in (options.only or JUDGED)
    }
    if options.out:
        options.out.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
