"""What does an index in PostgreSQL cost beside one in a folder, on the same documents?

    python benchmarks/postgresql.py CORPUS ADDRESS [--server PID]

CORPUS is a file of JSON lines with id and text; ADDRESS that of a database, in which the schema
``bench`` is made anew. CPU times are those of this program, and with ``--server`` (the number of
the server's first process, on this machine) those of the server as well.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path
from typing import Any

import psycopg

from index import ASKED, RECALL, THRESHOLD, documents, spread
from twinset import Index

TICK = os.sysconf("SC_CLK_TCK")


def server_seconds(first: int | None) -> float:
    """CPU time of a server: its processes, and those that have ended."""
    if first is None:
        return 0.0
    ticks = 0
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if path.parent.name == str(first):
            ticks += sum(map(int, fields[11:15]))
        elif fields[1] == str(first):
            ticks += int(fields[11]) + int(fields[12])
    return ticks / TICK


def measured(place: str, corpus: str, first: int | None) -> dict[str, Any]:
    """Add all, ask for some one by one and a thousand at once."""
    some = documents([corpus], ASKED)
    marks = [(time.perf_counter(), time.process_time(), server_seconds(first))]
    times = []

    def mark() -> list[float]:
        now = (time.perf_counter(), time.process_time(), server_seconds(first))
        last, marks[:] = marks[-1], [now]
        return [round(a - b, 3) for a, b in zip(now, last, strict=True)]

    with Index.create(place, threshold=THRESHOLD, recall=RECALL) as index:
        index.add(Path(corpus), threads=1)
        costs = {"add": mark()}
        for id, text in some:
            begun = time.perf_counter()
            index.query_texts([id], [text])
            times.append(time.perf_counter() - begun)
        costs[f"{ASKED} questions"] = mark()
        index.query_texts([id for id, _ in some[:1000]], [text for _, text in some[:1000]])
        costs["1000 at once"] = mark()
        size = index.info()["bytes"]
    return {"wall, CPU, server": costs, "ms a question": spread(times), "bytes": size}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus")
    parser.add_argument("address")
    parser.add_argument("--server", type=int)
    chosen = parser.parse_args()
    with psycopg.connect(chosen.address, autocommit=True) as connection:
        connection.execute("DROP SCHEMA IF EXISTS bench CASCADE")
    mark = "&" if "?" in chosen.address else "?"
    with tempfile.TemporaryDirectory() as folder:
        print("folder", measured(f"{folder}/index", chosen.corpus, None))
    print(
        "PostgreSQL",
        measured(f"{chosen.address}{mark}index=bench", chosen.corpus, chosen.server),
    )


if __name__ == "__main__":
    main()
