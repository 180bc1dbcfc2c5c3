"""The command line: one file per command, parsing and printing only.

``options`` turns dataclasses into options, ``faults`` exceptions into sentences and exit codes,
``progress`` shows how far a run is, ``output`` prints, ``help`` lays the help out.
A command's module loads when it is called.
"""

from __future__ import annotations

import importlib
import inspect
import logging
from typing import Annotated, Any

import click

from twinset.cli.faults import end_on_signals, in_sentences, open_standard_streams
from twinset.cli.limits import spare_address_space
from twinset.cli.parameters import GroupedCommand, explaining, option, parameters_of
from twinset.errors import PlanError

COMMANDS = {
    "find": "Find near-duplicates and write a report.",
    "dedup": "Split documents into kept and removed ones.",
    "spans": "Find stretches of text that stand in several places.",
    "reuse": "Find passages of documents that stand in others, exact or edited.",
    "ui": "Open the page in a browser.",
    "serve": "Serve an index to other programs over HTTP.",
    "plan": "Show what a threshold and a recall mean, and cost.",
    "tune": "Recommend a plan for a collection.",
    "ask": "Make a plan out of your answers about pairs.",
    "show": "Look into a report: clusters, pairs, differences.",
    "decide": "Decide on clusters and pairs, and carry the decisions out.",
    "clean": "Remove copies of files, with undo: trash, folder, links, script.",
    "index": "Keep a collection, and ask what is already there.",
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
HELP_FLAGS = {"help_option_names": ["-h", "--help"]}


class Commands(click.Group):
    """Commands by name; a fault is printed as one sentence.

    Each is a module of the package, or, of a group, a function of its module.
    """

    def __init__(self, commands: dict[str, str], module: Any = None, **more: Any) -> None:
        super().__init__(**more)
        self._summaries, self._module = commands, module

    def list_commands(self, ctx: Any) -> list[str]:
        """The names in the order of use."""
        return list(self._summaries)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """The list of commands, without loading any of them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self._summaries.items()))

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Load a command, or a group of them, when it is called."""
        if cmd_name not in self._summaries:
            return None
        home = self._module or importlib.import_module(f"twinset.cli.{cmd_name}")
        if self._module is None and hasattr(home, "COMMANDS"):
            return Commands(
                home.COMMANDS,
                home,
                name=cmd_name,
                help=inspect.cleandoc(home.HELP),
                epilog=EXIT_CODES,
                context_settings=HELP_FLAGS,
            )
        command = getattr(home, "command" if self._module is None else cmd_name)
        return GroupedCommand(
            cmd_name,
            params=parameters_of(command),
            callback=command,
            help=inspect.cleandoc(command.__doc__ or ""),
            epilog=EXIT_CODES,
            context_settings=HELP_FLAGS,
        )

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read what stands before the command."""
        if not args and not ctx.resilient_parsing:
            click.echo(ctx.get_help())
            ctx.exit(2)
        with in_sentences():
            return explaining(ctx, args, lambda: super(Commands, self).parse_args(ctx, args))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command that was typed; for a misspelt one suggest the nearest name."""
        if args and args[0] not in self._summaries and not args[0].startswith("-"):
            from twinset.cli.usage import no_command

            raise PlanError([no_command(args[0], list(self._summaries), ctx.command_path)])
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was named."""
        with in_sentences():
            return super().invoke(ctx)


def _print_version(requested: bool) -> None:
    if requested:
        from twinset._version import VERSION

        click.echo(f"twinset {VERSION}")
        raise click.exceptions.Exit


def _report_progress_to(path: str | None) -> None:
    from twinset.cli.progress import report_to

    report_to(path)


def twinset(
    version: Annotated[
        bool, option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
    progress: Annotated[
        str | None,
        option(
            "--progress",
            metavar="FILE",
            callback=_report_progress_to,
            help="Write the progress to FILE, as JSON, instead of stderr.",
        ),
    ] = None,
) -> None:
    """Find near-duplicate documents: every pair verified, no chaining, a stated recall.

    \b
    Example:
      twinset find corpus.jsonl -o report
      twinset dedup corpus.jsonl -o clean --threshold 0.9
      twinset show report --cluster 0
    """


app = Commands(
    COMMANDS,
    name="twinset",
    params=parameters_of(twinset),
    callback=twinset,
    help=inspect.cleandoc(twinset.__doc__ or ""),
    epilog=EXIT_CODES,
    context_settings=HELP_FLAGS,
)


def main() -> None:
    """The ``twinset`` command."""
    open_standard_streams()
    end_on_signals()
    spare_address_space()
    logging.lastResort = None  # what is logged after the notes comes from the end of Python
    try:
        with in_sentences():
            app(prog_name="twinset")
    except click.exceptions.Exit as end:  # a signal before or after the command itself
        raise SystemExit(end.exit_code) from None
