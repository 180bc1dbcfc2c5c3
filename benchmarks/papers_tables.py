"""The papers' tables on today's documents: pairs by closed sets against a list made otherwise.

    python benchmarks/papers_tables.py                      # the licences of examples/collection
    python benchmarks/papers_tables.py guide FILE --html    # documents of your own, under a name
    python benchmarks/papers_tables.py --miners             # Table 4, for this machine

Tables 2 and 3 of Ignatov, Jánosi-Rancz and Kuznetsov (2009): images of 100 shingles by either
method, shingles of 5 to 20 words, thresholds from 100 to 85. A pair is found if some maximal set
holds both documents. Results go to ``benchmarks/results/papers_tables.json``, and as tables into
``docs/papers-tables.md``.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
from dataclasses import asdict
from itertools import combinations
from pathlib import Path
from typing import Any

import twinset
from twinset.clusters.closed import Closed
from twinset.clusters.context import Context
from twinset.clusters.mine.compare import compare
from twinset.clusters.mine.generated import make_context
from twinset.clusters.mine.search import UNBOUNDED

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results" / "papers_tables.json"
PAGE = ROOT / "docs" / "papers-tables.md"
LICENCES = ROOT / "examples" / "collection" / "licenses.jsonl"
SIZE = 100
THRESHOLDS = (100, 95, 90, 85)
LENGTHS = (5, 10, 15, 20)
METHODS = {"bottom": "b", "minwise": "m"}
JUDGED, LEAST = 0.85, 0.3
Pair = tuple[int, int]


def reference_pairs(documents: Path, html: str) -> set[Pair]:
    """Pairs of edit similarity 0.85 or more, among all that share 0.3 of their 5-word shingles."""
    found = twinset.find(documents, LEAST, exact=True, verify=f"edit:{JUDGED}", html=html)
    number = {id: place for place, id in enumerate(found.documents["id"].to_pylist())}
    sides = (found.pairs[side].to_pylist() for side in ("left", "right"))
    return {(number[one], number[other]) for one, other in zip(*sides, strict=True)}


def context_of(documents: Path, method: str, length: int, html: str) -> Context:
    """The images of a run."""
    image = f"{method}:size={SIZE}"
    found = twinset.find(
        documents, clusters="closed", k=SIZE, image=image, shingle=length, html=html
    )
    assert found.image_clusters is not None
    return found.image_clusters.context


def pairs_of_sets(context: Context, k: int) -> tuple[set[Pair], dict[str, int]]:
    """The pairs inside maximal sets of documents that share ``k`` features, and some figures."""
    bounds = dict.fromkeys(("max_sets", "max_work", "max_members"), UNBOUNDED)
    sets = Closed(k=k, **bounds).find(context)
    pairs = {pair for documents, _ in sets for pair in combinations(documents, 2)}
    return pairs, {"sets": len(sets), "too_short": sets.too_short}


def five_numbers(reference: set[Pair], found: set[Pair]) -> dict[str, int]:
    """The papers' columns."""
    return {
        "reference": len(reference),
        "found": len(found),
        "only_reference": len(reference - found),
        "only_found": len(found - reference),
        "common": len(reference & found),
    }


def measure(documents: Path, html: str = "auto") -> dict[str, Any]:
    """All rows of Tables 2 and 3 for one collection."""
    reference = reference_pairs(documents, html)
    rows = []
    count = 0
    for method, letter in METHODS.items():
        for length in LENGTHS:
            context = context_of(documents, method, length, html)
            count = len(context)
            for k in THRESHOLDS:
                pairs, figures = pairs_of_sets(context, k)
                told = {"input": f"{letter}_1_{length}_s_{SIZE}", "method": method}
                told |= {"length": length, "threshold": k}
                rows.append(told | five_numbers(reference, pairs) | figures)
                print(rows[-1], flush=True)
    return {"documents": count, "judge": f"edit:{JUDGED}", "rows": rows}


def race(seconds: float) -> dict[str, Any]:
    """Table 4: every miner on the licences and on a made context of 10,000 documents."""
    made = Context(*make_context(10_000, "bottom"))
    inputs = [
        ("licences, b_1_20_s_100", context_of(LICENCES, "bottom", 20, "auto"), THRESHOLDS),
        ("10,000 made documents", made, (95, 85)),
    ]
    rows = [
        {"input": name, "threshold": k, **asdict(run)}
        for name, context, thresholds in inputs
        for k in thresholds
        for run in compare(context, k, seconds=seconds)
    ]
    machine = f"{platform.machine()}, {os.cpu_count()} cores"
    return {"machine": machine, "seconds": seconds, "rows": rows}


def table(rows: list[dict[str, Any]], method: str) -> list[str]:
    """Table 2 (bottom) or 3 (minwise) in Markdown."""
    head = ["input", "threshold", "reference pairs", "our pairs"]
    head += ["only reference", "only ours", "common"]
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    names = ("reference", "found", "only_reference", "only_found", "common")
    for row in rows:
        if row["method"] == method:
            cells = [row["input"], str(row["threshold"]), *(f"{row[name]:,}" for name in names)]
            lines.append(f"| {' | '.join(cells)} |")
    return lines


def miners_table(rows: list[dict[str, Any]]) -> list[str]:
    """Table 4 in Markdown: a line for each algorithm and input, CPU seconds by threshold."""
    columns = sorted(
        {(row["input"], row["threshold"]) for row in rows}, key=lambda c: (c[0] < "a", -c[1])
    )
    lines = [
        "| algorithm | " + " | ".join(f"{name}: {k}" for name, k in columns) + " |",
        "|---" * (len(columns) + 1) + "|",
    ]
    for name in dict.fromkeys(row["algorithm"] for row in rows):
        cells = {(r["input"], r["threshold"]): _cell(r) for r in rows if r["algorithm"] == name}
        lines.append(f"| `{name}` | {' | '.join(cells[column] for column in columns)} |")
    sets = {
        (row["input"], row["threshold"]): row["sets"] for row in rows if row["sets"] is not None
    }
    return [*lines, "| sets found | " + " | ".join(f"{sets[c]:,}" for c in columns) + " |"]


def _cell(row: dict[str, Any]) -> str:
    if row["outcome"] != "finished":
        return str(row["outcome"])
    return f"{row['seconds']:.3f}" if row["seconds"] < 0.1 else f"{row['seconds']:.2f}"


def page(text: str, results: dict[str, Any]) -> str:
    """The page with its tables made new; what stands between them is left alone."""
    parts = {
        f"{name}-{method}": table(results[name]["rows"], method)
        for name in results
        if name != "miners"
        for method in METHODS
    }
    if "miners" in results:
        parts["miners"] = miners_table(results["miners"]["rows"])
    for name, lines in parts.items():
        begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->"
        if begin in text:
            head, _, rest = text.partition(begin)
            text = head + begin + "\n".join(lines) + "\n" + end + rest.partition(end)[2]
    return text


def main() -> None:
    """Measure, keep the results, and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("name", nargs="?", default="licences")
    parser.add_argument("file", nargs="?", type=Path, default=LICENCES)
    parser.add_argument("--html", action="store_true", help="the texts are HTML")
    parser.add_argument("--miners", action="store_true", help="Table 4 in place of 2 and 3")
    parser.add_argument("--seconds", type=float, default=60, help="time limit of each miner")
    options = parser.parse_args()
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    if options.miners:
        results["miners"] = race(options.seconds)
    else:
        results[options.name] = measure(options.file, "yes" if options.html else "auto")
    RESULTS.write_text(json.dumps(results, indent=1) + "\n")
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), results), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
