"""From arrays of document numbers to tables of ids: the columns of the report's files."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset.finding.candidates.base import feature_groups
from twinset.finding.methods.base import Evidence, Search
from twinset.model import Clusters, FileFacts, Floats, Ints, Pairs
from twinset.model.columns import column, taken, text, valid, words
from twinset.model.flow import KINDS, Codes
from twinset.plan import Resources
from twinset.run.copies import Classes, Copies
from twinset.run.documents import STATUS, Collected


def documents_table(documents: Collected, classes: Classes, copies: Copies) -> pa.Table:
    """One row per document in reading order.

    Where exact copies have another similarity than 1 (a count, for instance), it has a column.
    """
    number = np.arange(len(documents))
    same = classes.leader != number
    table = pa.table(
        {
            "number": column(number),
            "id": documents.ids,
            "source": words(documents.source, documents.sources),
            "place": column(documents.places.astype(np.int64)),
            "status": words(documents.status, STATUS.tolist()),
            "units": column(documents.units.astype(np.int64)),
            "features": column(documents.sizes.astype(np.int64)),
            "same_as": _ids_or_null(documents.ids, classes.leader, same),
        }
    )
    if documents.files is not None:
        for name, values in file_columns(documents.files).items():
            table = table.append_column(name, values)
    nothing = (copies.score == 0) | ((documents.status != 0) & ~copies.by_bytes)
    if (nothing | (copies.score == 1)).all():
        return table
    return table.append_column("copy_score", column(copies.score, missing=nothing))


def file_columns(files: FileFacts) -> dict[str, pa.Array]:
    """What is known of plain files; null for documents that are none."""
    none = ~valid(files.path)
    return {
        "file": files.path,
        "part": files.part,
        "bytes": column(files.bytes, missing=none),
        "modified": column(files.modified, missing=none),
        "digest": files.digest,
    }


def with_kept_as(documents: pa.Table, target: Ints, score: Floats) -> pa.Table:
    """The documents with the one kept in the place of each removed one, and their similarity."""
    goes = target != np.arange(len(target))
    ids = documents["id"].combine_chunks()
    table = documents.append_column("kept_as", _ids_or_null(ids, target, goes))
    return table.append_column("kept_score", column(score, missing=~goes))


def pairs_table(documents: Collected, pairs: Pairs, evidence: Evidence, kinds: Codes) -> pa.Table:
    """One row a pair; containments are shares of the left and of the right document."""
    shares = tuple(
        pairs.shared / np.maximum(documents.sizes[side], 1) for side in (pairs.left, pairs.right)
    )
    if documents.files is not None:  # equal files lie in each other, with features or without
        equal = documents.contents[pairs.left] == documents.contents[pairs.right]
        shares = np.where(equal, 1.0, shares[0]), np.where(equal, 1.0, shares[1])
    return pa.table(
        {
            "left": taken(documents.ids, pairs.left),
            "right": taken(documents.ids, pairs.right),
            "score": column(pairs.score),
            "containment_left": column(shares[0]),
            "containment_right": column(shares[1]),
            "shared": column(pairs.shared),
            "kind": kind_names(kinds),
            **{
                name: column(values) if isinstance(values, np.ndarray) else values
                for name, values in evidence.items()
            },
        }
    )


def evidence_of(search: Search, pairs: Pairs, classes: Classes) -> Evidence:
    """What the method says of these pairs; null for files that are equal by their bytes alone."""
    left, right = classes.leader[pairs.left], classes.leader[pairs.right]
    bare = classes.by_bytes[pairs.left] & (left == right)
    if not bare.any():
        return search.evidence(pairs.left, pairs.right)
    evidence = search.evidence(pairs.left[~bare], pairs.right[~bare])
    place = column(np.cumsum(~bare) - ~bare, missing=bare)
    return {
        name: (column(values) if isinstance(values, np.ndarray) else values).take(place)
        for name, values in evidence.items()
    }


def groups_table(documents: Collected, resources: Resources) -> pa.Table:
    """One row for each set of documents that share a key: how many keys, and the documents."""
    everyone = np.arange(len(documents), dtype=np.uint32)
    groups = feature_groups(documents.store, everyone, resources)
    first, keys = groups.distinct()
    members = groups.members.take(first)
    ids = documents.ids.take(column(members.values))
    return pa.table(
        {
            "group": column(np.arange(len(first))),
            "keys": column(keys),
            "size": column(members.lengths),
            "ids": pa.LargeListArray.from_arrays(column(members.offsets), ids),
        }
    )


def clusters_table(
    documents: Collected, clusters: Clusters, keep: NDArray[np.bool_] | None, kinds: Codes
) -> pa.Table:
    """One row a member; roles are decided by dedup alone, ``kinds`` has one code per cluster."""
    member = clusters.member
    role = np.full(len(member), 2) if keep is None else np.where(keep[member], 0, 1)
    weakest = clusters.weakest[clusters.cluster]
    unknown = np.isnan(weakest)
    table = pa.table(
        {
            "cluster": column(clusters.cluster),
            "id": taken(documents.ids, member),
            "role": words(role, ["kept", "removed", "member"]),
            "anchor": _ids_or_null(documents.ids, clusters.anchor, clusters.anchor >= 0),
            "score": column(clusters.score, missing=np.isnan(clusters.score)),
            "weakest": column(weakest, missing=unknown if unknown.any() else None),
            "chained": column(clusters.chained[clusters.cluster]),
            "kind": kind_names(kinds[clusters.cluster]),
        }
    )
    if clusters.shared is not None:
        table = table.append_column("shared", column(clusters.shared[clusters.cluster]))
    return table


def kind_names(codes: Codes) -> pa.Array:
    """Kinds by name, null where none was decided."""
    if (codes < 0).all():
        return pa.nulls(len(codes), pa.string())
    known = pa.DictionaryArray.from_arrays(
        column(np.maximum(codes, 0).astype(np.int32), missing=codes < 0), text(list(KINDS))
    )
    return known.cast(pa.string())


def _ids_or_null(ids: pa.Array, numbers: Ints, there: NDArray[np.bool_]) -> pa.Array:
    """The ids of these documents where one is ``there``, mostly in few places."""
    rows = np.flatnonzero(there)
    named = taken(ids, numbers[rows])
    if not len(rows):
        return pa.nulls(len(there), ids.type)
    offsets = np.zeros(len(there) + 1, np.int64)
    offsets[rows + 1] = np.diff(np.frombuffer(named.buffers()[1], np.int64, len(rows) + 1))
    np.cumsum(offsets, out=offsets)
    valid = pa.py_buffer(np.packbits(there, bitorder="little"))
    buffers = [valid, pa.py_buffer(offsets), named.buffers()[2]]
    return pa.Array.from_buffers(ids.type, len(there), buffers)
