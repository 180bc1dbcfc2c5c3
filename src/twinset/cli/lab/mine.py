"""``twinset lab mine``: maximal or closed sets of a FIMI file, by a miner of choice."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated, Any

import click

from twinset.cli.options import Force, Json, Quiet, Threads
from twinset.cli.output import print_json, say
from twinset.cli.parameters import argument, option
from twinset.errors import PlanError, ReadError, remedy
from twinset.finding.clusters.mine import ALGORITHMS, LEAST_ITEMS, check
from twinset.plan import Resources
from twinset.plan.spec import counted
from twinset.result.places import ensure_free_file, fresh_file

if TYPE_CHECKING:
    from twinset.finding.clusters.closed_sets import SetKind
    from twinset.finding.clusters.mine.fimi import Fimi
    from twinset.finding.clusters.mine.miners import MinedSets, Transactions

MAX_SETS = 1_000_000
MINERS = ", ".join(["auto", *ALGORITHMS])


def command(
    file: Annotated[
        str | None,
        argument(
            metavar="FILE",
            help="A FIMI file: numbers in lines, each a transaction; or a table of names, which "
            "begins with a line that begins with #; - is stdin. Without it, --compare generates "
            "documents as many as the papers had.",
        ),
    ] = None,
    support: Annotated[
        int | None,
        option(help="Least number of lines that hold all items of a set."),
    ] = None,
    closed: Annotated[
        bool, option("--closed", help="Find all closed sets instead of the maximal ones.")
    ] = False,
    least_items: Annotated[
        int,
        option(
            "--least-items",
            "--least",
            metavar="N",
            help="Print only sets of at least N items; 1 includes single items.",
        ),
    ] = LEAST_ITEMS,
    algorithm: Annotated[str, option(metavar="NAME", help=f"One of {MINERS}.")] = "auto",
    compare: Annotated[
        bool,
        option(
            "--compare",
            help="Run all algorithms for maximal and closed sets (with --closed, for closed ones) "
            "and print a table of time, memory, sets and steps: the papers' Table 4.",
        ),
    ] = False,
    seconds: Annotated[float, option(help="CPU time of each row with --compare.")] = 20.0,
    documents: Annotated[
        int | None,
        option(
            "--generated",
            metavar="N",
            help="How many documents --compare generates; 53,539 as in the papers if not given.",
        ),
    ] = None,
    max_sets: Annotated[
        int, option(help="Number of sets of a component above which search gives a cover.")
    ] = MAX_SETS,
    names: Annotated[
        str | None,
        option(
            metavar="FILE",
            help="Print names instead of numbers: a report, a file of images (.fps), or a text "
            "file with an id on each line, the first for number 0.",
        ),
    ] = None,
    out: Annotated[
        str | None,
        option(
            "--out",
            "-o",
            metavar="FILE",
            help="File for the sets, or with --compare for the times, instead of printing them.",
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
      twinset lab mine retail.dat --support 100 --compare
      twinset lab mine --compare --generated 10000 --support 95
      twinset lab mine sets/shingles.txt.out --support 85 --names sets
      twinset lab images shingles.fps -o table.txt --inverted
      twinset lab mine table.txt --support 85 -o sets.txt
    """
    from twinset.finding.clusters.mine.fimi import read_fimi
    from twinset.finding.clusters.mine.miners import choose, mine

    if support is not None and support < 1:
        raise PlanError([f"--support must be at least 1, not {support}"])
    if least_items < 1:
        raise PlanError([f"--least-items must be at least 1, not {least_items}"])
    if seconds <= 0:
        raise PlanError([f"--seconds must be above 0, not {seconds:g}"])
    if out is not None:
        ensure_free_file(out, force, "sets.txt")
    kind: SetKind = "closed" if closed else "maximal"
    if algorithm != "auto":
        check(algorithm, kind)
    if documents is not None and (not compare or file is not None):
        raise PlanError(["--generated is for --compare without a file"])
    kinds: list[SetKind] = ["closed"] if closed else ["maximal", "closed"]
    if compare and file is None:
        _compare_generated(documents, support, kinds, seconds, json, out)
        return
    if file is None:
        raise PlanError(["give a FIMI file, or --compare to run all miners on generated documents"])
    if support is None:
        raise PlanError(["--support N is needed, the least number of lines that hold a set"])
    data = read_fimi(file)
    if names is not None and data.names is not None:
        raise PlanError([f"{file} has names of its own: leave out --names"])
    for note in data.notes():
        _note(note)
    if compare:
        _compare(data.table, support, kinds, seconds, json, out)
        return
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
    if out is not None:
        _write(out, text)
        if json:
            print_json({"file": out, "count": len(sets), "kind": kind, "support": support})
        else:
            say(f"{counted(len(sets), f'{kind} set')}: {out}")
    elif json:
        print_json({"sets": [_entry(items, count, labels) for items, count in sets]})
    else:
        sys.stdout.flush()
        sys.stdout.buffer.writelines(text)


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
    if names is None and data.names is None:
        return numbers, result_text(sets, data.labels)
    from twinset.model.ids import quoted_id

    labels = list(data.names or ()) if names is None else _named(numbers, names)
    return labels, _named_lines(sets, [quoted_id(id) for id in labels])


