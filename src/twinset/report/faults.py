"""The faults of a run by kind, in words: what is wrong, what to do, and with which files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from twinset.lazy_dataclass import dataclass
from twinset.pages.language import has_sentence, speaker


@dataclass(frozen=True, slots=True)
class FaultyPlace:
    """A file, with the line of the record in it where there is one, and what the reader said."""

    source: str
    line: int | None
    detail: str


@dataclass(frozen=True, slots=True)
class FaultGroup:
    """The faults of one kind; ``places`` are the first ones, which a report keeps."""

    kind: str
    count: int
    words: str
    remedy: str
    places: tuple[FaultyPlace, ...]


def fault_groups(manifest: Mapping[str, Any], language: str = "en") -> list[FaultGroup]:
    """The faults of a run, the most frequent kind first."""
    counts = manifest.get("faults") or {}
    kinds = sorted(counts, key=lambda kind: (-counts[kind], kind))
    return [
        FaultGroup(
            kind,
            counts[kind],
            fault_words(kind, counts[kind], language),
            speaker(language, "faults")(f"remedy_{_key(kind)}"),
            _places(manifest, kind),
        )
        for kind in kinds
    ]


def fault_words(kind: str, count: int, language: str = "en") -> str:
    """What is wrong with so many files or records, in one line."""
    return speaker(language, "faults")(f"kind_{_key(kind)}", n=count)


def _key(kind: str) -> str:
    key = kind.replace("-", "_")
    return key if has_sentence("en", f"faults.kind_{key}") else "other"


def _places(manifest: Mapping[str, Any], kind: str) -> tuple[FaultyPlace, ...]:
    return tuple(
        FaultyPlace(str(fault["source"]), fault.get("line"), str(fault["detail"]))
        for fault in manifest.get("first_faults") or ()
        if fault.get("kind") == kind
    )
