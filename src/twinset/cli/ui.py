"""``twinset ui``."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

from twinset.cli.parameters import argument, option
from twinset.errors import MissingExtraError

if TYPE_CHECKING:
    from twinset.web.settings import Settings

FEW = 5


def command(
    what: Annotated[
        str | None,
        argument(
            metavar="FOLDER|FILE|REPORT|INDEX",
            help="Documents to search, a report to look at, or an index to ask.  "
            "[default: your home folder]",
        ),
    ] = None,
    port: Annotated[
        int | None,
        option("--port", help="Port.  [default: 8765, or any free port]"),
    ] = None,
    browser: Annotated[
        bool, option("--browser/--no-browser", help="Open the page in the browser.")
    ] = True,
    root: Annotated[
        list[str] | None,
        option("--root", metavar="DIR", help="Another folder that the page may open."),
    ] = None,
    home: Annotated[
        str | None,
        option("--home", metavar="DIR", help="Folder in which the page stores its searches."),
    ] = None,
    host: Annotated[
        str, option("--host", help="Address to listen on; who has the printed link may enter.")
    ] = "127.0.0.1",
) -> None:
    """Open the page: choose documents, find their near-duplicates, look at them and decide.

    It runs on this machine only; the printed address carries a key. Searches go on when the page is
    closed.

    \b
    Example:
      twinset ui
      twinset ui my-documents
      twinset ui report --port 9000 --no-browser
      twinset ui my-index
    """
    try:
        from twinset.web.app import serve, settings_for
    except ModuleNotFoundError as fault:
        raise MissingExtraError(f"the package {fault.name}, which the page needs,", "ui") from None
    settings = settings_for(
        what,
        port=port,
        roots=[Path(name) for name in root or []],
        home=Path(home) if home else None,
        host=host,
    )
    serve(settings, lambda served: _opened(served, what, browser))


def _opened(settings: Settings, what: str | None, browser: bool) -> None:
    """Print the address and open it."""
    _print_address(settings, what)
    if browser:
        import webbrowser

        webbrowser.open(settings.address)


def _print_address(settings: Settings, what: str | None) -> None:
    from twinset.web.app import out_of_bounds

    click.echo(f"The page is at {settings.address}")
    is_report = settings.first.startswith("/report/")
    outside = out_of_bounds(settings, Path(what)) if what and is_report else []
    for folder in outside[:FEW]:
        click.echo(
            f"Documents of this report lie in {folder}; to see their texts, start the page with "
            f"--root {shlex.quote(str(folder))}",
            err=True,
        )
    click.echo("Ctrl-C ends it; searches that are running go on.", err=True)
