"""How F1 depends on the two numbers of the preset ``text``, as it is implemented.

    python benchmarks/preset_grid.py            every collection of benchmarks/judging
    python benchmarks/preset_grid.py --page     the table of the docs from the stored figures

Two runs of ``find`` per collection have all that is asked for: the pairs by their cosine alone, and
the pairs by their containment alone. Each collection is also judged by the numbers that are best in
the mean of the others, those of its own kind left out. The table goes to docs/how-to/presets.md.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import twinset
from judging.collections import collections
from judging.labelled import Collection, f1
from judging.settings import chosen_elsewhere

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results" / "preset_grid.json"
PAGE = HERE.parent / "docs" / "how-to" / "presets.md"
BEGIN, END = "<!-- made by benchmarks/preset_grid.py -->", "<!-- end -->"
METHOD = "tfidfcosine:length=2,sublinear=yes"
COSINES = tuple(round(0.46 + 0.02 * step, 2) for step in range(13))
CONTAINED = (0.0, 0.8, 0.85, 0.9, 0.95, 0.97, 0.99)
SHIPPED = "0.54/0.95"

Grids = Mapping[str, Mapping[str, float]]


def scored(collection: Collection, **options: Any) -> Iterator[tuple[tuple[int, int], Any]]:
    """The pairs of a run, as numbers of documents, each with its row."""
    rows = twinset.find(collection.table(), max_pairs=50_000_000, **options).pairs.to_pylist()
    for row in rows:
        (pair,) = collection.numbers([(row["left"], row["right"])])
        yield pair, row


def grid(collection: Collection) -> dict[str, float]:
    """F1 at every cosine and containment, by ``cosine/containment``; 0 is without containment."""
    cosine = {
        pair: row["score"] for pair, row in scored(collection, method=METHOD, threshold=COSINES[0])
    }
    method = f"{METHOD},contained={min(filter(None, CONTAINED))}"
    contained = {
        pair: row["contained"]
        for pair, row in scored(collection, method=method, threshold=1.0)
        if row["rule"] == "contained"
    }
    figures = {}
    for least in COSINES:
        by_cosine = {pair for pair, score in cosine.items() if score >= least}
        for share in CONTAINED:
            pairs = {pair for pair, part in contained.items() if share and part >= share}
            figures[f"{least:.2f}/{share:.2f}"] = round(f1(by_cosine | pairs, collection).f1, 4)
    return figures


def measured() -> dict[str, Any]:
    """The grids of all collections, with what each of them is."""
    rows = {}
    for collection in collections():
        print(collection.name, file=sys.stderr)
        about = {"kind": collection.kind, "real": collection.real}
        rows[collection.name] = {**about, "grid": grid(collection)}
    return rows


def mean_of(grids: Grids, setting: str) -> float:
    """The mean F1 of one setting."""
    return sum(figures[setting] for figures in grids.values()) / len(grids)


def table(rows: Mapping[str, Any]) -> Iterator[str]:
    """The lines of the docs: means over both sorts of collections, and each one left out."""
    real, made = (
        {n: r["grid"] for n, r in rows.items() if r["real"] is sort} for sort in (True, False)
    )
    yield "Mean F1 by the least cosine (rows) and the least containment (columns), of the"
    people = f"{len(real)} real collections ({', '.join(real)})"
    yield f"{people} / of the {len(made)} made ones:"
    yield ""
    yield "| cosine | " + " | ".join(f"{b:.2f}" if b else "off" for b in CONTAINED) + " |"
    yield "|---" * (len(CONTAINED) + 1) + "|"
    for a in COSINES:
        cells = (f"{a:.2f}/{b:.2f}" for b in CONTAINED)
        means = (f"{mean_of(real, cell):.3f} / {mean_of(made, cell):.3f}" for cell in cells)
        yield f"| {a:.2f} | " + " | ".join(means) + " |"
    yield ""
    yield "Each collection with what is best in the mean of the others, its own kind left out:"
    yield ""
    yield f"| collection | best on the others | F1 there | F1 at {SHIPPED} | best for itself |"
    yield "|---|---|---|---|---|"
    grids = {name: row["grid"] for name, row in rows.items()}
    kinds = {name: row["kind"] for name, row in rows.items()}
    elsewhere = {}
    for name, figures in grids.items():
        setting, elsewhere[name] = chosen_elsewhere(grids, kinds, name)
        own = max(figures, key=lambda key: (figures[key], key))
        label = f"**{name}**" if rows[name]["real"] else name
        shipped = f"{figures[SHIPPED]:.3f} | {own}: {figures[own]:.3f}"
        yield f"| {label} | {setting} | {elsewhere[name]:.3f} | {shipped} |"
    for sort, names in (("real", real), ("made", made)):
        left_out = sum(elsewhere[name] for name in names) / len(names)
        yield f"| mean, {sort} | | {left_out:.3f} | {mean_of(names, SHIPPED):.3f} | |"


def main(given: list[str]) -> None:
    """Measure, unless the page alone is asked for, and write the table into the docs."""
    if "--page" not in given:
        RESULTS.write_text(json.dumps(measured(), indent=1) + "\n", "utf-8")
    rows = json.loads(RESULTS.read_text("utf-8"))
    text = PAGE.read_text("utf-8")
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    PAGE.write_text("\n".join([before + BEGIN, "", *table(rows), "", END + after]), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
