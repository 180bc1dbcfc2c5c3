"""``twinset evaluate``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from twinset.cli.output import print_json, say, say_table

if TYPE_CHECKING:
    from twinset.evaluation import Evaluation


def command(
    found: Annotated[
        str,
        typer.Argument(
            metavar="FOUND",
            show_default=False,
            help="A report folder, or pairs: CSV, Parquet, lines 'id1 id2 ... count'.",
        ),
    ],
    truth: Annotated[
        str,
        typer.Option(
            "--truth",
            metavar="FILE",
            help="True pairs (left,right), clusters (id,cluster) or graded pairs.",
        ),
    ],
    ignore: Annotated[
        str | None,
        typer.Option("--ignore", metavar="FILE", help="Pairs that count neither way."),
    ] = None,
    only_judged: Annotated[
        bool,
        typer.Option("--only-judged", help="Count only pairs that the truth lists, at any grade."),
    ] = False,
    only_known: Annotated[
        bool,
        typer.Option("--only-known", help="Leave out true pairs of documents not in the report."),
    ] = False,
    grade: Annotated[
        float | None,
        typer.Option("--grade", metavar="G", help="The least grade of a true pair."),
    ] = None,
    by: Annotated[
        str,
        typer.Option(
            "--by",
            metavar="pairs|clusters",
            show_default=False,
            help="What of a report was found: its pairs, or all pairs inside its clusters. [pairs]",
        ),
    ] = "pairs",
    truth_kind: Annotated[
        str,
        typer.Option(
            "--truth-kind",
            metavar="auto|pairs|clusters",
            show_default=False,
            help="What the truth lists, where its columns do not tell. [auto]",
        ),
    ] = "auto",
    truth_columns: Annotated[
        str,
        typer.Option(
            "--truth-columns",
            metavar="A,B[,G]",
            show_default=False,
            help="Names or numbers of the truth's two columns, and of the grade. [by their names]",
        ),
    ] = "",
    found_columns: Annotated[
        str,
        typer.Option(
            "--found-columns",
            metavar="A,B[,S]",
            show_default=False,
            help="Names or numbers of the found pairs' columns, and of the score. [by their names]",
        ),
    ] = "",
    log: Annotated[
        str | None,
        typer.Option(
            "--log",
            metavar="FILE",
            show_default=False,
            help="The log of a generated collection. [log.jsonl beside the truth, if there is one]",
        ),
    ] = None,
    out: Annotated[
        str | None,
        typer.Option(
            "--out", "-o", metavar="DIR", help="Folder for the unique pairs and the picture."
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an older folder.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Compare found pairs with true ones: five numbers, precision, recall, F1, B³, adjusted Rand.

    \b
    Example:
      twinset evaluate report --truth truth.csv -o evaluation
      twinset evaluate report --truth graded.csv --grade 3 --only-judged
      twinset evaluate pairs.csv --truth clusters.csv --json
    """
    from twinset.evaluation import evaluate
    from twinset.report import ensure_free

    if out is not None:
        ensure_free(out, force, [found, truth])
    result = evaluate(
        found,
        truth,
        ignore=ignore,
        only_judged=only_judged,
        only_known=only_known,
        grade=grade,
        by=by,  # type: ignore[arg-type]  # checked inside
        truth_kind=truth_kind,  # type: ignore[arg-type]
        truth_columns=truth_columns,
        found_columns=found_columns,
        log=log,
    )
    for note in result.notes:
        typer.echo(f"note: {note}", err=True)
    if out is not None:
        result.save(out, force)
    if json:
        print_json(result.as_dict())
        return
    _print(result)
    if out is not None:
        say(f"\nWritten: {out}")


def _print(result: Evaluation) -> None:
    from twinset.evaluation.page import OPERATIONS, operation_rows

    for name, value, told in result.rows():
        say(f"{name:<17} {value:>10}  {told}")
    if result.operations:
        rows = operation_rows(result.operations)
        say("")
        say_table([OPERATIONS, *rows])
