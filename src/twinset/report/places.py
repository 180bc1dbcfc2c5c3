"""Where the files of a report are written, and the names among them that everybody knows."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from twinset.system.remote import Place

MANIFEST = "manifest.json"
DECISIONS = "decisions.jsonl"
"""What people have decided on a report outlives it: the report that replaces it inherits it."""


@dataclass(frozen=True)
class ReportPlaces:
    """The folders of a report that is being written.

    ``files`` is a local folder for what is small: tables, lists, the page. ``documents`` is where
    kept, removed and annotated documents go: the same folder or, for a report elsewhere, that
    itself, since they may be larger than the disk.
    """

    files: Path
    documents: Place
