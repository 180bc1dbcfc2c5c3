"""The manifest of a report, read and checked: who reads a report may rely on what is named here.

What a run writes is in ``pipeline.manifest``. Keys that are not named here may be missing or new.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from twinset._version import VERSION
from twinset.errors import PlanError, ReportError
from twinset.plan import Plan
from twinset.report.places import MANIFEST
from twinset.report.shape import (
    Check,
    between,
    both,
    entry,
    flag,
    listed,
    maybe,
    named,
    number,
    one_of,
    text,
    whole,
)
from twinset.spec import load, name_in
from twinset.system.bounded import MANIFEST_BYTES, read_regular

if TYPE_CHECKING:
    from twinset.clusters.base import ClustersOfImages, Explanation

COUNT = whole()
FEW = 3
"""Faults of a manifest that a message tells."""


def _decision(value: Any, place: str) -> Iterator[str]:
    if value.get("by") == "method" and not isinstance(value.get("documents_that"), str):
        yield f"it lacks {place}.documents_that"


def _histogram(value: Any, place: str) -> Iterator[str]:
    if len(value["edges"]) != len(value["counts"]) + 1:
        yield f"{place}.edges must be one more than {place}.counts"


def _closed(value: Any, place: str) -> Iterator[str]:
    if (value["k"] is None) == (value["share"] is None):
        yield f"{place} must have one of k and share"


def _kept(value: Any, place: str) -> Iterator[str]:
    if (value.get("kept") is None) != (value.get("removed") is None):
        yield f"{place} must have both of kept and removed, or none"


def text_or_texts(value: Any, place: str) -> Iterator[str]:
    """A text, or several of them."""
    yield from listed(text)(value, place) if isinstance(value, list) else text(value, place)


READ = entry(
    {},
    {
        "id": text,
        "text": text,
        "html": one_of("auto", "yes", "no"),
        "page_text": one_of("main", "whole"),
        "repeated": one_of("drop", "keep"),
        "each_file": flag,
        "on_error": one_of("skip", "stop"),
        "order": maybe(text),
        "max_document_bytes": whole(1),
        "within": listed(text),
        "reference": listed(text),
    },
)
PLAN = entry(
    {
        "method": text,
        "threshold": number,
        "recall": between(0, 1),
        "measure": text,
        "clusters": text,
    },
    {
        "keep": text_or_texts,
        "never_remove": maybe(text),
        "drop_boilerplate": maybe(number),
        "candidates": entry({}, {"kind": text, "bands": COUNT, "rows": COUNT}),
        "read": maybe(READ),
    },
)
MARKUP = (
    "html_cleaned",
    "html_main",
    "html_whole",
    "html_stripped",
    "html_empty",
    "repeated_pages",
    "repeated_lines",
    "repeated_left",
    "markup_left",
    "boilerplate_documents",
    "boilerplate_paragraphs",
    "boilerplate_left",
)
"""What readers count of texts that change: of mark-up and of boilerplate."""
PASSED_OVER = (
    "links_not_followed",
    "hard_links",
    "named_twice",
    "special_files",
    "lists_of_documents",
    "own_files",
    "hidden_files",
    "other_records",
)
"""What readers count of files and records that are not documents, and so are not read."""
SORTS = (
    "pictures",
    "films",
    "sounds",
    "archives",
    "programs",
    "unread_documents",
    "other_files",
)
"""What readers count of files without a reader, which are compared byte for byte."""
COUNTS = both(
    entry(
        dict.fromkeys(("documents", "pairs", "clusters", "clustered_documents"), COUNT),
        dict.fromkeys(
            ("kept", "removed", "removed_by_decision", "bad", "empty", "bytes", "repeated_ids"),
            maybe(COUNT),
        ),
    ),
    _kept,
)
INPUT = entry(
    {"source": text},
    {
        "path": maybe(text),
        "reader": text,
        "bytes": maybe(COUNT),
        "digest": maybe(text),
        "reference": flag,
        "documents": maybe(COUNT),
    },
)
WRITTEN = entry({"path": text, "documents": COUNT, "files": COUNT, "bytes": COUNT})
IMAGE_FACTS = entry({"image": text, "sets": COUNT, "notes": listed(text)})
SEARCHED = (
    "too_short",
    "components",
    "chained_components",
    "split_components",
    "truncated_components",
    "truncated_documents",
    "cut",
    "cut_clusters",
)
CLOSED = both(
    IMAGE_FACTS,
    entry(
        {"kind": text, "k": maybe(COUNT), "share": maybe(number), "false_clusters": text},
        dict.fromkeys(SEARCHED, COUNT),
    ),
    _closed,
)
TOLERANT = both(
    CLOSED,
    entry({"alpha": number, "mean_quality": maybe(number), "tolerated": COUNT, "quality": text}),
)
OBSERVED = entry(
    {},
    {
        "histogram": maybe(
            both(entry({"edges": listed(number, least=2), "counts": listed(COUNT)}), _histogram)
        ),
        "chained_clusters": maybe(COUNT),
        "weakest": maybe(number),
    },
)
AGAINST = entry(
    {"name": text, "documents": COUNT, "plan": text, "matched": COUNT, "already_there": COUNT},
    {"index": text, "verified": flag, "unread": COUNT, "inputs": listed(INPUT)},
)
FAULT = entry({"source": text, "kind": text, "detail": text}, {"line": maybe(whole())})
UNREAD_FILES = entry(
    {
        "files": COUNT,
        "documents": COUNT,
        "faults": named(COUNT),
        "first": listed(entry({"source": text, "documents": COUNT, "fault": text})),
    }
)
SHAPE: Check = entry(
    {"twinset": text, "plan": PLAN, "counts": COUNTS},
    {
        "created": text,
        "decision": maybe(
            both(
                entry({"by": one_of("measure", "judge", "method")}, {"threshold": number}),
                _decision,
            )
        ),
        "inputs": listed(INPUT),
        "against": AGAINST,
        "unread": maybe(text),
        "unread_files": maybe(UNREAD_FILES),
        "written": named(WRITTEN),
        "pairs": one_of("all", "compact", "partial"),
        "pairs_left_out": listed(entry({"by": text}, {"bound": COUNT, "pairs": maybe(COUNT)})),
        "implied_pairs": COUNT,
        "not_enumerated_pairs": maybe(COUNT),
        "clusters_complete": flag,
        "closed": CLOSED,
        "tolerant": TOLERANT,
        "kinds": maybe(
            entry({}, {"pairs": named(COUNT), "left_out": COUNT, "kept_apart": named(COUNT)})
        ),
        "without_reader": named(COUNT),
        "faults": maybe(named(COUNT)),
        "first_faults": listed(FAULT),
        "predicted": entry(
            {},
            {
                "recall_at_threshold": maybe(between(0, 1)),
                "s_curve": maybe(listed(listed(between(0, 1), 2))),
                "jaccard_at_threshold": maybe(number),
            },
        ),
        "observed": OBSERVED,
        "timings": named(number),
        "cpu_seconds": maybe(number),
        "peak_memory_mb": maybe(number),
        "threads": maybe(COUNT),
    },
)


def read_manifest(folder: Path, within: Sequence[str] = ()) -> dict[str, Any]:
    """The manifest of a report folder; raises with what is wrong with it.

    Where ``within`` names folders, a manifest that is a link out of them is not read.
    """
    file = folder / MANIFEST
    if not file.is_file():
        raise ReportError(
            f"{folder} is not a twinset report, it has no {MANIFEST}; name the folder given to -o"
        )
    try:
        manifest = json.loads(read_regular(file, MANIFEST_BYTES, within).decode())
    except (OSError, ValueError, RecursionError) as fault:
        reason = getattr(fault, "strerror", None) or fault
        raise ReportError(f"cannot read {file}: {reason}; run again with --force") from None
    if not isinstance(manifest, dict) or not isinstance(manifest.get("twinset"), str):
        raise ReportError(f"{file} was not written by twinset; name the folder given to -o")
    if manifest.get("command") in ("spans", "reuse"):
        raise ReportError(
            f"{folder} is about passages, of twinset {manifest['command']}: open its report.html, "
            f"or twinset ui {folder}"
        )
    if not {"plan", "counts"} & manifest.keys():
        raise ReportError(
            f"{file} is not that of a report but of another command; "
            "name the folder given to -o of find or dedup"
        )
    if is_about_units(manifest):
        raise ReportError(
            f"{folder} is about units of documents (--level): open its report.html, or "
            f"twinset ui {folder}"
        )
    faults = list(SHAPE(manifest, ""))
    if not faults and (facts := image_facts(manifest)) is not None:
        faults = list(IMAGE_FACTS(facts, name_in(manifest["plan"]["clusters"])))
    if faults:
        listing = "; ".join(faults[:FEW]) + ("; …" if len(faults) > FEW else "")
        raise ReportError(f"{file} is damaged: {listing}; {_remedy(manifest['twinset'])}")
    return manifest


def is_about_units(manifest: Mapping[str, Any]) -> bool:
    """Whether a run with a level has written it."""
    totals = manifest.get("totals")
    return isinstance(totals, dict) and "units" in totals


def image_facts(manifest: Mapping[str, Any]) -> dict[str, Any] | None:
    """What a run says of clusters that it searched in images; None for clusters out of pairs.

    The entry has the name of the kind of cluster, as ``closed``.
    """
    facts = manifest.get(name_in(manifest["plan"].get("clusters", "")))
    return facts if isinstance(facts, dict) and "image" in facts else None


def explained(manifest: Mapping[str, Any]) -> Explanation | None:
    """In words what a run says of clusters that it searched in images; None for others."""
    facts = image_facts(manifest)
    if facts is None:
        return None
    kind: type[ClustersOfImages] = load("clusters", name_in(manifest["plan"]["clusters"]))
    return kind.explain(facts)


def plan_of(manifest: Mapping[str, Any]) -> Plan:
    """The plan that made a report, as objects: whatever is computed again follows it."""
    try:
        return Plan.from_dict(manifest["plan"])
    except (PlanError, TypeError, ValueError) as fault:
        raise ReportError(
            f"the plan in {MANIFEST} cannot be understood: {fault}; "
            f"{_remedy(str(manifest.get('twinset', '')))}"
        ) from None


def _remedy(written_by: str) -> str:
    if _order(written_by) > _order(VERSION):
        return f"it was written by twinset {written_by} and this is {VERSION}: update twinset"
    return "run again with --force"


def _order(version: str) -> list[int]:
    """The leading numbers of a version, to compare it by."""
    parts = []
    for part in version.split("."):
        if not part.isdecimal():
            break
        parts.append(int(part[:9]))
    return parts
