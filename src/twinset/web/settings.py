"""What a server is started with, and `inside`, the one door for paths that a visitor names."""

from __future__ import annotations

import os
import secrets
import sys
from dataclasses import dataclass, field
from pathlib import Path

from twinset.errors import TwinsetError
from twinset.system.bounded import lies_within

LOOPBACK = ("127.0.0.1", "localhost", "::1")
LEAST_PASSWORD = 12
"""Characters; a year of guesses, one a second, tries some thirty million passwords."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Where the page listens, what it may touch, and how much it takes.

    ``roots`` are the folders that a visitor may read from and write reports to; ``home`` holds the
    page's own files: searches, uploads, reports. ``first`` is the page that the printed address
    leads to, ``named`` the documents that the user has named there. A ``password`` is asked of
    those who come without the token.
    """

    roots: tuple[Path, ...]
    home: Path
    host: str = LOOPBACK[0]
    port: int = 8765
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    password: str | None = field(default=None, repr=False)
    first: str = "/"
    named: str = ""
    request_bytes: int = 4 << 20
    upload_bytes: int = 2 << 30

    @property
    def address(self) -> str:
        """What to open in a browser: it carries the key, which opens the page at once."""
        return f"{self.place}/open?token={self.token}"

    @property
    def place(self) -> str:
        """Where the page is, without the key to it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"

    @property
    def bounds(self) -> tuple[str, ...]:
        """The same folders as options of the library and of commands name them."""
        return tuple(str(root) for root in self.allowed)

    @property
    def allowed(self) -> tuple[Path, ...]:
        """Every folder that may be touched, links resolved."""
        return tuple(root.resolve() for root in (*self.roots, self.home))


def own_folder() -> Path:
    """The folder of this user where the page keeps its files."""
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "twinset"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home())) / "twinset"
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "twinset"


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
