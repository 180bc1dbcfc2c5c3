"""What a server is started with, and `inside`, which checks every path that a visitor names."""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass, field
from glob import glob
from pathlib import Path

from twinset.errors import PlanError, TwinsetError
from twinset.system.bounded import lies_within
from twinset.system.remote import is_remote

LOOPBACK = ("127.0.0.1", "localhost", "::1")
EVERY = {"0.0.0.0": LOOPBACK[0], "::": LOOPBACK[2]}  # all addresses: that of this machine


DISKS = ("/media/*", "/media/*/*", "/run/media/*/*", "/mnt/*", "/Volumes/*")
"""Where systems mount the disks of a person."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Where the page listens, what it may touch, and how large requests may be.

    ``roots`` are the folders that a visitor may read from and write reports to; ``home`` holds the
    page's own files: searches, reports. ``first`` is the page that the printed address
    leads to, ``named`` the documents that the user has named there. With ``disks`` the mounted
    disks that the user may read are roots as well.
    """

    roots: tuple[Path, ...]
    home: Path
    host: str = LOOPBACK[0]
    port: int = 8765
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    first: str = "/"
    named: str = ""
    disks: bool = False
    request_bytes: int = 4 << 20
    document_bytes: int = 32 << 20

    @property
    def address(self) -> str:
        """The address to open in a browser, with the key to the page."""
        host = EVERY.get(self.host, self.host)
        named = f"[{host}]" if ":" in host else host
        return f"http://{named}:{self.port}/open?token={self.token}"

    @property
    def bounds(self) -> tuple[str, ...]:
        """The allowed folders as values of the option ``within``."""
        return tuple(str(root) for root in self.allowed)

    @property
    def within(self) -> list[str]:
        """The same as options of a command."""
        return [part for root in self.bounds for part in ("--within", root)]

    @property
    def folders(self) -> tuple[Path, ...]:
        """The roots, and the disks that are there now."""
        return tuple(dict.fromkeys((*self.roots, *(disks() if self.disks else ()))))

    @property
    def allowed(self) -> tuple[Path, ...]:
        """Every folder that may be touched, links resolved."""
        return tuple(root.resolve() for root in (*self.folders, self.home))


def disks() -> list[Path]:
    """The mounted disks of this machine that this user may read, other than the system's own."""
    points = sorted({path for pattern in DISKS for path in glob(pattern)})
    return [Path(p) for p in points if os.path.ismount(p) and os.access(p, os.R_OK | os.X_OK)]


class ForbiddenError(TwinsetError):
    """A path outside the folders that the page may touch."""


def inside(settings: Settings, named: str | Path) -> Path:
    """The path with its links resolved, if it lies in an allowed folder."""
    if is_remote(named):
        raise ForbiddenError(
            f"{named} is an address, and this page opens files and folders of this machine only; "
            "use the command line"
        )
    try:
        path = Path(named).expanduser().resolve()
    except (OSError, RuntimeError, ValueError):
        raise ForbiddenError(f"'{named}' is not a path; choose another one") from None
    if not lies_within(path, settings.allowed):
        folders = ", ".join(map(str, settings.folders))
        raise ForbiddenError(
            f"{named} lies outside the folders that this page may open: choose one in {folders}"
        )
    return path


def is_allowed(settings: Settings, path: str | Path) -> bool:
    """Whether a path lies in an allowed folder."""
    try:
        inside(settings, path)
    except ForbiddenError:
        return False
    return True


def is_there(settings: Settings, path: str | Path) -> bool:
    """Whether a folder or file of earlier still exists and may be opened."""
    return is_allowed(settings, path) and os.path.exists(path)


def readable(settings: Settings, named: str) -> str:
    """A file or folder that may be opened and can be read, links resolved."""
    real = str(inside(settings, named.strip()))
    if not os.access(real, os.R_OK) or not (os.path.isfile(real) or os.path.isdir(real)):
        raise PlanError(
            [f"{named} is not a file or folder that can be read; check it and its permissions"]
        )
    return real
