"""The app (routers, faults, the guard in front, static files) and the server that runs it."""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import FastAPI
from starlette.staticfiles import StaticFiles

from twinset.errors import MissingFileError, PlanError
from twinset.index.catalogue import is_index_folder
from twinset.pages import engine
from twinset.result import read as read_report
from twinset.result.staging import is_report
from twinset.system.bounded import lies_within
from twinset.system.files import own_folder
from twinset.system.remote import is_remote
from twinset.system.schemes import without_secrets
from twinset.system.serving import called_to_end, listen
from twinset.system.temporary import sweep
from twinset.web.jobs import Jobs, Moves
from twinset.web.render import handle_faults
from twinset.web.reports import Shelf, is_about_passages
from twinset.web.security import Guard
from twinset.web.settings import LOOPBACK, Settings

# Each module has a ``router``; the order decides nothing. The menu is in ``base.html``.
ROUTERS = (
    "security",
    "already",
    "start",
    "wizard",
    "ask",
    "progress",
    "laboratory",
    "report.cleaning",
    "report.cleaning_actions",
    "report.overview",
    "report.clusters",
    "report.pair",
    "report.picture",
)


def create_app(settings: Settings) -> FastAPI:
    """The page as an ASGI app; ``app.state`` holds ``settings``, ``shelf`` and ``jobs``."""
    settings.home.mkdir(parents=True, exist_ok=True, mode=0o700)
    sweep(settings.home)  # documents that a killed server was asked about
    app = FastAPI(title="twinset", docs_url=None, redoc_url=None, openapi_url=None)
    app.state.settings = settings
    app.state.shelf = Shelf(settings)
    app.state.jobs = Jobs(settings.home / "jobs")
    app.state.moves = Moves()
    for name in ROUTERS:
        app.include_router(import_module(f"twinset.web.{name}").router)
    app.mount("/static", StaticFiles(directory=engine.STATIC), "static")
    handle_faults(app)
    guard: Any = Guard
    app.add_middleware(guard, settings=settings)
    return app


PORT = 8765


def settings_for(
    what: str | None = None,
    *,
    port: int | None = None,
    roots: Sequence[Path] = (),
    home: Path | None = None,
    host: str = LOOPBACK[0],
) -> Settings:
    """The settings for a folder, file, report or index; without one, for the user's own folder."""
    if what is not None and is_remote(what):
        raise PlanError(
            [
                f"{without_secrets(what)} is an address, and the page opens a local folder; "
                "copy it to this machine"
            ]
        )
    place = Path(what) if what is not None else Path.home()
    if not place.exists():
        raise MissingFileError(place, "file or folder")
    root = place if place.is_dir() else place.parent
    allowed = tuple(dict.fromkeys(path.resolve() for path in (root, *roots)))
    settings = Settings(
        allowed,
        home or own_folder(),
        host,
        PORT if port is None else port,
        disks=host in LOOPBACK,
    )
    if is_index_folder(place) or (place.is_dir() and is_report(place)):
        settings.home.mkdir(parents=True, exist_ok=True, mode=0o700)
        return dataclasses.replace(settings, first=Shelf(settings).door(place))
    return dataclasses.replace(settings, named=str(place.resolve()) if what is not None else "")


def serve(settings: Settings, tell: Callable[[Settings], None]) -> None:
    """Serve the page until interrupted; ``tell`` is called when it can be opened."""
    # any free port where none was requested and the usual one is in use
    listening = listen(settings.host, settings.port, 64, or_any=settings.port == PORT)
    settings = dataclasses.replace(settings, port=listening.getsockname()[1])
    app = create_app(settings)
    config = uvicorn.Config(app, log_level=logging.CRITICAL, access_log=False, server_header=False)
    server = uvicorn.Server(config)

    def end(_: object) -> None:
        server.should_exit = True

    with called_to_end(end):
        tell(settings)
        server.run(sockets=[listening])


def out_of_bounds(settings: Settings, report: Path) -> list[Path]:
    """Folders with documents of a report that the page may not open, for the user to allow.

    A report may come from somebody else, so a folder is not allowed just because it is named there.
    """
    if is_about_passages(report):  # its page has the texts that it shows
        return []
    entries = read_report(report).manifest.get("inputs", [])
    paths = [Path(entry["path"]).resolve() for entry in entries if entry.get("path")]
    outside = [path for path in paths if not lies_within(path, settings.allowed)]
    folders = (path if path.is_dir() else path.parent for path in outside)
    return [folder for folder in dict.fromkeys(folders) if folder.is_dir()]
