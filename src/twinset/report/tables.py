"""The plain files of a report: Parquet tables, ``duplicates.txt`` and ``removals.csv``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from twinset.model import spreadsheet
from twinset.model.columns import numbers, scalar, text
from twinset.pages.language import say
from twinset.report.shared import all_shared, least_shared

if TYPE_CHECKING:
    import pyarrow as pa

    from twinset.report.results import Results

EQUAL = "equal features"
NEAR = "near-duplicate"
DECIDED = "decided by hand"


def write_parquet(table: pa.Table, path: Path) -> None:
    """Write a table; equal tables give equal bytes."""
    import pyarrow.parquet as pq

    pq.write_table(table, path, compression="zstd")


def write_duplicates(results: Results, path: Path) -> None:
    """One line a cluster in the papers' form: its ids, then the least number of shared features.

    Where the number of features that all members share is known, it is that one; it is 0 where no
    pair of the cluster was enumerated. Ids with spaces are quoted.
    """
    clusters = results.clusters.select(["cluster", "id"]).sort_by("cluster")
    cluster, ids = numbers(clusters["cluster"]), clusters["id"].to_pylist()
    counts = all_shared(results) or least_shared(results)
    with path.open("w", encoding="utf-8", newline="\n") as file:
        start = 0
        for row in range(1, len(ids) + 1):
            if row == len(ids) or cluster[row] != cluster[start]:
                members = " ".join(map(spell, ids[start:row]))
                file.write(f"{members} {counts.get(int(cluster[start]), 0)}\n")
                start = row


def spell(id: str) -> str:
    """An id as one word: quoted as in JSON where it is not one already."""
    plain = id and not any(mark.isspace() or mark in '"\\' or not mark.isprintable() for mark in id)
    return id if plain else json.dumps(id, ensure_ascii=False)


def write_removed(results: Results, path: Path) -> None:
    """Every removed document with the one kept in its place, the score and the reason."""
    spreadsheet.write_table(removed(results), path)


def removed(results: Results) -> pa.Table:
    """The removed documents as a table: removed, kept, score, reason."""
    import pyarrow as pa
    import pyarrow.compute as pc

    rows = results.documents.filter(pc.is_valid(results.documents["kept_as"]))
    same = _representatives(results.documents, rows["id"])
    kept = _representatives(results.documents, rows["kept_as"])
    reason = pc.if_else(pc.equal(same, kept), scalar(EQUAL), scalar(NEAR))
    if "kept_because" in rows.column_names:
        reason = pc.coalesce(rows["kept_because"].cast(reason.type), reason)
    if "kept_reason" in rows.column_names:
        reason = rows["kept_reason"]
    columns = [rows["id"], rows["kept_as"], rows["kept_score"], reason]
    return pa.table(columns, names=["removed", "kept", "score", "reason"])


def write_kept_apart(apart: pa.Table, path: Path, language: str) -> None:
    """Every document that stays beside one that is alike, and why it is no copy of it."""
    reasons = [
        say(language, f"kinds.reason_{kind or 'unknown'}", changes=changes)
        for kind, changes in zip(
            apart["kind"].to_pylist(), apart["changes"].to_pylist(), strict=True
        )
    ]
    columns = apart.select(["kept", "beside", "score", "kind"])
    spreadsheet.write_table(columns.append_column("reason", text(reasons)), path)


def _representatives(documents: pa.Table, ids: pa.ChunkedArray) -> pa.ChunkedArray:
    """For these ids the documents that stand for their classes of equal feature sets."""
    import pyarrow.compute as pc

    named = pc.coalesce(documents["same_as"], documents["id"])
    return named.take(pc.index_in(ids, value_set=documents["id"]))
