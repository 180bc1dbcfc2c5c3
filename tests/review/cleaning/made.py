"""Reports of made-up folders, written straight as tables: no search has to run."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence, Sized
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from twinset.review.index import ReportIndex, opened

Listed = tuple[str, str, str | None, float]


@dataclass(frozen=True)
class MadeFile:
    """A document of a made-up folder; ``path`` below the folder, ``part`` inside a mail."""

    path: str
    content: str
    modified: int = 0
    part: str | None = None


def report(
    place: Path,
    files: Sequence[MadeFile],
    pairs: Sequence[Listed] = (),
    *,
    links: Mapping[str, str] | None = None,
    plan: Mapping[str, Any] | None = None,
) -> ReportIndex:
    """Files below ``place/folder`` and a report on them in ``place/report``.

    Pairs name documents by id: the path, with ``!part`` behind it for a part. Files of equal
    content are pairs without being named. ``links`` are names that are hard links of others.
    """
    folder = place / "folder"
    for file in files:
        path = folder / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        if links and file.path in links:
            os.link(folder / links[file.path], path)
        elif file.part is None:
            path.write_text(file.content, encoding="utf-8")
        os.utime(path, ns=(file.modified, file.modified)) if path.exists() else None
    write(place / "report", tables(folder, files, pairs), manifest(folder, files, pairs, plan))
    return opened(place / "report")


def write(place: Path, tables: Mapping[str, pa.Table], facts: Mapping[str, Any]) -> None:
    """The files of a report that are read again."""
    place.mkdir(parents=True)
    for name, table in tables.items():
        pq.write_table(table, place / f"{name}.parquet")
    (place / "manifest.json").write_text(json.dumps(facts), encoding="utf-8")


def tables(folder: Path, files: Sequence[MadeFile], pairs: Sequence[Listed]) -> dict[str, pa.Table]:
    """The tables of a report on these files, which need not exist."""
    ids = [file.path if file.part is None else f"{file.path}!{file.part}" for file in files]
    count = len(files)
    digests = [hashlib.blake2b(f.content.encode(), digest_size=16).digest() for f in files]
    documents = pa.table(
        {
            "number": pa.array(range(count), pa.int64()),
            "id": pa.array(ids, pa.string()),
            "source": pa.array([str(folder)] * count, pa.string()),
            "place": pa.array(range(1, count + 1), pa.int64()),
            "status": pa.array(["ok"] * count, pa.string()),
            "units": pa.array([len(file.content.split()) for file in files], pa.int64()),
            "features": pa.array([1] * count, pa.int64()),
            "same_as": pa.nulls(count, pa.string()),
            "file": pa.array([os.fsencode(folder / file.path) for file in files], pa.binary()),
            "part": pa.array([file.part for file in files], pa.string()),
            "bytes": pa.array([len(file.content.encode()) for file in files], pa.int64()),
            "modified": pa.array([file.modified for file in files], pa.int64()),
            "digest": pa.array(digests, pa.binary()),
        }
    )
    scores = [pair[3] for pair in pairs]
    listed = pa.table(
        {
            "left": pa.array([pair[0] for pair in pairs], pa.string()),
            "right": pa.array([pair[1] for pair in pairs], pa.string()),
            "score": pa.array(scores, pa.float64()),
            "containment_left": pa.array(scores, pa.float64()),
            "containment_right": pa.array(scores, pa.float64()),
            "shared": pa.array([1] * len(pairs), pa.int64()),
            "kind": pa.array([pair[2] for pair in pairs], pa.string()),
        }
    )
    clusters = pa.table(
        {
            "cluster": pa.array([], pa.int64()),
            "id": pa.array([], pa.string()),
            "role": pa.array([], pa.string()),
            "anchor": pa.array([], pa.string()),
            "score": pa.array([], pa.float64()),
            "weakest": pa.array([], pa.float64()),
            "chained": pa.array([], pa.bool_()),
        }
    )
    return {"documents": documents, "pairs": listed, "clusters": clusters}


def manifest(
    folder: Path, files: Sized, pairs: Sized, plan: Mapping[str, Any] | None
) -> dict[str, Any]:
    """What a run over a folder would state."""
    read = {"id": "id", "text": "text", "html": "auto", "on_error": "skip"}
    options = {"method": "exact", "threshold": 0.6, "measure": "jaccard", "recall": 0.99}
    chosen = {"clusters": "anchored", "keep": "first", "never_remove": None, **(plan or {})}
    return {
        "twinset": "made up",
        "created": "2026-01-01T00:00:00+00:00",
        "plan": {**options, **chosen, "read": read, "candidates": {"kind": "join"}},
        "decision": {"by": "measure"},
        "inputs": [{"source": str(folder), "path": str(folder), "reader": "files"}],
        "counts": {
            "documents": len(files),
            "pairs": len(pairs),
            "clusters": 0,
            "clustered_documents": 0,
        },
        "observed": {"histogram": {"edges": [0.0, 1.0], "counts": [len(pairs)]}},
    }
