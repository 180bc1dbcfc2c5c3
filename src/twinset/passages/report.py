"""The report folder of what repeats inside documents: tables, a page, documents without it."""

from __future__ import annotations

import datetime
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from twinset._version import VERSION
from twinset.engine.manifest import inputs_of, peak_memory, unread_of
from twinset.model import Documents, Ints
from twinset.model.columns import column, words
from twinset.pages.language import ensure_known
from twinset.passages.noting import ReadDocuments
from twinset.passages.removing import ensure_removable, write_without
from twinset.passages.stretches import Stretches
from twinset.report import staged
from twinset.report.folder import manifest_text
from twinset.report.places import MANIFEST
from twinset.report.tables import write_parquet
from twinset.system.remote import Place, place_of


class Cut(NamedTuple):
    """What is missing in the documents that a report holds, and which part of the repeats it is."""

    stretches: Stretches
    named: str


def documents_table(read: ReadDocuments, repeated: Ints) -> pa.Table:
    """A row for every document, with how many of its characters are ``repeated``."""
    return pa.table(
        {
            "id": read.ids,
            "source": words(read.source, read.sources),
            "place": column(read.places.astype(np.int64)),
            "characters": column(read.characters),
            "repeated": column(repeated),
        }
    )


def stretches_table(read: ReadDocuments, stretches: Stretches) -> pa.Table:
    """Stretches of documents: ``id``, ``start`` and ``end``."""
    return pa.table(
        {
            "id": read.ids.take(column(stretches.document)),
            "start": column(stretches.start),
            "end": column(stretches.end),
        }
    )


def manifest_of(
    command: Mapping[str, Any],
    documents: Documents,
    read: ReadDocuments,
    totals: Mapping[str, int],
    timings: Mapping[str, float],
    threads: int,
) -> dict[str, Any]:
    """What was done to which inputs; ``command`` says by which options.

    Totals are of the documents that were asked about, without those of references.
    """
    own = ~np.asarray(read.reference)
    return {
        **run_facts(timings, threads),
        **command,
        **read_facts(documents, read),
        "totals": {
            "documents": int(np.count_nonzero(own)),
            "characters": int(read.characters[own].sum()),
            **totals,
        },
    }


def run_facts(timings: Mapping[str, float], threads: int) -> dict[str, Any]:
    """By which version, when and at which cost something was found."""
    return {
        "twinset": VERSION,
        "created": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "timings": dict(timings),
        "cpu_seconds": round(time.process_time(), 3),
        "peak_memory_mb": peak_memory(),
        "threads": threads,
    }


def read_facts(documents: Documents, read: ReadDocuments) -> dict[str, Any]:
    """What was read, and what could not be."""
    return {
        "inputs": inputs_of(documents, read.sources, read.source),
        "faults": dict(read.fault_counts),
        "first_faults": [asdict(fault) for fault in read.faults],
        **unread_of(documents),
    }


def write_report(
    folder: str | Place,
    force: bool,
    language: str,
    manifest: Mapping[str, Any],
    tables: Mapping[str, pa.Table],
    page: Callable[[dict[str, Any]], str],
    source: Any = None,
    ids: pa.Array = None,
    cut: Cut | None = None,
) -> tuple[Place, dict[str, Any]]:
    """Write it whole or not at all, with the documents if something is ``cut`` out of them.

    Returns where it is, and what is known of these documents.
    """
    ensure_known(language)
    if cut is not None:
        ensure_removable(source)
    target, saved = place_of(folder), dict[str, Any]()
    manifest = dict(manifest)
    inputs = [str(entry["source"]) for entry in manifest["inputs"]]
    with staged(target, force, inputs) as files:
        if cut is not None:
            documents = files if isinstance(target, Path) else target
            done = write_without(source, ids, cut.stretches, files, documents)
            manifest["removed"] = cut.named
            manifest["written"] = {"cleaned": asdict(done.written)}
            manifest["uncut"] = done.uncut
            saved.update(cleaned=target / done.written.path, uncut=done.uncut)
        for name, table in tables.items():
            write_parquet(table, files / f"{name}.parquet", manifest["threads"])
        (files / "report.html").write_bytes(page(manifest).encode("utf-8", "replace"))
        (files / MANIFEST).write_bytes(manifest_text(manifest))
    return target, saved
