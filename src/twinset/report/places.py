"""Where the files of a report are written, and the names among them that everybody knows."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from twinset.errors import ReportError
from twinset.system.remote import Place

MANIFEST = "manifest.json"
DECISIONS = "decisions.jsonl"
"""What people have decided on a report outlives it: the report that replaces it inherits it."""


# A letter and more: "c:" is a drive.
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")


def ensure_no_address(path: Path) -> None:
    """Refuse the path that `pathlib.Path` makes of an address, or a folder ``s3:`` would appear."""
    first = path.parts[0] if path.parts else ""
    if _SCHEME.fullmatch(first) and not Path(first).exists():
        address = f"{first}//{'/'.join(path.parts[1:])}"
        raise ReportError(f"{path} was an address before it was made a Path; write '{address}'")


@dataclass(frozen=True)
class ReportPlaces:
    """The folders of a report that is being written.

    ``files`` is a local folder for what is small: tables, lists, the page. ``documents`` is where
    kept, removed and annotated documents go: the same folder or, for a report elsewhere, the folder
    ``target`` itself, since they may be larger than the disk.
    """

    files: Path
    documents: Place
    target: Place
