"""Paths that a visitor names: nothing outside the allowed folders, whatever the links say."""

from __future__ import annotations

from pathlib import Path

from twinset.errors import TwinsetError
from twinset.system.bounded import lies_within
from twinset.web.settings import Settings


class ForbiddenError(TwinsetError):
    """A path outside the folders that the page may touch."""


def inside(settings: Settings, named: str | Path) -> Path:
    """The path with its links resolved, if it lies in an allowed folder."""
    try:
        path = Path(named).expanduser().resolve()
    except (OSError, RuntimeError, ValueError):
        raise ForbiddenError(f"'{named}' is not a path; choose another one") from None
    if not lies_within(path, settings.allowed):
        roots = ", ".join(str(root) for root in settings.roots)
        raise ForbiddenError(
            f"{named} lies outside the folders that this page may open ({roots}); "
            "start 'twinset ui' with --root to add its folder"
        )
    return path
