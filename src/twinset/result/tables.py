"""The plain files of a report: Parquet tables, ``duplicates.txt`` and ``removals.csv``.

Documents with equal feature sets stand for each other, so that a compact list of pairs (one
document a class) gives the same numbers as a full one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from twinset.model import Floats, Ints, spread
from twinset.model.columns import numbers, replaced, taken, text, valid, wide, words
from twinset.pages.language import say
from twinset.result.words import decided
from twinset.text.arrow import arrow_text, with_tails

if TYPE_CHECKING:
    import pyarrow as pa

    from twinset.result.results import Results


def _row_numbers(results: Results, ids: pa.ChunkedArray) -> Ints:
    """The numbers of the documents that a column names by id; -1 where it names none."""
    import pyarrow.compute as pc

    known = results.documents["id"]
    places = pc.index_in(ids.cast(known.type), value_set=known, skip_nulls=True)
    return np.asarray(numbers(places, missing=-1), dtype=np.int64)


def _leaders(results: Results) -> Ints:
    """For every document the number of the one that represents its class."""
    representative = _row_numbers(results, results.documents["same_as"])
    return np.where(representative < 0, np.arange(len(representative)), representative)


_UNKNOWN = np.iinfo(np.int64).max


class _Known(NamedTuple):
    """Known pairs by class numbers, left <= right."""

    left: Ints
    right: Ints
    shared: Ints

    def shared_of(self, left: Ints, right: Ints) -> Ints:
        """The features that the documents of these classes share; -1 where it is not known."""
        width = int(max(side.max(initial=0) for side in (self.right, left, right))) + 1
        keys, first = np.unique(self.left * width + self.right, return_index=True)
        pairs = np.minimum(left, right) * width + np.maximum(left, right)
        place = np.minimum(np.searchsorted(keys, pairs), len(keys) - 1)
        return np.where(keys[place] == pairs, self.shared[first[place]], -1)


# How many features two documents share, from their similarity and sizes: the measures turned round.
SHARED: dict[str, Callable[[Floats, Floats, Floats], Floats]] = {
    "jaccard": lambda score, a, b: score * (a + b) / (1 + score),
    "dice": lambda score, a, b: score * (a + b) / 2,
    "cosine": lambda score, a, b: score * np.sqrt(a * b),
    "containment": lambda score, a, b: score * np.minimum(a, b),
    "overlap": lambda score, a, b: score,
}


def shared_counts(results: Results) -> Ints:
    """For every number of a cluster the count that ``duplicates.txt`` has behind its ids.

    It is how many features all its members share, where the kind of cluster knows it, and else the
    fewest that a member shares with its anchor; 0 where nothing is known.
    """
    cluster = numbers(results.clusters["cluster"])
    counts = np.zeros(int(cluster.max(initial=-1)) + 1, np.int64)
    if "shared" in results.clusters.column_names:
        counts[cluster] = numbers(results.clusters["shared"])
        return counts
    least = _least_shared(results)
    known = least != _UNKNOWN
    counts[known] = least[known]
    return counts


def _least_shared(results: Results) -> Ints:
    """For every number of a cluster the fewest features that a member shares with its anchor.

    Where there is no anchor, the fewest that a known pair inside shares.
    """
    cluster = np.asarray(numbers(results.clusters["cluster"]), dtype=np.int64)
    least = np.full(int(cluster.max(initial=-1)) + 1, _UNKNOWN)
    if not len(cluster):
        return least
    member, anchor = (_row_numbers(results, results.clusters[name]) for name in ("id", "anchor"))
    measure = results.manifest["plan"].get("measure", "jaccard")
    # The score of a judge or of a method says nothing about shared features.
    reversible = measure in SHARED and decided(results.manifest)["by"] == "measure"
    held = anchor >= 0
    has_anchor = np.zeros(len(least), bool)
    has_anchor[cluster[held]] = True
    free = ~has_anchor[cluster]
    held &= anchor != member
    sizes = numbers(results.documents["features"])
    if reversible:
        shared = _reversed(results, measure, member, anchor, held, sizes)
        np.minimum.at(least, cluster[held], shared)
        if not free.any():
            return least
    class_of = _leaders(results)
    known = _known(results, class_of, sizes)
    if not reversible:
        shared = known.shared_of(class_of[member[held]], class_of[anchor[held]])
        there = shared >= 0
        np.minimum.at(least, cluster[held][there], shared[there])
    np.minimum.at(least, *_inside(known, cluster[free], class_of[member[free]]))
    return least


def _reversed(
    results: Results,
    measure: str,
    member: Ints,
    anchor: Ints,
    held: NDArray[np.bool_],
    sizes: Ints,
) -> Ints:
    """The features shared with the anchor, from the score of the plan's measure."""
    score = numbers(results.clusters["score"])[held]
    pairs = sizes[member[held]].astype(np.float64), sizes[anchor[held]].astype(np.float64)
    return np.rint(SHARED[measure](score, *pairs)).astype(np.int64)


