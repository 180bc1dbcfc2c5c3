"""Where the files of a report are written, and the names among them that everybody knows."""

from __future__ import annotations

from pathlib import Path

from twinset.errors import ReportError
from twinset.lazy_dataclass import dataclass
from twinset.system.remote import Place, is_remote

MANIFEST = "manifest.json"
DECISIONS = "decisions.jsonl"
"""What people have decided on a report outlives it: the report that replaces it inherits it."""


_COPY = {
    "s3": "aws s3 sync {address} report",
    "gs": "gcloud storage rsync --recursive {address} report",
    "gcs": "gcloud storage rsync --recursive {address} report",
}


@dataclass(frozen=True)
class ReportPlaces:
    """The folders of a report that is being written.

    ``files`` is a local folder for what is small: tables, lists, the page. ``documents`` is where
    kept, removed and annotated documents go: the same folder or, for a report elsewhere, that
    itself, since they may be larger than the disk.
    """

    files: Path
    documents: Place


def ensure_local(folder: object, purpose: str, remedy: str = "") -> None:
    """Refuse an address where only a folder of this machine will do.

    The remedy is to copy the report there, unless another is given.
    """
    if not is_remote(folder):
        return
    copy = _COPY.get(str(folder).partition("://")[0], "").format(address=folder)
    how = f"'{copy}' copies it to the folder report" if copy else "copy it to this machine first"
    raise ReportError(f"{folder} is an address, and {purpose} a local folder; {remedy or how}")


def is_table(file: Path) -> bool:
    """Whether a table is there, as a file or as a folder of parts; a device is none."""
    return file.is_file() or file.is_dir()
