"""The app: routers, faults, the guard in front, static files."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from fastapi import FastAPI
from starlette.staticfiles import StaticFiles

from twinset.pages import engine
from twinset.system.temporary import sweep
from twinset.web.faults import handle_faults
from twinset.web.jobs import Jobs
from twinset.web.passwords import Guesses
from twinset.web.reports import Shelf
from twinset.web.security import Guard
from twinset.web.settings import Settings

# Each module has a ``router``; the order is that of the menu and decides nothing else.
ROUTERS = (
    "login",
    "home",
    "wizard.documents",
    "wizard.image",
    "wizard.clusters",
    "wizard.results",
    "wizard.compare",
    "tasks",
    "laboratory",
    "report.overview",
    "report.clusters",
    "report.cluster",
    "report.pair",
    "report.decisions",
    "report.exports",
)


def create_app(settings: Settings) -> FastAPI:
    """The page as an ASGI app; ``app.state`` holds ``settings``, ``shelf`` and ``jobs``."""
    settings.home.mkdir(parents=True, exist_ok=True, mode=0o700)
    for folder in (settings.home, *settings.home.glob("searches/*")):
        sweep(folder)  # uploads and ZIP files that a killed server has left half done
    app = FastAPI(title="twinset", docs_url=None, redoc_url=None, openapi_url=None)
    app.state.settings = settings
    app.state.shelf = Shelf(settings)
    app.state.jobs = Jobs(settings.home / "jobs")
    app.state.guesses = None if settings.password is None else Guesses(settings.password)
    for name in ROUTERS:
        app.include_router(import_module(f"twinset.web.{name}").router)
    app.mount("/static", StaticFiles(directory=engine.STATIC), "static")
    handle_faults(app)
    guard: Any = Guard
    app.add_middleware(guard, settings=settings)
    return app