def _known(results: Results, class_of: Ints, features: Ints) -> _Known:
    """The listed pairs and, for each class, the pair of two of its documents."""
    sides = [class_of[_row_numbers(results, results.pairs[side])] for side in ("left", "right")]
    classes = np.unique(class_of)
    shared = np.asarray(numbers(results.pairs["shared"]), dtype=np.int64)
    return _Known(
        np.append(np.minimum(*sides), classes),
        np.append(np.maximum(*sides), classes),
        np.append(shared, features[classes]),
    )


def _inside(known: _Known, cluster: Ints, member: Ints) -> tuple[Ints, Ints]:
    """(cluster, shared) for each known pair inside a cluster; clusters may overlap."""
    width = int(known.right.max()) + 1
    keys, copies = np.unique(
        member * (int(cluster.max(initial=0)) + 1) + cluster, return_counts=True
    )
    member, cluster = np.divmod(keys, int(cluster.max(initial=0)) + 1)
    first = np.searchsorted(member, known.left, side="left")
    many = np.searchsorted(member, known.left, side="right") - first
    pair, place = spread(many)
    row = first[pair] + place
    inhabited = np.sort(cluster * width + member)
    present = np.isin(cluster[row] * width + known.right[pair], inhabited)
    # A class is a pair with itself only where two of its documents are members.
    present &= (known.left[pair] != known.right[pair]) | (copies[row] > 1)
    return cluster[row][present], known.shared[pair[present]]


EQUAL = "equal features"
NEAR = "near-duplicate"
THERE = "already there"
DECIDED = "decided by hand"
_IDS = {"id", "same_as", "kept_as", "left", "right", "anchor", "kept", "beside"}
"""Columns of which a list of the different values would be as long as the column."""
_STEPS = {"number", "place", "cluster", "span", "unit", "start", "end"}
"""Columns of places and running numbers: the steps from row to row are stored."""
_LINES = 1 << 16
_GROUP_ROWS = 1 << 17
_QUOTED = re.compile(r'[ "\\]')
_ODD = np.ones(256, bool)
"""Bytes of ids that need a closer look: no ASCII, or blanks, quotes and backslashes."""
_ODD[ord("!") : ord("~") + 1] = False
_ODD[[ord('"'), ord("\\")]] = True


def write_parquet(table: pa.Table, path: Path) -> None:
    """Write a table; equal tables give equal bytes."""
    import pyarrow.parquet as pq

    names = table.column_names
    steps = {name: "DELTA_BINARY_PACKED" for name in names if name in _STEPS}
    coded = [name for name in names if name not in _STEPS and name not in _IDS]
    with path.open("wb") as file:  # which a fault closes at once, as Arrow does not
        pq.write_table(
            table,
            file,
            row_group_size=_GROUP_ROWS,
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

    goes, leader = np.flatnonzero(valid(results.documents["kept_as"])), _leaders(results)
    # Of a hundred million documents the sources alone are more than Arrow takes at once.
    named = ("id", "kept_as", "kept_score", "kept_because", "kept_reason")
    known = results.documents.column_names
    rows = taken(results.documents.select([name for name in named if name in known]), goes)
    is_near = leader[goes] != leader[_row_numbers(results, rows["kept_as"])]
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
        ": ".join(filter(None, (say(language, f"kinds.{kind or 'unknown'}"), changes)))
        for kind, changes in zip(
            apart["kind"].to_pylist(), apart["changes"].to_pylist(), strict=True
        )
    ]
    columns = apart.select(["kept", "beside", "score", "kind"])
    from twinset.model import spreadsheet

    spreadsheet.write_table(columns.append_column("reason", text(reasons)), path)
