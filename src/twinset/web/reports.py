"""Report folders that the page knows, by a short name that stands in addresses."""

from __future__ import annotations

import hashlib
import os
import threading
from functools import lru_cache
from pathlib import Path

from twinset.lab.evaluation.findings import decided_by, pairs_inside_clusters
from twinset.report import read as read_report
from twinset.report.staging import MANIFEST, recover
from twinset.system.files import read_object, write_json
from twinset.web.faults import GoneError
from twinset.web.settings import Settings, inside

COUNTED = 32  # reports whose pairs are not counted again


class Shelf:
    """Name -> folder, kept in a file, so that an address stays good when the server restarts."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._file = settings.home / "reports.json"
        self._lock = threading.Lock()

    def put(self, folder: str | Path) -> str:
        """The name of a report folder inside the allowed ones, made at the first call."""
        path = inside(self._settings, folder)
        name = hashlib.blake2b(os.fsencode(path), digest_size=5).hexdigest()
        with self._lock:
            known = self._known()
            if known.get(name) != str(path):
                self._write(known | {name: str(path)})
        return name

    def folder(self, name: str) -> Path:
        """The folder of a name; a sentence where it has been deleted or is no report any more."""
        known = self._known().get(name)
        if known is None:
            raise GoneError("this page does not know the report; open it again from the first page")
        path = inside(self._settings, known)
        if not path.exists():
            recover(path)
        if not (path / MANIFEST).is_file():
            raise GoneError(
                f"the report {path} is gone: its folder was moved or deleted; put it back, or run "
                "the search again"
            )
        for file in os.scandir(path):
            if file.is_symlink():  # a report that somebody else has made may lead anywhere
                inside(self._settings, file.path)
        return path

    def holds(self, folder: str | Path) -> bool:
        """Whether there is a complete report in a folder."""
        return (Path(folder) / MANIFEST).is_file()

    def all(self) -> dict[str, Path]:
        """The reports that are still there, the last one put first."""
        found = {name: Path(path) for name, path in reversed(list(self._known().items()))}
        return {name: path for name, path in found.items() if (path / MANIFEST).is_file()}

    def _known(self) -> dict[str, str]:
        known = read_object(self._file) or {}
        return {name: folder for name, folder in known.items() if isinstance(folder, str)}

    def _write(self, known: dict[str, str]) -> None:
        write_json(self._file, known, indent=1)


def pairs_in_sets(folder: Path) -> int | None:
    """The pairs of documents inside the closed sets of a report; None for other clusters."""
    return _counted(str(folder), (folder / MANIFEST).stat().st_mtime_ns)


@lru_cache(COUNTED)
def _counted(folder: str, changed: int) -> int | None:
    """Counted once for each state of the folder: ``changed`` is when it was written."""
    report = read_report(folder)
    if decided_by(report.manifest) == "pairs":
        return None
    return pairs_inside_clusters(report).count()
