"""``twinset evaluate``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from twinset.cli.options import (
    TRUTH,
    Force,
    Grade,
    Ignore,
    OnlyJudged,
    Output,
    TruthColumns,
    given,
    option,
    takes,
)
from twinset.cli.output import print_json, say, say_table

if TYPE_CHECKING:
    from twinset.lab.evaluation import Evaluation


@dataclass(frozen=True)
class Sides:
    """What is held against what."""

    found: Annotated[
        str,
        typer.Argument(
            metavar="FOUND",
            show_default=False,
            help="A report folder, or pairs: CSV, Parquet, lines 'id1 id2 ... count'.",
        ),
    ]
    truth: Annotated[
        str,
        typer.Option(
            "--truth",
            metavar="FILE",
            help=TRUTH,
        ),
    ]


@dataclass(frozen=True)
class Counting:
    """Which pairs count, and on which side."""

    ignore: Ignore = None
    only_judged: OnlyJudged = False
    only_known: Annotated[
        bool, option("--only-known", help="Leave out true pairs of documents not in the report.")
    ] = False
    grade: Grade = None
    by: Annotated[
        str | None,
        option(
            "--by",
            metavar="auto|pairs|clusters",
            help="What of a report was found: its pairs, or all pairs inside its clusters.",
            shown="auto: clusters if they are closed sets, else pairs",
        ),
    ] = None


@dataclass(frozen=True)
class Files:
    """How the files are understood."""

    truth_kind: Annotated[
        str | None,
        option(
            "--truth-kind",
            metavar="auto|pairs|clusters",
            help="What the truth lists, where its columns do not tell.",
            shown="auto",
        ),
    ] = None
    truth_columns: TruthColumns = None
    found_columns: Annotated[
        str | None,
        option(
            "--found-columns",
            metavar="A,B[,S]",
            help="Names or numbers of the found pairs' columns, and of the score.",
            shown="by their names",
        ),
    ] = None
    log: Annotated[
        str | None,
        option(
            "--log",
            metavar="FILE",
            help="The log of a generated collection.",
            shown="log.jsonl beside the truth, if there is one",
        ),
    ] = None


@dataclass(frozen=True)
class Telling:
    """Where the result goes."""

    out: Annotated[
        str | None,
        option("--out", "-o", metavar="DIR", help="Folder for the unique pairs and the picture."),
    ] = None
    force: Force = False


@takes
def command(
    sides: Sides, counting: Counting, files: Files, telling: Telling, output: Output
) -> None:
    """Compare found pairs with true ones: five numbers, precision, recall, F1, B³, adjusted Rand.

    \b
    Example:
      twinset evaluate report --truth truth.csv -o evaluation
      twinset evaluate report --truth graded.csv --grade 3 --only-judged
      twinset evaluate pairs.csv --truth clusters.csv --json
    """
    from twinset.lab.evaluation import evaluate
    from twinset.report import ensure_free

    if telling.out is not None:
        ensure_free(telling.out, telling.force, [sides.found, sides.truth])
    result = evaluate(**given(sides, counting, files))
    for note in result.notes:
        typer.echo(f"note: {note}", err=True)
    if telling.out is not None:
        result.save(telling.out, telling.force)
    if output.json:
        print_json(result.as_dict())
        return
    _print(result)
    if telling.out is not None:
        say(f"\nWritten: {telling.out}")


def _print(result: Evaluation) -> None:
    from twinset.lab.evaluation.page import operations_table

    for name, value, told in result.rows():
        say(f"{name:<17} {value:>10}  {told}")
    if result.operations:
        say("")
        say_table(operations_table(result.operations))
