"""Chooses the licence texts of the example collection: ``python examples/make_licenses.py``.

The labelled licence corpus lies beside the repository (``../shared/data/licenses``) or where
``--data`` says. Whole clusters are taken, so that the licence key tells which texts belong
together, and single texts beside them. The choice is seeded: the same file comes out every time.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import random
from collections import defaultdict
from pathlib import Path

HERE = Path(__file__).resolve().parent
DATA = HERE.parent.parent / "shared" / "data" / "licenses"
LONGEST = 12_000
CLUSTERED, SINGLE, TOTAL_BYTES = 200, 100, 1_400_000


def read_texts(data: Path) -> dict[str, str]:
    """Texts by id."""
    with gzip.open(data / "docs.jsonl.gz", "rt", encoding="utf-8") as lines:
        return {row["id"]: row["text"] for row in map(json.loads, lines)}


def read_keys(data: Path) -> dict[str, list[str]]:
    """Ids by licence key, the keys in the order of their names."""
    members: dict[str, list[str]] = defaultdict(list)
    with (data / "clusters.csv").open(newline="", encoding="utf-8") as rows:
        for row in csv.DictReader(rows):
            members[row["cluster"]].append(row["id"])
    return dict(sorted(members.items()))


def choose(texts: dict[str, str], keys: dict[str, list[str]], seed: int) -> dict[str, str]:
    """Licence key by id: whole clusters of 2 to 9 texts, then single texts, none of them long."""
    short = {
        key: ids for key, ids in keys.items() if all(size(texts[name]) < LONGEST for name in ids)
    }
    order = random.Random(seed).sample(sorted(short), len(short))
    chosen: dict[str, str] = {}
    room = TOTAL_BYTES
    for smallest, largest, wanted in ((2, 9, CLUSTERED), (1, 1, CLUSTERED + SINGLE)):
        for key in order:
            ids = short[key]
            cost = sum(size(texts[name]) for name in ids)
            fits = len(chosen) + len(ids) <= wanted and cost <= room
            if smallest <= len(ids) <= largest and fits:
                chosen.update((name, key) for name in ids)
                room -= cost
    return chosen


def size(text: str) -> int:
    """Bytes of the text in UTF-8."""
    return len(text.encode())


def main() -> None:
    """Write ``collection/licenses.jsonl``, in the order of the ids."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the licence corpus")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-o", "--out", type=Path, default=HERE / "collection" / "licenses.jsonl")
    options = parser.parse_args()
    if not (options.data / "docs.jsonl.gz").is_file():
        parser.error(f"there is no docs.jsonl.gz in {options.data}: name the folder with --data")
    texts = read_texts(options.data)
    chosen = choose(texts, read_keys(options.data), options.seed)
    with options.out.open("w", encoding="utf-8", newline="\n") as lines:
        for name in sorted(chosen):
            row = {"id": name, "licence": chosen[name], "text": texts[name]}
            lines.write(json.dumps(row, ensure_ascii=False) + "\n")
    print(f"{options.out}: {len(chosen)} texts, {len(set(chosen.values()))} licence keys")


if __name__ == "__main__":
    main()
