"""Reports and indexes by the short names in addresses, and a report at the reader's threshold."""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from fastapi import Request
from fastapi.responses import HTMLResponse

from twinset.errors import ReportError
from twinset.index.catalogue import is_index_folder
from twinset.lab.truth import decided_by, pairs_inside_clusters
from twinset.result import read as read_report
from twinset.result.manifest import is_about_units
from twinset.result.places import MANIFEST
from twinset.result.staging import is_report, recover
from twinset.result.words import older
from twinset.review import Decisions, Journal, Regrouped, ReportIndex, opened, regroup
from twinset.review.threshold import lowest, stated_threshold
from twinset.system.files import read_object, write_json
from twinset.web.render import GoneError, address, render
from twinset.web.settings import Settings, inside

COUNTED = 32  # reports whose pairs are not counted again


class Shelf:
    """Name -> folder, kept in a file, so that an address stays good when the server restarts."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._file = settings.home / "reports.json"
        self._lock = threading.Lock()

    def put(self, folder: str | Path) -> str:
        """The name of a folder inside the allowed ones, made at the first call."""
        path = inside(self._settings, folder)
        name = hashlib.blake2b(os.fsencode(path), digest_size=5).hexdigest()
        with self._lock:
            known = self._known()
            if known.get(name) != str(path):
                write_json(self._file, known | {name: str(path)}, indent=1)
        return name

    def folder(self, name: str) -> Path:
        """The report of a name; raises where it was deleted or is no report any more."""
        path = self._placed(name)
        if not path.exists():
            recover(path)
        if not is_report(path):
            raise GoneError(
                f"the report {path} is gone: its folder was moved or deleted; put it back, or run "
                "the search again"
            )
        return self._bounded(path)

    def index(self, name: str) -> Path:
        """The index of a name; raises where it was deleted or is no index any more."""
        path = self._placed(name)
        if not is_index_folder(path):
            raise GoneError(
                f"the index {path} is gone: its folder was moved or deleted; put it back"
            )
        return self._bounded(path)

    def _placed(self, name: str) -> Path:
        known = self._known().get(name)
        if known is None:
            raise GoneError("this page does not know that folder; open it from the first page")
        return inside(self._settings, known)

    def _bounded(self, folder: Path) -> Path:
        for file in os.scandir(folder):
            if file.is_symlink():  # in a folder from somebody else it may lead anywhere
                inside(self._settings, file.path)
        return folder

    def door(self, folder: str | Path) -> str:
        """The page of an index, or that which a report opens with.

        This is what can go, where it is about files one by one; passages, where these were sought.
        """
        path = inside(self._settings, folder)
        if is_index_folder(path):
            return f"/index/{self.put(path)}"
        if is_about_passages(path, self._settings.bounds):
            return f"/report/{self.put(path)}/passages"
        read = read_report(path, self._settings.bounds).manifest["plan"].get("read") or {}
        return f"/report/{self.put(path)}" + ("/clean" if read.get("each_file") else "")

    def all(self, is_there: Callable[[Path], bool] = is_report) -> dict[str, Path]:
        """The reports that are still there, or the indexes, the last one put first."""
        known = {name: Path(path) for name, path in reversed(self._known().items())}
        return {name: path for name, path in known.items() if is_there(path)}

    def _known(self) -> dict[str, str]:
        known = read_object(self._file) or {}
        return {name: folder for name, folder in known.items() if isinstance(folder, str)}


def is_about_passages(folder: Path, within: Sequence[str] = ()) -> bool:
    """Whether a report is of spans, of reuse or of units, which its own page shows."""
    manifest = read_object(folder / MANIFEST, within=within) or {}
    return is_about_units(manifest) or manifest.get("command") in ("spans", "reuse")


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


@dataclass(frozen=True)
class View:
    """A report, its clusters at a threshold, and what was decided on it so far."""

    name: str
    index: ReportIndex
    own: float
    regrouped: Regrouped

    @property
    def own_is_stated(self) -> bool:
        """Whether the run's own threshold is one that it was given, and not the lowest score."""
        return self.own == stated_threshold(self.index)

    @property
    def raised(self) -> float | None:
        """The threshold where it is above the run's own."""
        return self.regrouped.threshold if self.regrouped.threshold > self.own else None

    @property
    def journal(self) -> Journal:
        """The journal of decisions."""
        return self.index.kept("journal", lambda: Journal(self.index.report.folder))

    @property
    def decisions(self) -> Decisions:
        """The current decisions."""
        return self.journal.read()

    @property
    def within(self) -> list[str]:
        """The folders that the page may open."""
        folders: list[str] = self.index.manifest["plan"]["read"]["within"]
        return folders

    @property
    def holds_files(self) -> bool:
        """Whether its documents are files of a folder, so that some of them may go."""
        documents = self.index.kept(
            "file column", lambda: self.index.report.columns("documents", ["file"]).column_names
        )
        return bool(documents) and older(self.index.manifest) is None

    def to(self, page: str = "", **query: Any) -> str:
        """The address of a page of this report, at the same threshold."""
        path = f"/report/{self.name}" + (f"/{page}" if page else "")
        return address(path, **{"t": self.raised, **query})


def view(request: Request, name: str, t: float | None = None) -> View:
    """The report of this name; raises where its folder is gone, even while it is being read."""
    folder = request.app.state.shelf.folder(name)
    try:
        index = opened(folder, request.app.state.settings.bounds).load()
        own = lowest(index)
        # NaN is not above anything
        threshold = own if t is None or not t > own else min(t, index.highest)
        return View(name, index, own, regroup(index, threshold))
    except ReportError as fault:
        if not (folder / "pairs.parquet").is_file():
            raise GoneError(str(fault)) from None
        raise


def show(request: Request, template: str, view: View, **values: Any) -> HTMLResponse:
    """A page or a fragment of a report."""
    return render(request, template, view=view, index=view.index, wide=True, **values)
