"""Documents fetched again from where they came from: a report holds findings, not texts."""

from __future__ import annotations

import dataclasses
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from twinset.errors import ReadError, ReportError, TwinsetError
from twinset.model.columns import scalar
from twinset.pages.shown import LONG, brief
from twinset.plan import ReadOptions
from twinset.reading import Inputs, Source, open_inputs
from twinset.reading.formats import IMAGE_READER
from twinset.result.manifest import plan_of
from twinset.result.words import older
from twinset.system.remote import is_remote

if TYPE_CHECKING:
    import pyarrow as pa

    from twinset.model import Batch
    from twinset.result.results import Results


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


Places = dict[int, str]
QUICK_BYTES = 64 << 20
"""Of inputs that are read through without hesitation."""


def texts(report: Results, ids: Sequence[str]) -> dict[str, str]:
    """The texts of these documents; one whose source is gone or has changed is left out."""
    return _read_again(report.manifest, places_of(report.documents, ids), report)


def _read_again(
    manifest: dict[str, Any], places: dict[str, Places], report: Results | None = None
) -> dict[str, str]:
    texts_by_id: dict[str, str] = {}
    for source, ids_by_place in places.items():
        with suppress(TwinsetError):
            inputs = reopen(_of_source(manifest, source), report)
            texts_by_id |= texts_at(manifest, inputs, {source: ids_by_place})
    return texts_by_id


def _of_source(manifest: dict[str, Any], source: str) -> dict[str, Any]:
    """The manifest with this one of its inputs."""
    entries = [e for e in manifest.get("inputs", []) if e["source"] == source]
    return {**manifest, "inputs": entries}


def both_texts(report: Results, left: str, right: str) -> tuple[str, str]:
    """The texts of two documents; raises where one cannot be had, and says why.

    Where documents were held against older ones, the right one is among these.
    """
    lefts, rights = texts_of_sides(report, [left], [right])
    held_against = older(report.manifest)
    documents = report.documents
    for id, texts_by_id in ((left, lefts), (right, rights)):
        if id in texts_by_id:
            continue
        if texts_by_id is rights and held_against is not None:
            raise ReportError(
                f"the text of '{brief(id)}' cannot be had from {held_against['name']}: it has no "
                "such document, or does not keep its text, or has changed"
            )
        source = documents["source"][number_of(documents["id"], id)].as_py()
        reopen(_of_source(report.manifest, source), report)  # says what is missing
        raise ReportError(
            f"the text of '{brief(id)}' cannot be read again: its source {source} has changed; "
            "run again"
        )
    return lefts[left], rights[right]


def texts_of_sides(
    report: Results, left: Sequence[str], right: Sequence[str]
) -> tuple[dict[str, str], dict[str, str]]:
    """The texts of documents on the left and on the right of pairs, as far as they can be had."""
    if older(report.manifest) is None:
        known = report.texts(list(dict.fromkeys([*left, *right])))
        lefts, rights = ({id: known[id] for id in ids if id in known} for ids in (left, right))
        return lefts, rights
    return report.texts(left), older_texts(report, list(dict.fromkeys(right)))


def older_texts(report: Results, ids: list[str]) -> dict[str, str]:
    """The texts of documents that those of a run were held against, as far as they can be had.

    A run knows them; of an opened report they are read again where they lie in files. Who can open
    an index, asks that for the others.
    """
    if report.older is not None:
        by_run: dict[str, str] = report.older.texts(ids)
        return by_run
    origins = report.more.get("older")
    if origins is None:
        return {}
    held_against = older(report.manifest) or {}
    plan = report.manifest["plan"]
    plan = {**plan, "read": {**plan["read"], **held_against.get("fields", {})}}
    manifest = {**report.manifest, "plan": plan, "inputs": held_against.get("inputs", [])}
    return _read_again(manifest, places_of(origins, ids))


def texts_at(
    manifest: dict[str, Any], inputs: Inputs, places: Mapping[str, Places]
) -> dict[str, str]:
    """Texts by id, from source -> place -> id; what is gone or has changed is left out."""
    from twinset.reading.reread import fetch

    texts_by_id: dict[str, str] = {}
    for source in inputs.sources:
        ids_by_place = places.get(source.name)
        if not ids_by_place or not _is_unchanged(manifest, source):
            continue
        try:
            for document in fetch(inputs, source, list(ids_by_place)):
                id = ids_by_place[document.place]
                # A file that came or went shifts the others: a wrong text is worse than none.
                if document.id is None or id.startswith(document.id):
                    texts_by_id[id] = document.text
        except (TwinsetError, OSError):
            continue
    return texts_by_id


def places_of(documents: pa.Table, ids: Sequence[str]) -> dict[str, Places]:
    """Source -> place -> id."""
    import pyarrow.compute as pc

    from twinset.model.columns import text

    is_chosen = pc.is_in(documents["id"], value_set=text(list(ids)))
    places: dict[str, Places] = defaultdict(dict)
    for row in documents.filter(is_chosen).select(["id", "source", "place"]).to_pylist():
        places[row["source"]][row["place"]] = row["id"]
    return places


def bytes_of(report: Results, ids: Iterable[str]) -> int:
    """How much there is to read to get at these documents."""
    return sum(int(entry.get("bytes") or 0) for entry in inputs_of(report, ids))


