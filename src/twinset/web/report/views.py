"""The report of an address, at the threshold that the reader has chosen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from fastapi import Request
from fastapi.responses import HTMLResponse

from twinset.errors import ReportError
from twinset.review import Decisions, Index, Journal, Regrouped, opened, regroup
from twinset.review.threshold import lowest
from twinset.web.faults import GoneError
from twinset.web.render import render


@dataclass(frozen=True)
class View:
    """A report, its clusters at a threshold, and what was decided on it so far."""

    name: str
    index: Index
    own: float
    found: Regrouped

    @property
    def raised(self) -> float | None:
        """The threshold where it is not the run's own."""
        return self.found.threshold if self.found.threshold > self.own else None

    @property
    def journal(self) -> Journal:
        """The journal of decisions."""
        made: Journal = self.index.kept_by_name.setdefault(
            "journal", Journal(self.index.report.folder)
        )
        return made

    @property
    def decisions(self) -> Decisions:
        """What stands now."""
        return self.journal.read()

    def to(self, page: str = "", **query: Any) -> str:
        """The address of a page of this report, at the same threshold."""
        given = {"t": self.raised, **query}
        told = urlencode({k: v for k, v in given.items() if v not in (None, "", False)})
        path = f"/report/{self.name}" + (f"/{page}" if page else "")
        return path + (f"?{told}" if told else "")


def view(request: Request, name: str, t: float | None = None) -> View:
    """The report of this name; says so where its folder is gone, also in the middle of it."""
    folder = request.app.state.shelf.folder(name)
    try:
        index = opened(folder, request.app.state.settings.bounds).load()
        own = lowest(index)
        return View(name, index, own, regroup(index, _within(index, own, t)))
    except ReportError as fault:
        if not (folder / "pairs.parquet").is_file():
            raise GoneError(str(fault)) from None
        raise


def _within(index: Index, own: float, asked: float | None) -> float:
    """The threshold asked for, as far as the report goes."""
    if asked is None or not asked > own:  # which is so for what is no number, too
        return own
    return min(asked, index.highest)


def show(request: Request, template: str, view: View, **values: Any) -> HTMLResponse:
    """A page or a fragment of a report."""
    return render(request, template, view=view, index=view.index, wide=True, **values)