def _named(numbers: list[int], path: str) -> list[str]:
    """The documents behind the numbers."""
    from twinset.run.image_files import document_names

    known = document_names(path)
    if numbers and numbers[-1] >= len(known):
        raise ReadError(
            path, None, f"names {len(known):,} documents, and the table has number {numbers[-1]:,}"
        )
    return [known[number] for number in numbers]


def _named_lines(sets: MinedSets, labels: list[str]) -> Iterator[bytes]:
    for items, count in sets:
        yield (" ".join([*(labels[item] for item in items), str(count)]) + "\n").encode()


def _write(out: str, parts: Iterable[bytes]) -> None:
    with fresh_file(out) as draft, open(draft, "wb") as file:
        file.writelines(parts)


def _entry(items: tuple[int, ...], count: int, labels: list[Any]) -> dict[str, Any]:
    return {"items": [labels[item] for item in items], "support": int(count)}


def _compare(
    table: Transactions,
    support: int,
    kinds: list[SetKind],
    seconds: float,
    json: bool,
    out: str | None,
) -> None:
    from twinset.finding.clusters.mine.compare import compare_rows
    from twinset.finding.clusters.mine.compare import table as run_table

    _note_missing()
    runs = compare_rows(table.context, [support], kinds, seconds=seconds)
    _show_compared(runs, run_table, {"support": support}, "runs", json, out)


def _compare_generated(
    documents: int | None,
    support: int | None,
    kinds: list[SetKind],
    seconds: float,
    json: bool,
    out: str | None,
) -> None:
    from twinset.finding.clusters.mine.table4 import DOCUMENTS, lines, papers_rows

    count = DOCUMENTS if documents is None else documents
    if count < 2:
        raise PlanError([f"--generated must be at least 2, not {count}"])
    _note_missing()
    rows = papers_rows(count, support, kinds, seconds)
    _show_compared(rows, partial(lines, documents=count), {"documents": count}, "rows", json, out)


def _show_compared(
    rows: Iterable[Any],
    lines: Callable[[Iterable[Any]], Iterable[str]],
    facts: dict[str, Any],
    named: str,
    json: bool,
    out: str | None,
) -> None:
    """Write or print the rows of a comparison as ``lines``, or as JSON under the name ``named``."""
    if json or out is not None:
        rows = list(rows)
    if out is not None:
        _write(out, (f"{line}\n".encode() for line in lines(rows)))
    if json:
        print_json({**facts, named: [dataclasses.asdict(row) for row in rows]})
    elif out is None:
        _print_at_once(lines(rows))
    _note("all that finished found the same sets")


def _note_missing() -> None:
    missing = [name for name, algorithm in ALGORITHMS.items() if algorithm.needs_pyfim]
    if find_spec("fim") is None:
        _note(f"without {', '.join(missing)}: {remedy('mine')} brings them")


def _print_at_once(lines: Iterable[str]) -> None:
    """A row can take long: each shows when it is there, in a pipe as well."""
    for line in lines:
        click.echo(line)
        sys.stdout.flush()


def _note(text: str) -> None:
    """Talk goes to stderr: stdout holds the sets alone."""
    click.echo(f"note: {text}", err=True)
