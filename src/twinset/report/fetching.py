"""A report elsewhere, opened for reading: its tables are fetched, its documents are not."""

from __future__ import annotations

from twinset.errors import MissingReportError, ReportError
from twinset.report.places import MANIFEST
from twinset.report.sending import UNFINISHED, explained_to_user, names_in, unfinished
from twinset.system.remote import RemotePath
from twinset.system.temporary import TemporaryFolder
from twinset.system.upload import copy_file

# What begins with one of these holds documents, which may be larger than the disk.
_DOCUMENTS = ("kept", "removed", "annotated", "unread")


def fetch(place: RemotePath) -> TemporaryFolder:
    """A local folder with the files of a report, all but its documents."""
    with explained_to_user():
        names = names_in(place)
        if not names:
            raise MissingReportError(
                f"there is no report folder {place}; 'twinset find IN... -o {place}' makes one"
            )
        if MANIFEST not in names:
            raise ReportError(_why_no_report(place, names))
        folder = TemporaryFolder()
        for name in sorted(names - {UNFINISHED}):
            if name.split(".")[0] not in _DOCUMENTS and (place / name).is_file():
                copy_file(place / name, folder.path / name)
    return folder


def _why_no_report(place: RemotePath, names: set[str]) -> str:
    if UNFINISHED in names:
        return f"{unfinished(place)}, so there is no report; run it again with --force"
    return (
        f"{place} is no report: it has no {MANIFEST}, so a run into it has not finished, "
        "or it is another folder"
    )
