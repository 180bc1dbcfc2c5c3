"""``twinset ui``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from twinset.errors import MissingExtraError, PlanError

if TYPE_CHECKING:
    from twinset.web.settings import Settings


def command(
    what: Annotated[
        str | None,
        typer.Argument(
            metavar="FOLDER|FILE|REPORT",
            show_default=False,
            help="Documents to search, or a report to look at; the present folder otherwise.",
        ),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option("--port", show_default=False, help="Port.  [default: 8765 or a free one]"),
    ] = None,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the page in the browser.")
    ] = True,
    root: Annotated[
        list[str] | None,
        typer.Option("--root", metavar="DIR", help="A folder that the page may open as well."),
    ] = None,
    home: Annotated[
        str | None,
        typer.Option("--home", metavar="DIR", help="Where the page keeps its searches."),
    ] = None,
    host: Annotated[
        str, typer.Option("--host", help="Another address to listen at; needs a password.")
    ] = "127.0.0.1",
    password_file: Annotated[
        str | None,
        typer.Option(
            "--password-file", metavar="FILE", help="A file with the password, for --host."
        ),
    ] = None,
) -> None:
    """Open the page: choose documents, find their near-duplicates, look at them and decide.

    It runs on this machine only and sends nothing anywhere; the printed address carries a key.
    Searches go on when the page is closed.

    \b
    Example:
      twinset ui
      twinset ui my-documents
      twinset ui report --port 9000 --no-browser
    """
    try:
        from twinset.web.serving import serve, settings_for
    except ModuleNotFoundError as fault:
        raise MissingExtraError(f"the package {fault.name}, which the page needs,", "ui") from None
    settings = settings_for(
        what,
        port=port,
        roots=[Path(name) for name in root or []],
        home=Path(home) if home else None,
        host=host,
        password=_password(host, password_file),
    )
    serve(settings, lambda made: _tell(made, browser))


def _password(host: str, file: str | None) -> str | None:
    """The password that another address needs, from a file or the keyboard."""
    from twinset.web.settings import LOOPBACK

    if file is not None:
        password = Path(file).read_text(encoding="utf-8").strip()
    elif host in LOOPBACK:
        return None
    else:
        password = typer.prompt("Password for the page", hide_input=True, err=True)
    if len(password) < 8:
        raise PlanError(["the password must have at least 8 characters; choose a longer one"])
    return password


def _tell(settings: Settings, browser: bool) -> None:
    typer.echo(f"The page is at {settings.address}")
    typer.echo("Ctrl-C ends it; searches that are running go on.", err=True)
    if browser:
        import webbrowser

        webbrowser.open(settings.address)
