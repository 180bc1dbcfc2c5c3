"""The manifest of a report, read and checked: who reads a report may rely on what is named here.

What a run writes is in ``pipeline.manifest``. Keys that are not named here may be missing or new.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from twinset._version import VERSION
from twinset.errors import PlanError, ReportError
from twinset.plan import Plan
from twinset.plan.spec import name_in
from twinset.result.places import MANIFEST
from twinset.result.shape import Between, Maybe, faults
from twinset.result.words import image_facts
from twinset.system.bounded import MANIFEST_BYTES, read_regular

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


def _text_or_texts(value: Any, place: str) -> Iterator[str]:
    return faults(value, [str] if isinstance(value, list) else str, place)


READ = {
    "id?": str,
    "text?": str,
    "html?": "auto|yes|no",
    "page_text?": "main|whole",
    "repeated?": "drop|keep",
    "each_file?": bool,
    "on_error?": "skip|stop",
    "order?": Maybe(str),
    "max_document_bytes?": int,
    "within?": [str],
    "reference?": [str],
}
PLAN = {
    "method": str,
    "threshold": float,
    "recall": Between(0, 1),
    "measure": str,
    "clusters": str,
    "keep?": _text_or_texts,
    "never_remove?": Maybe(str),
    "drop_boilerplate?": Maybe(float),
    "candidates?": {"kind?": str, "bands?": int, "rows?": int},
    "read?": Maybe(READ),
}
_COUNTED = ("kept", "removed", "removed_by_decision", "bad", "empty", "bytes", "repeated_ids")
COUNTS = {
    **dict.fromkeys(("documents", "pairs", "clusters", "clustered_documents"), int),
    **{f"{name}?": Maybe(int) for name in _COUNTED},
}
INPUT = {
    "source": str,
    "path?": Maybe(str),
    "reader?": str,
    "bytes?": Maybe(int),
    "digest?": Maybe(str),
    "reference?": bool,
    "documents?": Maybe(int),
}
IMAGE_FACTS = {"image": str, "sets": int, "notes": [str]}
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
CLOSED = {
    **IMAGE_FACTS,
    "kind": str,
    "k": Maybe(int),
    "share": Maybe(float),
    "false_clusters": str,
    **{f"{name}?": int for name in SEARCHED},
}
TOLERANT = {"alpha": float, "mean_quality": Maybe(float), "tolerated": int, "quality": str}
SHAPE = {
    "twinset": str,
    "plan": PLAN,
    "counts": (COUNTS, _kept),
    "created?": str,
    "decision?": Maybe(({"by": "measure|judge|method", "threshold?": float}, _decision)),
    "inputs?": [INPUT],
    "against?": {
        "name": str,
        "documents": int,
        "plan": str,
        "matched": int,
        "already_there": int,
        "index?": str,
        "verified?": bool,
        "unread?": int,
        "inputs?": [INPUT],
    },
    "unread?": Maybe(str),
    "unread_files?": Maybe(
        {
            "files": int,
            "documents": int,
            "faults": {"*": int},
            "first": [{"source": str, "documents": int, "fault": str}],
        }
    ),
    "written?": {"*": {"path": str, "documents": int, "files": int, "bytes": int}},
    "pairs?": "all|compact|partial",
    "pairs_left_out?": [{"by": str, "bound?": int, "pairs?": Maybe(int)}],
    "implied_pairs?": int,
    "not_enumerated_pairs?": Maybe(int),
    "clusters_complete?": bool,
    "closed?": (CLOSED, _closed),
    "tolerant?": ({**CLOSED, **TOLERANT}, _closed),
    "kinds?": Maybe(
        {"pairs?": {"*": int}, "left_out?": int, "kept_apart?": {"*": int}, "identical?": int}
    ),
    "without_reader?": {"*": int},
    "faults?": Maybe({"*": int}),
    "first_faults?": [{"source": str, "kind": str, "detail": str, "line?": Maybe(int)}],
    "predicted?": {
        "recall_at_threshold?": Maybe(Between(0, 1)),
        "s_curve?": Maybe([[Between(0, 1), 2]]),
        "jaccard_at_threshold?": Maybe(float),
    },
    "observed?": {
        "histogram?": Maybe(({"edges": [float, 2], "counts": [int]}, _histogram)),
        "chained_clusters?": Maybe(int),
        "weakest?": Maybe(float),
    },
    "timings?": {"*": float},
    "cpu_seconds?": Maybe(float),
    "peak_memory_mb?": Maybe(float),
    "threads?": Maybe(int),
}


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
    wrong = list(faults(manifest, SHAPE))
    if not wrong and (facts := image_facts(manifest)) is not None:
        wrong = list(faults(facts, IMAGE_FACTS, name_in(manifest["plan"]["clusters"])))
    if wrong:
        listing = "; ".join(wrong[:FEW]) + ("; …" if len(wrong) > FEW else "")
        raise ReportError(f"{file} is damaged: {listing}; {_remedy(manifest['twinset'])}")
    return manifest


def is_about_units(manifest: Mapping[str, Any]) -> bool:
    """Whether a run with a level has written it."""
    totals = manifest.get("totals")
    return isinstance(totals, dict) and "units" in totals


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
