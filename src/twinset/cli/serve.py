"""``twinset serve``."""

from __future__ import annotations

from typing import Annotated

import click

from twinset.cli.parameters import argument, option
from twinset.errors import MissingExtraError, PlanError
from twinset.plan.resources import parse_bytes


def command(
    index: Annotated[
        str, argument(metavar="INDEX", help="The folder of an index, or postgresql://...")
    ],
    host: Annotated[
        str,
        option("--host", help="Address to listen on; any other needs keys, or --open."),
    ] = "127.0.0.1",
    port: Annotated[int, option("--port", help="Port.")] = 8760,
    workers: Annotated[
        int, option("--workers", metavar="N", least=1, help="Processes that answer.")
    ] = 1,
    open: Annotated[
        bool,
        option("--open", help="Let everybody in who reaches the address, while there are no keys."),
    ] = False,
    max_request: Annotated[
        str, option("--max-request", metavar="SIZE", help="The most bytes of a request.")
    ] = "16MB",
    max_documents: Annotated[
        int,
        option("--max-documents", metavar="N", least=1, help="The most documents of a request."),
    ] = 1000,
    queue: Annotated[
        int,
        option(
            "--queue",
            metavar="N",
            least=1,
            help="Requests that may wait, questions and changes apart; others get 429.",
        ),
    ] = 256,
    timeout: Annotated[
        float, option("--timeout", metavar="SECONDS", help="The most that a request may take.")
    ] = 30.0,
) -> None:
    """Answer other programs over HTTP: is this document already there?

    The page at the address lists what can be asked. Ctrl-C or SIGTERM ends it when it has answered
    what it has begun. Logs are lines of JSON on stderr.

    \b
    Example:
      twinset serve pages.index
      twinset index key add pages.index newsroom --role write
      twinset serve pages.index --host 0.0.0.0 --port 8760 --workers 4
      curl --json '[{"text": "..."}]' localhost:8760/query
    """
    try:
        from twinset.service.models import ServiceSettings
        from twinset.service.server import serve
    except ModuleNotFoundError as fault:
        raise MissingExtraError(
            f"the package {fault.name}, which the service needs,", "service"
        ) from None
    if not timeout > 0:
        raise PlanError([f"--timeout {timeout:g} must be more than 0 seconds"])
    settings = ServiceSettings(
        index,
        host,
        port,
        workers,
        open,
        parse_bytes(max_request),
        max_documents,
        queue,
        timeout,
    )
    serve(settings, lambda address: click.echo(f"The service is at {address}"))
