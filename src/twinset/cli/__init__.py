"""The command line: one file per command, parsing and printing only.

``options`` turns dataclasses into options, ``faults`` exceptions into sentences and exit codes,
``progress`` shows how far a run is, ``output`` prints, ``help`` lays the help out.
A command's module loads when it is called.
"""

from __future__ import annotations

import importlib
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer
from typer.core import TyperGroup

from twinset.cli.faults import end_on_signals, in_sentences
from twinset.cli.help import GroupedCommand
from twinset.cli.limits import ensure_address_space, spare_address_space
from twinset.cli.usage import explaining, no_command
from twinset.errors import PlanError

COMMANDS = {
    "find": "Find near-duplicates and write a report.",
    "dedup": "Split documents into kept and removed ones.",
    "ui": "Open the page in a browser.",
    "plan": "Show what a threshold and a recall mean, and cost.",
    "tune": "Recommend a plan for a collection.",
    "ask": "Make a plan out of your answers about pairs.",
    "show": "Look into a report: clusters, pairs, differences.",
    "decide": "Decide on clusters and pairs, and carry the decisions out.",
    "clean": "Remove copies of files, with undo: trash, folder, links, script.",
    "export": "Write a report as one page or a ZIP file.",
    "evaluate": "Compare found pairs with true ones.",
    "compare": "Run methods side by side and measure them.",
    "experiment": "Sweep over options of a plan and measure each row.",
    "generate": "Make near-duplicates with known truth.",
    "learn": "Train a model on labelled pairs.",
    "images": "Write the images of documents to a file.",
    "mine": "Mine maximal or closed sets from a FIMI file.",
    "presets": "List presets: plans with a name, for a purpose.",
    "methods": "List methods, operations and other parts with their options.",
}
EXIT_CODES = (
    "Exit codes: 0 done, 1 a fault in the input or the run, 2 wrong usage or a missing file, "
    "130 interrupted, 143 terminated. "
    "Results go to stdout, everything else to stderr."
)
# Plain help loads in half the time, and can be searched and piped.
PLAIN: dict[str, Any] = {
    "add_completion": False,
    "rich_markup_mode": None,
    "pretty_exceptions_enable": False,
    "context_settings": {"help_option_names": ["-h", "--help"]},
}


class Commands(TyperGroup):
    """The commands by name; a fault is printed as one sentence."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The names in the order of use."""
        return list(COMMANDS)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """The list of commands, without loading any of them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Load a command when it is called."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"twinset.cli.{cmd_name}")
        single = typer.Typer(**PLAIN)
        make = single.command(
            cmd_name, cls=GroupedCommand, short_help=COMMANDS[cmd_name], epilog=EXIT_CODES
        )
        make(module.command)
        return typer.main.get_command(single)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read what stands before the command."""
        with in_sentences():
            return explaining(self, args, lambda: super(Commands, self).parse_args(ctx, args))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command that was typed; for a misspelt one suggest the nearest name."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            raise PlanError([no_command(args[0], list(COMMANDS))])
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was named."""
        with in_sentences():
            ensure_address_space()
            return super().invoke(ctx)


app = typer.Typer(
    cls=Commands,
    **PLAIN,
    no_args_is_help=True,
    epilog=EXIT_CODES,
)


def _print_version(requested: bool) -> None:
    if requested:
        from importlib.metadata import version

        typer.echo(f"twinset {version('twinset')}")
        raise typer.Exit


def _report_progress_to(path: str | None) -> None:
    from twinset.cli.progress import report_to

    report_to(path)


@app.callback()
def twinset(
    version: bool = typer.Option(
        False, "--version", callback=_print_version, is_eager=True, help="Print the version."
    ),
    progress: str = typer.Option(
        None,
        "--progress",
        metavar="FILE",
        callback=_report_progress_to,
        show_default=False,
        help="Write the progress to FILE, as JSON, instead of stderr.",
    ),
) -> None:
    """Find near-duplicate documents: every pair verified, no chaining, a stated recall.

    \b
    Example:
      twinset find corpus.jsonl -o report
      twinset dedup corpus.jsonl -o clean --threshold 0.9
      twinset show report --cluster 0
    """


def main() -> None:
    """The ``twinset`` command."""
    end_on_signals()
    spare_address_space()
    logging.lastResort = None  # what is logged after the notes comes from the end of Python
    with _with_its_exit_code():
        app(prog_name="twinset")


def end_with(fault: Exception) -> None:
    """End as a command does that has met this fault."""
    with _with_its_exit_code():
        raise fault


@contextmanager
def _with_its_exit_code() -> Iterator[None]:
    try:
        with in_sentences():
            yield
    except typer.Exit as end:  # a signal before or after the command itself
        raise SystemExit(end.exit_code) from None
