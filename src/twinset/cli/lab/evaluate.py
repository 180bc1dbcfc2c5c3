"""``twinset lab evaluate``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import click

from twinset.cli.options import (
    TRUTH,
    CountedAsFound,
    Force,
    Grade,
    Ignore,
    Language,
    OnlyJudged,
    OutputOptions,
    TruthColumns,
    given_options,
)
from twinset.cli.output import print_json, say, say_table
from twinset.cli.parameters import Group, argument, option

if TYPE_CHECKING:
    from twinset.lab.evaluate import Evaluation


class SideOptions(Group):
    """What was found, and what is true."""

    found: Annotated[
        str,
        argument(
            metavar="FOUND",
            help="A report folder, or a file of pairs: CSV, Parquet, JSON lines, lines "
            "'id1 id2 ... count'.",
        ),
    ]
    truth: Annotated[
        str,
        option("--truth", metavar="FILE", help=TRUTH, group="Labels"),
    ]


class CountingOptions(Group):
    """Which pairs count."""

    ignore: Ignore = None
    only_judged: OnlyJudged = False
    only_known: Annotated[
        bool,
        option(
            "--only-known",
            help="Leave out true pairs of documents not in the report.",
            group="Labels",
        ),
    ] = False
    grade: Grade = None
    by: CountedAsFound = None


class FileOptions(Group):
    """How the files are read."""

    truth_columns: TruthColumns = None
    found_columns: Annotated[
        str | None,
        option(
            "--found-columns",
            metavar="A,B[,S]",
            help="Columns of the found pairs, by name or number, and of the score.",
            shown="by their names",
            group="Input",
        ),
    ] = None
    log: Annotated[
        str | None,
        option(
            "--log",
            metavar="FILE",
            help="Log of a generated collection, for the recall by operation.",
            shown="log.jsonl beside the truth, if it exists",
            group="Labels",
        ),
    ] = None


class Destination(Group):
    """Where the result goes."""

    out: Annotated[
        str | None,
        option(
            "--out",
            "-o",
            metavar="DIR",
            help="Folder for missed and extra pairs, the curve and a page.",
        ),
    ] = None
    force: Force = False
    language: Language = "en"


def command(
    sides: SideOptions,
    counting: CountingOptions,
    files: FileOptions,
    destination: Destination,
    output: OutputOptions,
) -> None:
    """Compare found pairs with a list of true ones: precision, recall, F1, B³, adjusted Rand.

    \b
    Example:
      twinset lab evaluate report --truth truth.csv -o evaluation
      twinset lab evaluate report --truth graded.csv --grade 3 --only-judged
      twinset lab evaluate pairs.csv --truth clusters.csv --json
    """
    from twinset.lab.evaluate import evaluate
    from twinset.result import ensure_free

    if destination.out is not None:
        ensure_free(destination.out, destination.force, [sides.found, sides.truth])
    result = evaluate(**given_options(sides, counting, files))
    for note in result.notes:
        click.echo(f"note: {note}", err=True)
    if destination.out is not None:
        result.save(destination.out, destination.force, language=destination.language)
    if output.json:
        print_json(result.as_dict())
        return
    _print(result)
    if destination.out is not None:
        say(f"\nWritten: {destination.out}")


def _print(result: Evaluation) -> None:
    from twinset.lab.evaluate import operations_table

    for name, value, definition in result.rows():
        say(f"{name:<17} {value:>10}  {definition}")
    if result.best is not None:
        threshold, f1 = result.best
        say(f"{'best F1':<17} {f1:>10.4f}  at threshold {threshold:.4g} on the scores found")
    if result.operations:
        say("")
        say_table(operations_table(result.operations))
