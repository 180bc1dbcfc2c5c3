"""``twinset tune``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import click

from twinset.cli.options import (
    Force,
    Forms,
    InputPaths,
    KnownTruth,
    Mask,
    OutputOptions,
    ReadingOptions,
    ResourceOptions,
    Seed,
    Synonyms,
    check_options,
    given_options,
)
from twinset.cli.output import command_line, print_json, say, say_next, say_table
from twinset.cli.parameters import Group, option
from twinset.cli.progress import shown
from twinset.system.remote import path_or_address

if TYPE_CHECKING:
    from twinset.lab.tune import Tuned


class SampleAndPlan(Group):
    """How many documents are examined, and where the plan is written."""

    out: Annotated[
        str | None, option("--out", "-o", metavar="FILE", help="Write the plan here, as TOML.")
    ] = None
    force: Force = False
    sample: Annotated[
        int | None,
        option(
            "--sample",
            metavar="N",
            help="How many documents to look at.",
            shown="5000, with labels 20000",
        ),
    ] = None
    seed: Seed = None
    forms: Forms = None
    synonyms: Synonyms = None
    mask: Mask = None


def command(
    inputs: InputPaths,
    reading: ReadingOptions,
    looking: SampleAndPlan,
    truth: KnownTruth,
    resources: ResourceOptions,
    output: OutputOptions,
) -> None:
    """Recommend a plan for these documents: method, shingles, threshold, and what to expect.

    It needs no labels; with them (--truth) precision and recall are measured instead of estimated.

    \b
    Example:
      twinset tune corpus.jsonl -o plan.toml
      twinset find corpus.jsonl --plan plan.toml -o report
      twinset tune corpus.jsonl -o plan.toml --truth pairs.csv
    """
    from twinset.lab.tune import tune
    from twinset.result.places import ensure_free_file

    options = given_options(reading, truth, resources, looking)
    for name in ("out", "force"):
        options.pop(name, None)
    check_options(options)
    if looking.out:
        ensure_free_file(looking.out, looking.force, "plan.toml")
    with shown(output.quiet) as bar:
        tuned = tune([path_or_address(name) for name in inputs.inputs], progress=bar, **options)
    for note in tuned.notes:
        click.echo(f"note: {note}", err=True)
    if looking.out:
        tuned.save(looking.out)
    if output.json:
        commands = next_commands(tuned, inputs.inputs, looking.out)
        print_json({**tuned.as_dict(), "next": commands})
    else:
        _print_recommendation(tuned, inputs.inputs, looking.out, verbose=output.verbose)


def _print_recommendation(
    tuned: Tuned, documents: Sequence[str], out: str | None, *, verbose: bool
) -> None:
    from twinset.cli.progress import duration

    for line in tuned.said():
        say(line)
    say(f"It will take about {duration(tuned.seconds)}.")
    if verbose:
        say("")
        say_table(tuned.grid(), right=False)
        for edit in tuned.edits:
            say(f"{edit.strength} edits: found {edit.recall} of {edit.documents}")
    if verbose or not out:
        say("")
        say(f"Plan: {out}" if out else tuned.plan.as_toml().rstrip())
    say_next(*next_commands(tuned, documents, out))


def next_commands(tuned: Tuned, documents: Sequence[str], out: str | None) -> list[str]:
    """Search with the plan, by its file or by its options; ask first where evidence is thin.

    What came from standard input cannot be read a second time.
    """
    from twinset.plan import tomllib

    if "-" in documents:
        return []
    options = {} if out else tomllib.loads(tuned.plan.as_toml())
    plan = ["--plan", out] if out else []
    find = command_line("find", *documents, *plan, "-o", "report", options=options)
    ask = command_line("ask", *documents, "-o", "asked.toml")
    return [find, ask] if tuned.ask else [find]
