"""``twinset lab mine``: maximal or closed sets of a FIMI file, by a miner of choice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated, Any

import click

from twinset.cli.options import Force, Json, Quiet, Threads
from twinset.cli.output import STDOUT, print_json, say, write_lines
from twinset.cli.parameters import argument, option
from twinset.errors import ReadError
from twinset.finding.clusters.mine import ALGORITHMS, LEAST_ITEMS, check
from twinset.plan import Resources
from twinset.plan.spec import counted
from twinset.result.places import ensure_free_file

if TYPE_CHECKING:
    from twinset.finding.clusters.closed_sets import SetKind
    from twinset.finding.clusters.mine.fimi import Fimi
    from twinset.finding.clusters.mine.miners import MinedSets, Transactions

MAX_SETS = 1_000_000
MINERS = ", ".join(["auto", *ALGORITHMS])


def command(
    file: Annotated[
        str,
        argument(
            metavar="FILE", help="A FIMI file: numbers in lines, each a transaction; - is stdin."
        ),
    ],
    support: Annotated[
        int,
        option(
            metavar="N",
            least=1,
            help="Least number of lines that hold all items of a set; no share.",
        ),
    ],
    closed: Annotated[
        bool, option("--closed", help="Find all closed sets instead of the maximal ones.")
    ] = False,
    least_items: Annotated[
        int,
        option(
            "--least-items",
            "--least",
            metavar="N",
            least=1,
            help="Print only sets of at least N items; 1 includes single items.",
        ),
    ] = LEAST_ITEMS,
    interval: Annotated[
        tuple[float, float] | None,
        option(
            metavar="LOW HIGH",
            help="FILE is an index, lines of a word and its documents: take words whose count, "
            "relative to the most frequent one, lies from LOW to HIGH.",
        ),
    ] = None,
    algorithm: Annotated[str, option(metavar="NAME", help=f"One of {MINERS}.")] = "auto",
    max_sets: Annotated[
        int, option(help="Number of sets of a component above which search gives a cover.")
    ] = MAX_SETS,
    names: Annotated[
        str | None,
        option(
            metavar="REPORT",
            help="Print the ids of the documents of this report instead of numbers.",
        ),
    ] = None,
    out: Annotated[
        str | None,
        option(
            "--out",
            "-o",
            metavar="FILE",
            help="File for the sets, instead of printing them.",
        ),
    ] = None,
    force: Force = False,
    threads: Threads = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Print one line per set: its items, then the number of lines that hold all of them.

    \b
    Example:
      twinset lab mine retail.dat --support 100
      twinset lab mine retail.dat --support 100 --closed --least-items 1
      twinset lab mine sets/shingles.txt.out --support 85 --names sets
      twinset lab mine index.txt --support 500 --interval 0.00001 0.5
    """
    from twinset.finding.clusters.mine.fimi import read_fimi
    from twinset.finding.clusters.mine.miners import choose, mine

    if out is not None:
        ensure_free_file(out, force, "sets.txt")
    kind: SetKind = "closed" if closed else "maximal"
    if algorithm != "auto":
        check(algorithm, kind)
    data = read_fimi(file, interval)
    for note in data.notes():
        _note(note)
    if algorithm == "auto":
        algorithm, reason = choose(data.table, support, kind)
        if not quiet:
            _note(f"algorithm {algorithm}: {reason}")
    if algorithm == "search":
        sets = _searched(data.table, support, kind, least_items, max_sets, threads)
    else:
        sets = mine(algorithm, data.table, support, kind, least_items)
    if not sets:
        lines = "1 line" if support == 1 else f"{support:,} lines"
        _note(f"no {kind} set of {least_items} or more items occurs in {lines}")
    labels, text = _labelled(sets, data, names)
    if out is not None or not json:
        write_lines(out or STDOUT, text)
    if out is None and json:
        print_json({"sets": [_entry(items, count, labels) for items, count in sets]})
    elif json:
        print_json({"file": out, "count": len(sets), "kind": kind, "support": support})
    elif out is not None:
        say(f"{counted(len(sets), f'{kind} set')}: {out}")


def _searched(
    table: Transactions,
    support: int,
    kind: SetKind,
    least_items: int,
    max_sets: int,
    threads: int | None,
) -> MinedSets:
    """The sets by our own search, which says where it was bounded."""
    from twinset.finding.clusters.mine.miners import bounded_search, with_singles

    bounded = bounded_search(table, support, kind, max_sets, Resources.make(threads).threads)
    for note in bounded.bounds():
        _note(note)
    return with_singles(bounded, table, support, kind).in_order(least_items)


def _labelled(sets: MinedSets, data: Fimi, names: str | None) -> tuple[list[Any], Iterable[bytes]]:
    """What the items are called, and the sets as lines: by names where there are some."""
    from twinset.finding.clusters.mine.fimi import result_text

    numbers: list[Any] = data.labels.tolist()
    if names is None:
        return numbers, result_text(sets, data.labels)
    from twinset.model.ids import quoted_id
    from twinset.result import read

    known = read(names).documents["id"].to_pylist()
    if numbers and numbers[-1] >= len(known):
        raise ReadError(
            names, None, f"has {len(known):,} documents, and the table has number {numbers[-1]:,}"
        )
    labels = [known[number] for number in numbers]
    return labels, _named_lines(sets, [quoted_id(id) for id in labels])


def _named_lines(sets: MinedSets, labels: list[str]) -> Iterator[bytes]:
    for items, count in sets:
        yield (" ".join([*(labels[item] for item in items), str(count)]) + "\n").encode()


def _entry(items: tuple[int, ...], count: int, labels: list[Any]) -> dict[str, Any]:
    return {"items": [labels[item] for item in items], "support": int(count)}


def _note(text: str) -> None:
    """Talk goes to stderr: stdout holds the sets alone."""
    click.echo(f"note: {text}", err=True)
