"""The first documents of a search as they will be read, and whether there is anything to read."""

from __future__ import annotations

import os
from collections.abc import Sequence

from fastapi import Request

from twinset.errors import PlanError
from twinset.reading.preview import Preview, preview
from twinset.web.searches import SavedSearch

FIRST, CHARACTERS = 6, 500


def seen_of(request: Request, search: SavedSearch, paths: Sequence[str]) -> Preview:
    """The first documents of these paths, with nothing outside the page's folders."""
    read = search.plan(request.app.state.settings.bounds).read
    return preview(paths, read, documents=FIRST, characters=CHARACTERS)


def ensure_readable(request: Request, search: SavedSearch) -> None:
    """Refuse a search in whose first documents there is no text; the message offers the fields."""
    there = [path for path in search.paths if os.path.exists(path)]
    if there and (fault := seen_of(request, search, there).unread):
        raise PlanError([fault])
