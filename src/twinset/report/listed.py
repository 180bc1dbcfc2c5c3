"""Documents and pairs that a run lists, by their ids."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from twinset.errors import ReportError
from twinset.model.columns import scalar
from twinset.pages.shown import LONG, brief
from twinset.report.facts import older

if TYPE_CHECKING:
    import pyarrow as pa

    from twinset.report.results import Results

MOST_COMPARED = 200_000
"""Ids that are searched for the one closest to an unknown id."""
CLOSE = 60
"""Of 100: how similar an id is at least to be what was meant."""


def number_of(ids: pa.ChunkedArray, id: str, where: object = "this report") -> int:
    """The number of the document with this id; raises where there is none, with the closest id."""
    import pyarrow.compute as pc

    place = int(pc.index(ids, scalar(id).cast(ids.type)).as_py())
    if place < 0:
        raise ReportError(
            f"there is no document '{brief(id)}' in {where}; {meant(ids, id)}"
            "ids are as in the table of documents"
        )
    return place


def meant(ids: pa.ChunkedArray, id: str) -> str:
    """The question whether the closest of these ids was meant; nothing where none is close."""
    from rapidfuzz import fuzz, process

    if len(id) > LONG:
        return ""
    known = [other for other in ids.slice(0, MOST_COMPARED).to_pylist() if len(other) <= LONG]
    best = process.extractOne(
        id.casefold(), known, scorer=fuzz.ratio, processor=str.casefold, score_cutoff=CLOSE
    )
    return f"did you mean '{best[0]}'? " if best else ""


def listed_pair(results: Results, left: str, right: str) -> dict[str, Any] | None:
    """The row of two documents in the table of pairs; None where they are not listed.

    Documents with equal features count as the same one, as in the clusters.
    """
    import pyarrow.compute as pc

    documents, pairs = results.documents, results.pairs
    if older(results.manifest) is not None:
        return _listed_match(pairs, left, right)
    numbers = [number_of(documents["id"], id) for id in (left, right)]
    same_as = [documents["same_as"][number].as_py() for number in numbers]
    leaders = [leader or id for leader, id in zip(same_as, (left, right), strict=True)]
    if leaders[0] == leaders[1]:
        return _copies(results, left, right, leaders[0])
    sides = [pairs["left"], pairs["right"]]
    there, back = (
        pc.and_(pc.equal(sides[0], first), pc.equal(sides[1], second))
        for first, second in (leaders, leaders[::-1])
    )
    rows: list[dict[str, Any]] = pairs.filter(pc.or_(there, back)).slice(0, 1).to_pylist()
    if not rows:
        return None
    names = dict(zip(leaders, (left, right), strict=True))
    return rows[0] | {side: names[rows[0][side]] for side in ("left", "right")}


def _listed_match(pairs: pa.Table, left: str, right: str) -> dict[str, Any] | None:
    """The row of a new and an older document."""
    import pyarrow.compute as pc

    sides = (pc.equal(pairs[name], id) for name, id in (("left", left), ("right", right)))
    rows: list[dict[str, Any]] = pairs.filter(pc.and_(*sides)).slice(0, 1).to_pylist()
    return rows[0] if rows else None


def _copies(results: Results, left: str, right: str, leader: str) -> dict[str, Any] | None:
    """The row of two documents with equal features, whether they are listed or implied."""
    documents = results.documents
    number = number_of(documents["id"], leader)
    has_scores = "copy_score" in documents.column_names
    score = documents["copy_score"][number].as_py() if has_scores else 1.0
    if left == right or score is None or score != score:
        return None
    whole = {"containment_left": 1.0, "containment_right": 1.0}
    shared = documents["features"][number].as_py()
    return {"left": left, "right": right, "score": float(score), **whole, "shared": shared}
