"""Writes the truth of the example collection: ``python examples/make_truth.py``.

``clusters.csv`` has the licence texts with their licence keys, ``truth.csv`` all pairs of the
whole collection that are versions of one text; README.md states the rule.
"""

from __future__ import annotations

import csv
import itertools
import json
from collections import defaultdict
from pathlib import Path

HERE = Path(__file__).resolve().parent

# By construction: each group was written as versions of one text. Two texts of one subject, such
# as weather-monday.txt and weather-tuesday.txt, are none.
OWN = (
    *(
        tuple(f"russian/{name}-{version}.txt" for version in range(1, versions + 1))
        for name, versions in (
            ("borscht", 2),
            ("flood", 3),
            ("letter", 2),
            ("library", 2),
            ("lost-cat", 2),
            ("rental", 3),
            ("syrniki", 2),
        )
    ),
    ("html/bees-blog.html", "html/bees-courier.html", "html/bees-print.html"),
    ("html/bread-blog.html", "html/bread-print.html"),
    ("html/bridge-courier.html", "html/bridge-courier-update.html"),
    ("html/chain-blog.html", "html/chain-print.html"),
    ("html/tides-blog.html", "html/tides-courier.html"),
)


def read_keys() -> dict[str, str]:
    """The licence key of each licence text, by its id."""
    with (HERE / "collection" / "licenses.jsonl").open(encoding="utf-8") as lines:
        return {row["id"]: row["licence"] for row in map(json.loads, lines)}


def versions(keys: dict[str, str]) -> list[tuple[str, ...]]:
    """Groups of documents that are versions of one text."""
    licences: dict[str, list[str]] = defaultdict(list)
    for name, key in keys.items():
        licences[key].append(name)
    return [*OWN, *(tuple(names) for names in licences.values())]


def write(path: Path, head: tuple[str, str], rows: list[tuple[str, str]]) -> None:
    """A CSV file of two columns."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(head)
        writer.writerows(rows)
    print(f"{path}: {len(rows)} rows")


def main() -> None:
    """Write both files."""
    keys = read_keys()
    pairs = [pair for group in versions(keys) for pair in itertools.combinations(group, 2)]
    write(HERE / "clusters.csv", ("id", "cluster"), list(keys.items()))
    write(HERE / "truth.csv", ("left", "right"), pairs)


if __name__ == "__main__":
    main()