def is_quick(entries: Iterable[dict[str, Any]], most_bytes: int = QUICK_BYTES) -> bool:
    """Whether somebody would wait for a few documents of these inputs to be read again.

    Files of a folder and the lines of a plain file are found without the others.
    """
    through = (e for e in entries if e.get("reader") != "files" and not _has_plain_lines(e))
    return sum(int(entry.get("bytes") or 0) for entry in through) <= most_bytes


def _has_plain_lines(entry: dict[str, Any]) -> bool:
    is_here = not is_remote(str(entry.get("path")))
    return is_here and entry.get("reader") == "jsonl" and not entry.get("compression")


def inputs_of(report: Results, ids: Iterable[str]) -> list[dict[str, Any]]:
    """What the manifest says of the inputs that these documents came from."""
    if not (ids := sorted(ids)):
        return []
    import pyarrow.compute as pc

    from twinset.model.columns import text

    known = report.documents["id"]
    rows = report.documents.filter(pc.is_in(known, text(ids).cast(known.type)))
    named = set(pc.unique(rows["source"]).to_pylist())
    return [entry for entry in report.manifest.get("inputs", []) if entry["source"] in named]


def picked(batches: Iterable[Batch], places: dict[str, Places]) -> Iterator[tuple[str, str]]:
    """Ids and texts of the documents at these places, read as far as the last of them."""
    import numpy as np

    left = {source: np.array(sorted(ids), dtype=np.int64) for source, ids in places.items()}
    for batch in batches:
        if batch.source not in left or not len(batch):
            continue
        ids_by_place = places[batch.source]
        for row in np.flatnonzero(np.isin(batch.places, left[batch.source])).tolist():
            text = batch.texts[row].as_py()
            if text is not None:
                yield ids_by_place[int(batch.places[row])], text
        if batch.places[-1] >= left[batch.source][-1]:
            del left[batch.source]
        if not left:
            return


def _is_unchanged(manifest: dict[str, Any], source: Source) -> bool:
    """Whether a source still has its size; a wrong text would be worse than none."""
    path, size = source.path, source.size
    if isinstance(path, Path):
        if not path.is_file():
            return path.exists()
        size = path.stat().st_size
    elif source.files:
        return True
    named = (e for e in manifest.get("inputs", []) if e["source"] == source.name)
    before = next((entry.get("bytes") for entry in named), None)
    return None in (size, before) or size == before


def reopen(
    manifest: dict[str, Any],
    report: Results | None = None,
    *,
    original: bool = False,
    paged: bool = False,
) -> Inputs:
    """The inputs of the run, with its names for them; ``original`` leaves texts as they are.

    Those that are ``paged`` have form feeds between their pages.

    What documents repeat is dropped as the tables of the ``report`` say.

    Raises where they are gone; whether their content is the same is not checked. A report may be
    somebody else's and name any path: only regular files are opened, and addresses only where no
    folders bound what is read, as they do for the page.
    """
    entries = [entry for entry in manifest.get("inputs", []) if entry.get("path")]
    if not entries:
        raise ReportError(
            "the documents of this report came from memory or a pipe and cannot be read again; "
            "run on files to have their texts at hand"
        )
    ensure_texts(manifest)
    options = read_options(manifest)
    if original:
        options = dataclasses.replace(options, html="no", boilerplate=None)
    # References are among the inputs, before the others as they were.
    options = dataclasses.replace(options, on_error="skip", reference=(), paged=paged)
    paths = [_place(entry) for entry in entries]
    try:
        inputs = open_inputs(paths, options, batch_bytes=4 << 20, regular=True)
    except ReadError as fault:
        raise ReportError(
            f"the source of this report cannot be read again: {fault}; put it back, or run again"
        ) from None
    described = {_full(path): entry for path, entry in zip(paths, entries, strict=True)}
    known = [
        dataclasses.replace(source, name=entry["source"], is_reference=bool(entry.get("reference")))
        for source in inputs.sources
        if (entry := described.get(_full(str(source.path)))) is not None
    ]
    inputs.sources = known
    from twinset.text.repeated import RepeatedLines

    repetition = inputs.repetition
    repetition.lines = RepeatedLines.of_table(None if report is None else report.repeated)
    if options.boilerplate is not None:
        from twinset.text.boilerplate import BoilerplateCutter

        table = None if report is None else report.boilerplate
        repetition.boilerplate = BoilerplateCutter.of_table(table)
    return inputs


def ensure_texts(manifest: dict[str, Any]) -> None:
    """Raise where the inputs of the run were images: these have no texts."""
    for entry in manifest.get("inputs", []):
        if entry.get("reader") == IMAGE_READER:
            raise ReportError(
                f"{entry['source']} holds images: the texts of this report's documents are not "
                "there; run on the documents themselves to have them at hand"
            )


def _place(entry: dict[str, Any]) -> str:
    """Where a source lies: by its full path, or by its name where the folder moved with it."""
    path = str(entry["path"])
    if is_remote(path):
        return path
    return path if os.path.exists(path) or not os.path.exists(entry["source"]) else entry["source"]


def _full(name: str) -> str:
    """A path from the root, or an address."""
    return name if is_remote(name) else os.path.abspath(name)


def read_options(manifest: dict[str, Any]) -> ReadOptions:
    """The options the sources were read with."""
    return plan_of(manifest).read
