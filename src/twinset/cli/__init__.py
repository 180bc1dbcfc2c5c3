"""The command line: one file per command, parsing and printing only.

``options`` turns dataclasses into options, ``faults`` exceptions into sentences and exit codes,
``progress`` shows how far a run is, ``output`` prints, ``help`` lays the help out.
A command's module loads when it is called.
"""

from __future__ import annotations

import importlib
import inspect
import logging
import os
from typing import Annotated, Any

import click

from twinset.cli.faults import end_on_signals, in_sentences, open_standard_streams
from twinset.cli.limits import spare_address_space
from twinset.cli.parameters import GroupedCommand, explaining, option, parameters_of
from twinset.errors import PlanError

COMMANDS = {
    "find": "Find near-duplicates and write a report.",
    "dedup": "Split documents into kept and removed ones.",
    "clean": "Remove copies of files, with undo: to the trash or a folder.",
    "ui": "Open the page in a browser.",
    "show": "Look into a report: clusters, pairs, differences.",
    "index": "Keep a collection, and ask what is already there.",
    "serve": "Serve an index to other programs over HTTP.",
    "spans": "Find stretches of text that stand in several places.",
    "reuse": "Find passages of documents that stand in others, exact or edited.",
    "tune": "Recommend a plan for a collection.",
    "ask": "Make a plan out of your answers about pairs.",
    "plan": "Show what a threshold and a recall mean, and cost.",
    "lab": "Measure: evaluate, compare, experiment, generate, learn, mine, images.",
    "list": "List methods, presets and other parts with their options.",
}
GROUPS = {"index": "index", "lab": "lab", "list": "lists"}
"""Commands that hold others, and their modules: one called ``list`` would hide Python's own."""
USED = {
    "find": "out threshold text id preset method exact against plan resume force json",
    "dedup": "out threshold text id preset exact keep never-remove to annotate resume force",
    "clean": "trash move csv kind keep yes undo history top",
    "show": "cluster pair shared threshold top sort with-id json",
    "create": "threshold recall method exact preset text id json",
    "spans": "out least unit remove remove-all text id html force json",
    "reuse": "out set parts fail-above least threshold text against-text id html force json",
    "tune": "out truth sample text id grade seed threads force json",
    "ask": "out questions sample answers truth grade text id seed force",
    "plan": "threshold recall method exact preset plan image first text id memory json",
    "evaluate": "truth out grade only-judged only-known by ignore force json",
    "compare": "out methods truth judge grade threshold text id fresh threads json",
    "experiment": "list show out truth grade best by fresh text json",
    "generate": "out op documents variants originals seed text force",
    "learn": "out labels grade op variants features improve kernel text force",
    "mine": "support closed least-items algorithm names out force threads json",
    "images": "out image shingle unit text id seed force",
}
"""The options that the help of a command with many of them shows, in this order."""
EXIT_CODES = (
    "Exit codes: 0 done, 1 a fault in the input or the run, 2 wrong usage or a missing file, "
    "130 interrupted, 143 terminated. "
    "Results go to stdout, everything else to stderr."
)
HELP_FLAGS = {"help_option_names": ["-h", "--help"]}


class Commands(click.Group):
    """Commands by name, loaded when they are called; a fault is printed as one sentence.

    Each is a module of the package. In a group it is a function of the group's module, or a module
    of its package.
    """

    def __init__(self, commands: dict[str, str], home: str, **more: Any) -> None:
        super().__init__(epilog=EXIT_CODES, context_settings=HELP_FLAGS, **more)
        self._summaries, self._home = commands, home

    def list_commands(self, ctx: Any) -> list[str]:
        """The names in the order of use."""
        return list(self._summaries)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """The list of commands, without loading any of them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self._summaries.items()))

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Load a command, or a group of them."""
        if cmd_name not in self._summaries:
            return None
        if self._home == __name__ and cmd_name in GROUPS:
            group = _group(cmd_name)
            about = inspect.cleandoc(group.HELP)
            return Commands(group.COMMANDS, group.__name__, name=cmd_name, help=about)
        command = getattr(importlib.import_module(self._home), cmd_name, None)
        if not inspect.isfunction(command):
            command = importlib.import_module(f"{self._home}.{cmd_name}").command
        parameters, call = parameters_of(command)
        return GroupedCommand(
            cmd_name,
            [f"--{flag}" for flag in USED.get(cmd_name, "").split()],
            params=parameters,
            callback=call,
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

            raise PlanError([no_command(args[0], self._names(), ctx.command_path)])
        return super().resolve_command(ctx, args)

    def _names(self) -> list[str]:
        """What may be typed here, commands inside groups as two words."""
        inner = [
            f"{group} {name}"
            for group in (GROUPS if self._home == __name__ else ())
            for name in _group(group).COMMANDS
        ]
        return [*self._summaries, *inner]

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was named."""
        with in_sentences():
            return super().invoke(ctx)


def _group(name: str) -> Any:
    return importlib.import_module(f"{__name__}.{GROUPS[name]}")


def _print_version(requested: bool) -> None:
    if requested:
        from twinset._version import VERSION

        click.echo(f"twinset {VERSION}")
        raise click.exceptions.Exit


def _report_progress_to(path: str | None) -> None:
    from twinset.cli.progress import report_to

    if path is not None and not os.access(os.path.dirname(path) or os.curdir, os.W_OK):
        raise click.BadParameter(f"{path} cannot be written: name a file in a folder of yours")
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


_PARAMETERS, _BEFORE = parameters_of(twinset)
app = Commands(
    COMMANDS,
    __name__,
    name="twinset",
    params=_PARAMETERS,
    callback=_BEFORE,
    help=inspect.cleandoc(twinset.__doc__ or ""),
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
