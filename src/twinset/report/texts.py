"""Documents fetched again from where they came from: a report holds findings, not texts."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from twinset.errors import TwinsetError

if TYPE_CHECKING:
    from twinset.model import Batch
    from twinset.plan import ReadOptions
    from twinset.report.folder import Results

Places = dict[int, str]


def texts(report: Results, ids: Sequence[str]) -> dict[str, str]:
    """The texts of these documents; one whose source is gone or has changed is left out."""
    found: dict[str, str] = {}
    options = _read_options(report.manifest)
    for source, wanted in places_of(report, ids).items():
        if _unchanged(report.manifest, source):
            found.update(_from_source(source, wanted, options))
    return found


def places_of(report: Results, ids: Sequence[str]) -> dict[str, Places]:
    """Source -> place -> id."""
    import pyarrow as pa
    import pyarrow.compute as pc

    documents = report.documents
    wanted = pc.is_in(documents["id"], value_set=pa.array(list(ids), pa.string()))
    places: dict[str, Places] = defaultdict(dict)
    for row in documents.filter(wanted).select(["id", "source", "place"]).to_pylist():
        places[row["source"]][row["place"]] = row["id"]
    return places


def _from_source(source: str, wanted: Places, options: ReadOptions) -> dict[str, str]:
    """Read a source again as far as the last document that is wanted."""
    from twinset.read import open_inputs

    found: dict[str, str] = {}
    try:
        for id, text in picked(open_inputs([source], options).batches(), {source: wanted}):
            found[id] = text
    except (TwinsetError, OSError):
        return found
    return found


def picked(batches: Iterable[Batch], places: dict[str, Places]) -> Iterator[tuple[str, str]]:
    """Ids and texts of the documents at these places, read as far as the last of them."""
    import numpy as np

    left = {source: np.array(sorted(wanted), dtype=np.int64) for source, wanted in places.items()}
    for batch in batches:
        if batch.source not in left or not len(batch):
            continue
        wanted = places[batch.source]
        for row in np.flatnonzero(np.isin(batch.places, left[batch.source])).tolist():
            text = batch.texts[row].as_py()
            if text is not None:
                yield wanted[int(batch.places[row])], text
        if batch.places[-1] >= left[batch.source][-1]:
            del left[batch.source]
        if not left:
            return


def _read_options(manifest: dict[str, Any]) -> ReadOptions:
    from twinset.plan import ReadOptions

    given = manifest.get("plan", {}).get("read") or {}
    return ReadOptions(**{f.name: given[f.name] for f in fields(ReadOptions) if f.name in given})


def _unchanged(manifest: dict[str, Any], source: str) -> bool:
    """Whether a source still has its size; a wrong text would be worse than none."""
    for entry in manifest.get("inputs", []):
        if entry["source"] == source and os.path.isfile(source):
            return entry.get("bytes") in (None, os.path.getsize(source))
    return os.path.exists(source)
