"""The same plan on Spark and on one machine: tables and manifest must be equal."""

from __future__ import annotations

from itertools import zip_longest
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

import twinset
from twinset.spark.engine import OpenedSpark

ORDER = {
    "documents": ["number"],
    "pairs": ["left", "right"],
    "clusters": ["cluster", "id"],
}
OF_A_RUN = {"created", "timings", "cpu_seconds", "peak_memory_mb", "threads", "engine", "written"}
"""What of a manifest belongs to the run, and not to its answer."""


def assert_same(
    spark: Any, inputs: Any, folder: Path, *, command: str = "dedup", only: Any = (), **options: Any
) -> dict[str, Any]:
    """Run both engines and compare their reports; the manifest is returned."""
    run = getattr(twinset, command)
    here = run(inputs, **options)
    engine = OpenedSpark(partitions=3, work=str(folder / "work"), session=spark)
    there = run(inputs, engine=engine, **options)
    here.save(folder / "here")
    there.save(str(folder / "there"))
    for name, order in ORDER.items():
        file = folder / "here" / f"{name}.parquet"
        if file.exists():
            one, other = (rows(folder / x / f"{name}.parquet", order) for x in ("there", "here"))
            pairs = zip_longest(one, other)
            assert next((pair for pair in pairs if pair[0] != pair[1]), None) is None, name
    for entry in here.manifest["inputs"]:
        entry |= {"digest": None} if "digest" in entry else {}  # Spark cuts files and makes none
    for side in (here, there):  # of the first faults Spark names one of each kind and source
        side.manifest["first_faults"] = side.manifest["first_faults"][:1]
    known = {name: value for name, value in here.manifest.items() if name not in OF_A_RUN}
    found = {name: value for name, value in there.manifest.items() if name not in OF_A_RUN}
    for name in only or known:
        assert found[name] == known[name], name
    return known


def rows(table: Path, order: list[str]) -> list[dict[str, Any]]:
    """The rows of a table, a file or a folder of parts, in a fixed order."""
    return sorted(pq.read_table(table).to_pylist(), key=lambda row: [row[name] for name in order])
