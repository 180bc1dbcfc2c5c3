"""``twinset compare``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from twinset.cli.options import (
    Inputs,
    Output,
    Reading,
    Resources,
    Seed,
    Threshold,
    Truth,
    VerifyOfMethods,
    given,
    option,
    takes,
)
from twinset.cli.output import print_json, say, say_table
from twinset.cli.progress import progress
from twinset.errors import Stopped

if TYPE_CHECKING:
    from twinset.lab.comparison import Comparison


KEPT = "stopped; the finished methods are kept, and the same command goes on from there"


@dataclass(frozen=True)
class Compared:
    """Which methods, and where the result goes."""

    out: Annotated[
        str,
        typer.Option("--out", "-o", metavar="DIR", help="Folder; results in it are used again."),
    ]
    methods: Annotated[
        list[str] | None,
        option(
            "--methods",
            metavar="all|A,B,...",
            help="Names or NAME:option=value,..., parted by commas; may be repeated.",
            shown="all",
        ),
    ] = None
    fresh: Annotated[
        bool, option("--fresh", help="Run methods again whose results are in the folder.")
    ] = False


@dataclass(frozen=True)
class Pool:
    """How the pairs of all methods are judged."""

    pool: Annotated[
        bool | None, option("--pool", help="Judge the pool of all pairs beside the truth as well.")
    ] = None
    judge: Annotated[
        float | None,
        option("--judge", metavar="T", help="Least edit similarity of a good pair.", shown="0.8"),
    ] = None
    most_judged: Annotated[
        int | None,
        option("--most-judged", metavar="N", help="Sample a larger pool.", shown="200000"),
    ] = None


@dataclass(frozen=True)
class Decisions:
    """How all methods decide, where they take the option."""

    threshold: Threshold = None
    verify: VerifyOfMethods = None
    seed: Seed = None


@takes
def command(
    inputs: Inputs,
    reading: Reading,
    compared: Compared,
    truth: Truth,
    pool: Pool,
    decisions: Decisions,
    resources: Resources,
    output: Output,
) -> None:
    """Run methods on the same documents and measure them: recall, precision, F, time, memory.

    Without a truth the yardstick is the pool of all pairs, judged by edit similarity.

    \b
    Example:
      twinset compare corpus.jsonl -o comparison
      twinset compare corpus.jsonl -o comparison --methods A0,A4,minhash --truth truth.csv
    """
    from twinset.lab.comparison import compare

    asked = given(reading, compared, truth, pool, decisions, resources)
    folder = asked.pop("out")
    methods = ",".join(asked.pop("methods", ["all"]))
    bar = progress(output.quiet)
    try:
        paths = [Path(name) for name in inputs.inputs]
        result = compare(paths, methods, folder=folder, progress=bar, **asked)
    except (KeyboardInterrupt, Stopped) as end:
        end.args = (KEPT,)
        raise
    finally:
        if bar is not None:
            bar.close()
    if output.json:
        print_json({"report": folder, **result.as_dict()})
        return
    _print(result)
    say(f"Page: {Path(folder) / 'comparison.html'}")


def _print(result: Comparison) -> None:
    from twinset.lab.comparison.page import explanation, headline, table_rows

    for sentence in (headline(result), *explanation(result)):
        say(sentence)
    head, rows = table_rows(result)
    say("")
    say_table([head, *rows])
    say("")
    for size in (2, 3):
        best = [row for row in result.coverage.to_pylist() if row["size"] == size][:1]
        for row in best:
            together = " + ".join(row["methods"])
            say(f"Best {size} together: {together}, coverage {row['coverage']:.4f}")
    for name, fault in result.manifest["failed"].items():
        say(f"Failed: {name}: {fault}")
