"""``twinset mine``: maximal or closed sets of a FIMI file, by a miner of choice."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from twinset.clusters.closed import Closed, Kind
from twinset.clusters.context import Context
from twinset.clusters.mine import ALGORITHMS, Itemset
from twinset.clusters.mine import mine as run_miner
from twinset.clusters.mine.compare import compare as compare_miners
from twinset.clusters.mine.compare import table
from twinset.clusters.mine.fimi import read_fimi, result_lines
from twinset.errors import PlanError, TwinsetError

MAX_SETS = 1_000_000
MAX_WORK = 20_000_000_000


def mine(
    file: Annotated[
        str,
        typer.Argument(
            help="A FIMI file: a line of numbers a transaction; - reads standard input."
        ),
    ],
    support: Annotated[int, typer.Option(help="In how many lines all items of a set must stand.")],
    closed: Annotated[
        bool, typer.Option("--closed", help="All closed sets, not only the maximal ones.")
    ] = False,
    algorithm: Annotated[str, typer.Option(help=f"One of {', '.join(ALGORITHMS)}.")] = "search",
    compare: Annotated[
        bool, typer.Option("--compare", help="Run all algorithms and print a table of their times.")
    ] = False,
    seconds: Annotated[
        float, typer.Option(help="Time limit of each algorithm with --compare.")
    ] = 60.0,
    max_sets: Annotated[
        int, typer.Option(help="Sets of one component at which search gives a cover.")
    ] = MAX_SETS,
    threads: Annotated[int, typer.Option(help="Threads of search.")] = 1,
) -> None:
    """Print one line per set of two or more items: the items, then in how many lines they stand.

    Example: twinset mine retail.dat --support 100
    """
    try:
        data = read_fimi(file)
        for note in data.notes():
            typer.echo(f"note: {note}", err=True)
        kind: Kind = "closed" if closed else "maximal"
        if support < 1:
            raise PlanError([f"--support must be at least 1, not {support}"])
        if compare:
            _compare(data.context, support, kind, seconds)
            return
        if algorithm == "search":
            sets = _search(data.context, support, kind, max_sets, threads)
        else:
            sets = run_miner(algorithm, data.context, support, kind)
    except TwinsetError as fault:
        typer.echo(f"twinset: {fault}", err=True)
        raise typer.Exit(2) from None
    sys.stdout.writelines(line + "\n" for line in result_lines(sets, data.labels.tolist()))


def _search(
    context: Context, support: int, kind: Kind, max_sets: int, threads: int
) -> list[Itemset]:
    options = Closed(k=support, kind=kind, max_sets=max_sets, max_work=MAX_WORK)
    found = options.find(context, threads)
    # Short documents are what mining at a support is about; here they are no news.
    for note in found.notes()[1 if found.too_short else 0 :]:
        typer.echo(f"note: {note}", err=True)
    return list(found)


def _compare(context: Context, support: int, kind: Kind, seconds: float) -> None:
    names = [name for name in ALGORITHMS if kind == "maximal" or name != "fpmax"]
    names = [name for name in names if _available(name)]
    for line in table(compare_miners(context, support, names, seconds, kind), support):
        typer.echo(line)
    typer.echo("all that finished found the same sets", err=True)


def _available(name: str) -> bool:
    if not ALGORITHMS[name].startswith("borgelt:"):
        return True
    from importlib.util import find_spec

    if find_spec("fim") is None:
        typer.echo(f"note: {name} is left out: pip install 'twinset[mine]'", err=True)
        return False
    return True
