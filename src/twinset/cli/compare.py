"""``twinset compare``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from twinset.cli.options import (
    Forms,
    Fresh,
    InputPaths,
    Judge,
    KnownTruth,
    Language,
    OutputOptions,
    ReadingOptions,
    ResourceOptions,
    Seed,
    Synonyms,
    Threshold,
    VerifyOfMethods,
    given_options,
    takes,
)
from twinset.cli.output import command_line, print_json, say, say_next, say_table
from twinset.cli.parameters import option
from twinset.cli.progress import progress
from twinset.errors import Stopped
from twinset.lazy_dataclass import dataclass
from twinset.system.remote import path_or_address

if TYPE_CHECKING:
    from twinset.lab.comparison import Comparison


STOPPED = "stopped; finished methods are kept, and the same command continues from there"


@dataclass(eq=False, repr=False)
class MethodOptions:
    """Which methods, and where the result goes."""

    out: Annotated[
        str,
        option(
            "--out",
            "-o",
            metavar="DIR",
            help="Folder for the result; methods that it holds are not run again.",
        ),
    ]
    methods: Annotated[
        list[str] | None,
        option(
            "--methods",
            metavar="all|A,B,...",
            help="Names, NAME:option=value,... or preset:NAME, by commas; may be repeated.",
            shown="all",
            group="Similarity",
        ),
    ] = None
    fresh: Fresh = False
    language: Language = "en"


@dataclass(eq=False, repr=False)
class PoolOptions:
    """How the pairs of all methods are judged."""

    pool: Annotated[
        bool | None,
        option("--pool", help="With a truth, also judge the pool of all pairs.", group="Labels"),
    ] = None
    judge: Judge = None
    most_judged: Annotated[
        int | None,
        option(
            "--most-judged",
            metavar="N",
            help="Judge at most N pairs; a larger pool is sampled.",
            shown="200000",
            group="Labels",
        ),
    ] = None


@dataclass(eq=False, repr=False)
class SimilarityOptions:
    """How all methods decide, where they take the option."""

    threshold: Threshold = None
    verify: VerifyOfMethods = None
    forms: Forms = None
    synonyms: Synonyms = None
    seed: Seed = None


@takes
def command(
    inputs: InputPaths,
    reading: ReadingOptions,
    methods: MethodOptions,
    truth: KnownTruth,
    pool: PoolOptions,
    similarity: SimilarityOptions,
    resources: ResourceOptions,
    output: OutputOptions,
) -> None:
    """Run several methods on the same documents: recall, precision, F, time, memory of each.

    Without a truth, the pairs of all methods are pooled and judged by edit similarity.

    \b
    Example:
      twinset compare corpus.jsonl -o comparison
      twinset compare corpus.jsonl -o comparison --methods A0,A4,minhash --truth truth.csv
      twinset compare corpus.jsonl -o comparison --methods preset:text,minhash
    """
    from twinset.lab.comparison import compare

    options = given_options(reading, methods, truth, pool, similarity, resources)
    folder = options.pop("out")
    names = ",".join(options.pop("methods", ["all"]))
    bar = progress(output.quiet)
    try:
        paths = [path_or_address(name) for name in inputs.inputs]
        result = compare(paths, names, folder=folder, progress=bar, **options)
    except (KeyboardInterrupt, Stopped) as end:
        end.args = (STOPPED,)
        raise
    finally:
        if bar is not None:
            bar.close()
    if output.json:
        print_json({"report": folder, **result.as_dict()})
        return
    _print(result)
    say(f"Page: {Path(folder) / 'comparison.html'}")
    say_next(*_next_commands(result, inputs, given_options(reading, similarity)))


def _next_commands(result: Comparison, inputs: InputPaths, options: dict[str, Any]) -> list[str]:
    """Search by the best method, if there is one."""
    if "-" in inputs.inputs or result.best is None:
        return []
    kind, colon, preset = result.best.partition("preset:")
    chosen = {"preset": preset} if colon and not kind else {"method": result.best}
    return [command_line("find", *inputs.inputs, "-o", "report", options=chosen | options)]


def _print(result: Comparison) -> None:
    from twinset.lab.comparison.page import explanation, headline, table_rows

    for sentence in (headline(result), *explanation(result)):
        say(sentence)
    head, rows = table_rows(result)
    say("")
    say_table([head, *rows])
    say("")
    combinations = [row for row in result.coverage.to_pylist() if row["coverage"]]
    for size in (2, 3):
        rows_of_size = [row for row in combinations if row["size"] == size]
        for best in rows_of_size[:1]:
            together = " + ".join(best["methods"])
            say(f"Best {size} together: {together}, coverage {best['coverage']:.4f}")
    for name, fault in result.manifest["failed"].items():
        say(f"Failed: {name}: {fault}")
