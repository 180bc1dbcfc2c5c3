"""Starting the server: which folders, which port, which first page."""

from __future__ import annotations

import dataclasses
import logging
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import uvicorn

from twinset.errors import MissingFileError, PlanError, Stopped, TwinsetError
from twinset.report import read as read_report
from twinset.report.staging import is_report
from twinset.system.bounded import lies_within
from twinset.web.app import create_app
from twinset.web.reports import Shelf
from twinset.web.settings import LEAST_PASSWORD, LOOPBACK, Settings, own_folder

PORT = 8765


def settings_for(
    what: str | None = None,
    *,
    port: int | None = None,
    roots: Sequence[Path] = (),
    home: Path | None = None,
    host: str = LOOPBACK[0],
    password: str | None = None,
) -> Settings:
    """The settings for looking at a folder, a file or a report; the present folder otherwise."""
    if host not in LOOPBACK and password is None:
        raise PlanError([f"the page may be open to {host} only with a password"])
    if password is not None and len(password) < LEAST_PASSWORD:
        raise PlanError(
            [
                f"the password has {len(password)} characters and must have at least "
                f"{LEAST_PASSWORD} characters; choose a longer one"
            ]
        )
    place = Path(what) if what is not None else Path.cwd()
    if not place.exists():
        raise MissingFileError(place, "file or folder")
    root = place if place.is_dir() else place.parent
    allowed = tuple(dict.fromkeys(path.resolve() for path in (root, *roots)))
    settings = Settings(
        allowed, home or own_folder(), host, PORT if port is None else port, password=password
    )
    if place.is_dir() and is_report(place):
        settings.home.mkdir(parents=True, exist_ok=True, mode=0o700)
        return dataclasses.replace(settings, first=f"/report/{Shelf(settings).put(place)}")
    return dataclasses.replace(settings, named=str(place.resolve()) if what is not None else "")


def serve(settings: Settings, tell: Callable[[Settings], None]) -> None:
    """Serve the page until interrupted; ``tell`` is called when it can be opened."""
    listening = _listen(settings)
    settings = dataclasses.replace(settings, port=listening.getsockname()[1])
    app = create_app(settings)
    config = uvicorn.Config(app, log_level=logging.CRITICAL, access_log=False, server_header=False)
    tell(settings)
    with suppress(KeyboardInterrupt, Stopped):  # this is how a server is meant to end
        uvicorn.Server(config).run(sockets=[listening])


def _listen(settings: Settings) -> socket.socket:
    """The port asked for; where none was and the usual one is taken, any free one."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((settings.host, settings.port))
    except OSError as fault:
        if settings.port != PORT:
            raise TwinsetError(
                f"cannot listen at {settings.host}, port {settings.port}: {fault.strerror}; "
                "choose another --port or --host"
            ) from None
        listening.bind((settings.host, 0))
    listening.listen(64)
    return listening


def out_of_bounds(settings: Settings, report: Path) -> list[Path]:
    """Folders with documents of a report that the page may not open, for the user to allow.

    A report may be somebody else's, so that no folder is opened for its naming it.
    """
    entries = read_report(report).manifest.get("inputs", [])
    paths = [Path(entry["path"]).resolve() for entry in entries if entry.get("path")]
    outside = [path for path in paths if not lies_within(path, settings.allowed)]
    folders = (path if path.is_dir() else path.parent for path in outside)
    return [folder for folder in dict.fromkeys(folders) if folder.is_dir()]
