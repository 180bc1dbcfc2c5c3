"""Files that lie beside documents in a folder and are none themselves.

Two kinds are passed over when a folder is walked: what twinset has written there (a report, a
truth, a log), and lists about documents, such as pairs or clusters. A file that is named as an
input is read whatever it is.
"""

from __future__ import annotations

import json
from pathlib import Path

MANIFEST = "manifest.json"
LARGEST = 64 << 20
LISTS = (
    {"left", "right"},
    {"id1", "id2"},
    {"id_a", "id_b"},
    {"original", "copy"},
    {"removed", "kept"},
    {"id", "cluster"},
)
# Columns that a list may have beside its ids; a file with any other may hold texts.
FIGURES = {"score", "grade", "label", "similarity", "jaccard", "edit", "reason"}


def documents_of(folder: Path) -> set[str] | None:
    """The names in a folder of twinset's that hold documents; None for any other folder.

    Of a generated collection these are its documents, of a report what ``dedup`` has kept.
    """
    manifest = folder / MANIFEST
    try:
        if manifest.stat().st_size > LARGEST:
            return None
        facts = json.loads(manifest.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(facts, dict) or not isinstance(facts.get("twinset"), str):
        return None
    if facts.get("kind") == "generated":
        return {str(facts.get("documents"))}
    return {entry.name for entry in folder.iterdir() if entry.name.partition(".")[0] == "kept"}


def is_list(head: bytes, text: str) -> bool:
    """Whether a table that begins so lists pairs or clusters; ``text`` is the column of texts."""
    line = head.split(b"\n", 1)[0].decode("utf-8", "replace").strip().removeprefix("\ufeff")
    for mark in ",\t;":
        names = [name.strip().strip('"').lower() for name in line.split(mark)]
        if text.lower() not in names and any(ids <= set(names) <= ids | FIGURES for ids in LISTS):
            return True
    return False
