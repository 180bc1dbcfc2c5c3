"""The plain files of a report: Parquet tables, ``duplicates.txt`` and ``removals.csv``."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from twinset.model.columns import numbers, replaced, taken, text, wide, words
from twinset.pages.language import say
from twinset.report.numbered import numbers_of
from twinset.report.shared import shared_counts
from twinset.text.arrow import arrow_text, with_tails

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from twinset.model import Ints
    from twinset.report.results import Results

EQUAL = "equal features"
NEAR = "near-duplicate"
THERE = "already there"
DECIDED = "decided by hand"
_IDS = {"id", "same_as", "kept_as", "left", "right", "anchor", "kept", "beside"}
"""Columns of which a list of the different values would be as long as the column."""
_STEPS = {"number", "place", "cluster", "span", "unit", "start", "end"}
"""Columns of places and running numbers: the steps from row to row are stored."""
_LINES = 1 << 16
_QUOTED = re.compile(r'[ "\\]')
_ODD = np.ones(256, bool)
"""Bytes of ids that need a closer look: no ASCII, or blanks, quotes and backslashes."""
_ODD[ord("!") : ord("~") + 1] = False
_ODD[[ord('"'), ord("\\")]] = True


def write_parquet(table: pa.Table, path: Path, threads: int = 1) -> None:
    """Write a table; equal tables give equal bytes, whatever the threads."""
    from twinset.model.row_groups import write_table

    names = table.column_names
    steps = {name: "DELTA_BINARY_PACKED" for name in names if name in _STEPS}
    coded = [name for name in names if name not in _STEPS and name not in _IDS]
    write_table(
        table,
        path,
        threads,
        compression="zstd",
        use_dictionary=coded,
        column_encoding=steps or None,
    )


def write_duplicates(results: Results, path: Path) -> None:
    """One line a cluster in the papers' form: its ids, then the least number of shared features.

    Where the number of features that all members share is known, it is that one; it is 0 where no
    pair of the cluster was enumerated. Ids with spaces are quoted.
    """
    clusters = results.clusters.select(["cluster", "id"])
    if (np.diff(numbers(clusters["cluster"])) < 0).any():
        clusters = clusters.sort_by("cluster")
    cluster, counts = numbers(clusters["cluster"]), shared_counts(results)
    starts = np.flatnonzero(np.diff(cluster, prepend=-1))
    ends = np.append(starts[1:], len(cluster))
    with path.open("wb") as file:
        for first in range(0, len(starts), _LINES):
            of, lines = starts[first], slice(first, first + _LINES)
            ids = clusters["id"].slice(of, ends[lines][-1] - of).combine_chunks()
            file.write(_lines(ids, ends[lines] - of, counts[cluster[starts[lines]]]).data)


def _lines(ids: pa.Array, ends: Ints, counts: Ints) -> NDArray[np.uint8]:
    """The ids up to each end as one line, with the count behind them."""
    data, offsets = arrow_text(_spelt(wide(ids)))
    distinct, of = np.unique(counts, return_inverse=True)
    tails = [b" ", *(b" %d\n" % count for count in distinct.tolist())]
    tail_of = np.zeros(len(ids), np.int64)
    tail_of[ends - 1] = of + 1
    return with_tails(data, offsets[:-1], offsets[1:], tails, tail_of)[0]


def _spelt(ids: pa.Array) -> pa.Array:
    """The ids as words, of which most are words already: one look at their bytes tells."""
    data, offsets = arrow_text(ids)
    marks = np.flatnonzero(_ODD[data[offsets[0] : offsets[-1]]]) + offsets[0]
    odd = np.diff(offsets) == 0
    odd[np.searchsorted(offsets, marks, side="right") - 1] = True
    if not odd.any():
        return ids
    spelt = [spell(id) for id in taken(ids, np.flatnonzero(odd)).to_pylist()]
    return replaced(ids, odd, wide(text(spelt)))


def spell(id: str) -> str:
    """An id as one word: quoted as in JSON where it is not one already."""
    # of all blanks only the space is printable
    plain = id and id.isprintable() and not _QUOTED.search(id)
    return id if plain else json.dumps(id, ensure_ascii=False)


def write_removed(results: Results, path: Path) -> None:
    """Every removed document with the one kept in its place, the score and the reason."""
    from twinset.model import spreadsheet

    spreadsheet.write_table(removed(results), path)


def removed(results: Results) -> pa.Table:
    """The removed documents as a table: removed, kept, score, reason."""
    import pyarrow as pa

    from twinset.model import compute as pc

    number = numbers_of(results)
    rows = taken(results.documents, number.goes)
    is_near = number.leader[number.goes] != number.leader[number.stays]
    reason = words(is_near, [EQUAL, NEAR])
    if "kept_because" in rows.column_names and len(rows):
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
    from twinset.model import spreadsheet

    spreadsheet.write_table(columns.append_column("reason", text(reasons)), path)
