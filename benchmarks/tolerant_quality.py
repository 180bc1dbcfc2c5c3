"""Components, cliques, closed sets and tolerant clusters on labelled collections.

    python benchmarks/tolerant_quality.py ../shared/data -o benchmarks/results/tolerant_quality.json

Precision, recall and F1: a pair of documents counts as found if some cluster has both. Images are
the 100 smallest shingles of 5 words; closed sets and cores share ``share`` of each image, pairs of
components and cliques have the Jaccard similarity of two such images: share / (2 - share). Of the
lower share, closed sets alone are measured.
"""

from __future__ import annotations

import argparse
import csv
import json
import tempfile
from pathlib import Path

import twinset

SHARE, LOWER = 0.85, 0.7
ALPHAS = (0.9, 0.8, 0.7)
JUDGED = {
    "licenses": {"truth": "truth.csv"},
    "debian_guide_html": {"truth": "truth.csv", "ignore": "dontcare.csv"},
    "bills_human": {"truth": "graded.csv", "grade": 3, "only_judged": True},
    "reuters21578": {"truth": "exact_pairs_J03.csv", "least": 0.5},
}


def kinds(share: float) -> dict[str, str]:
    """The kinds of clusters to compare, by their names in the table."""
    if share == LOWER:
        return {"closed": f"closed:share={share}"}
    tolerant = {f"tolerant {a:g}": f"tolerant:share={share},alpha={a}" for a in ALPHAS}
    return {
        "components": "components",
        "cliques": "cliques",
        "closed": f"closed:share={share}",
        **tolerant,
    }


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


def measure(folder: Path, judged: dict) -> list[dict]:
    """One row per share and kind."""
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        truth = truth_of(folder, judged, Path(scratch))
        ignore = folder / judged["ignore"] if "ignore" in judged else None
        options = {key: judged[key] for key in ("grade", "only_judged") if key in judged}
        for share in (SHARE, LOWER):
            threshold = round(share / (2 - share), 4)
            for name, clusters in kinds(share).items():
                findings = twinset.find(
                    folder / "docs.jsonl.gz", threshold, clusters=clusters, image="bottom:size=100"
                )
                result = twinset.evaluate(
                    findings, truth, ignore=ignore, by="clusters", only_known=True, **options
                )
                row = {"share": share, "clusters": name, "precision": result.precision}
                rows.append(row | {"recall": result.recall, "f1": result.f1})
                print(folder.name, json.dumps(rows[-1]), flush=True)
    return rows


def main() -> None:
    """Measure every collection that is there."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("data", type=Path, help="folder of the labelled collections")
    parser.add_argument("-o", "--out", type=Path, help="JSON file for the figures")
    parser.add_argument("--only", choices=list(JUDGED), action="append", help="this one alone")
    options = parser.parse_args()
    figures = {
        name: measure(options.data / name, judged)
        for name, judged in JUDGED.items()
        if (options.data / name).is_dir() and name in (options.only or JUDGED)
    }
    if options.out:
        options.out.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
