"""The manifest of a report, read and checked: who reads a report may rely on what is named here.

What a run writes is in ``run.manifest``. Keys that are not named here may be missing or new.

What a JSON value must look like is a pattern: ``str``, ``int`` (from zero on), ``float`` or
``bool``; words to choose from (``"yes|no"``); a list of a pattern, and perhaps of how many there
are at least; a dict of names, where ``name?`` may be missing, others are let pass and ``*`` stands
for every name; a `Maybe`; bounds (`Between`); a function that yields sentences; or a tuple of
patterns, of which a later one may rely on those before it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from twinset._version import VERSION
from twinset.errors import PlanError, ReportError
from twinset.plan import Plan
from twinset.plan.spec import name_in
from twinset.result.places import MANIFEST
from twinset.result.words import image_facts
from twinset.system.bounded import MANIFEST_BYTES, read_regular
from twinset.text.wording import masks_of

FEW = 3
"""Faults of a manifest that a message tells."""
LONG = 40
Pattern = Any
_KINDS: dict[type, tuple[str, Callable[[Any], bool]]] = {
    str: ("a text", lambda value: isinstance(value, str)),
    bool: ("true or false", lambda value: isinstance(value, bool)),
    int: ("a whole number from 0 on", lambda value: type(value) is int and 0 <= value < 2**63),
    float: ("a number", lambda value: type(value) in (int, float) and math.isfinite(value)),
}


class Maybe(NamedTuple):
    """What the pattern asks for, or null."""

    pattern: Pattern


class Between(NamedTuple):
    """A number between two others, both included."""

    low: float
    high: float


def faults(value: Any, pattern: Pattern, place: str = "") -> Iterator[str]:
    """What is wrong with a value, which stands at a place such as ``plan.threshold``."""
    if isinstance(pattern, Maybe):
        yield from faults(value, pattern.pattern, place) if value is not None else ()
    elif isinstance(pattern, Between):
        if any(faults(value, float)) or not pattern.low <= value <= pattern.high:
            yield _other(place, f"a number between {pattern.low:g} and {pattern.high:g}", value)
    elif isinstance(pattern, tuple):
        found: list[str] = []
        for each in pattern:
            found = found or list(faults(value, each, place))
        yield from found
    elif isinstance(pattern, dict):
        yield from _of_object(value, pattern, place)
    elif isinstance(pattern, list):
        least = pattern[1] if len(pattern) > 1 else 0
        if isinstance(value, list) and len(value) >= least:
            for row, inner in enumerate(value):
                yield from faults(inner, pattern[0], f"{place}[{row}]")
        else:
            yield _other(place, f"a list of {least} or more" if least else "a list", value)
    elif isinstance(pattern, str):
        if value not in pattern.split("|"):
            yield _other(place, pattern.replace("|", " or "), value)
    elif pattern not in _KINDS:
        yield from pattern(value, place)
    elif not _KINDS[pattern][1](value):
        yield _other(place, _KINDS[pattern][0], value)


def _of_object(value: Any, pattern: dict[str, Pattern], place: str) -> Iterator[str]:
    if not isinstance(value, dict):
        yield _other(place, "an object", value)
        return
    for name, inner in (dict.fromkeys(value, pattern["*"]) if "*" in pattern else pattern).items():
        key = name if name in value else name.removesuffix("?")
        inside = f"{place}.{key}" if place else key
        if key in value:
            yield from faults(value[key], inner, inside)
        elif key == name:
            yield f"it lacks {inside}"


def _other(place: str, expected: str, value: Any) -> str:
    shown = repr(value)
    shown = shown if len(shown) <= LONG else f"{shown[:LONG]}…"
    return f"{place or 'it'} must be {expected}, not {shown}"


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
    "mask?": [str],
    "target?": Maybe(str),
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
)
CLOSED = {
    **IMAGE_FACTS,
    "kind": str,
    "k": Maybe(int),
    "share": Maybe(float),
    "false_clusters": str,
    **{f"{name}?": int for name in SEARCHED},
}
SHAPE = {
    "twinset": str,
    "plan": PLAN,
    "counts": (COUNTS, _kept),
    "created?": str,
    "decision?": Maybe(({"by": "measure|judge|method", "threshold?": float}, _decision)),
    "inputs?": [INPUT],
    "masked?": {"*": int},
    "target?": {
        **dict.fromkeys(("threshold", "lowest"), float),
        **dict.fromkeys(("most", "left", "total"), int),
        "of": "documents|bytes",
    },
    "against?": {
        "name": str,
        "documents": int,
        "plan": str,
        "matched": int,
        "already_there": int,
        "greedy?": int,
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


def masks_in(manifest: Mapping[str, Any]) -> dict[str, str]:
    """The masks of a run with the expressions that they stand for."""
    return masks_of(plan_of(manifest)) if manifest["plan"].get("mask") else {}


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
