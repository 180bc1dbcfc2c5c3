"""``twinset lab experiment``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from twinset.cli.options import (
    CountedAsFound,
    Fresh,
    Judge,
    KnownTruth,
    Language,
    OutputOptions,
    ReadingOptions,
    ResourceOptions,
    given_options,
)
from twinset.cli.output import command_line, print_json, say, say_next, say_table
from twinset.cli.parameters import Group, argument, option
from twinset.cli.progress import shown
from twinset.errors import PlanError, ReportError
from twinset.system.remote import path_or_address

if TYPE_CHECKING:
    from twinset.lab.experiment_result import ExperimentResult


STOPPED = "stopped; finished rows are kept, and the same command continues from there"


class ExperimentSource(Group):
    """Which experiment, on which documents."""

    experiment: Annotated[
        str | None,
        argument(
            metavar="NAME|FILE.toml",
            help="An experiment of twinset (see --list), or a TOML file with [plan] and [sweep].",
        ),
    ] = None
    inputs: Annotated[
        list[str] | None,
        argument(
            metavar="IN",
            help="Files, folders or globs with the documents, as in twinset find.",
        ),
    ] = None
    listed: Annotated[bool, option("--list", help="List the experiments of twinset.")] = False
    show: Annotated[
        str | None,
        option("--show", metavar="NAME", help="Print the TOML file of one, to start from."),
    ] = None


class SweepOptions(Group):
    """Where the result goes, and how the rows run."""

    out: Annotated[
        str | None,
        option(
            "--out",
            "-o",
            metavar="DIR",
            help="Folder for the result; rows that it holds are not run again.",
        ),
    ] = None
    fresh: Fresh = False
    language: Language = "en"
    most_rows: Annotated[
        int | None,
        option(
            "--most-rows",
            metavar="N",
            help="Refuse an experiment of more rows.",
            shown="1000",
            group="Resources",
        ),
    ] = None


class MeasureOptions(Group):
    """What rows are measured by; the TOML file may say it, too."""

    by: CountedAsFound = None
    best: Annotated[
        str | None,
        option(
            "--best",
            metavar="COLUMN",
            help="The column that decides which row goes to best.toml.",
            shown="f1",
            group="Output",
        ),
    ] = None
    tables: Annotated[
        list[str] | None,
        option(
            "--table",
            metavar="NAME",
            help="A derived table to write beside those of the file; may be repeated.",
            group="Output",
        ),
    ] = None
    judge: Judge = None


def command(
    source: ExperimentSource,
    reading: ReadingOptions,
    sweep: SweepOptions,
    truth: KnownTruth,
    measure: MeasureOptions,
    resources: ResourceOptions,
    output: OutputOptions,
) -> None:
    """Run a plan with every combination of some options, and measure each against a truth.

    Writes experiment.parquet, .csv and .html, and best.toml for 'twinset find --plan'. A stopped
    run goes on. Without a truth, all pairs are pooled and judged by edit similarity.

    \b
    Example:
      twinset lab experiment --list
      twinset lab experiment sweep.toml corpus.jsonl --truth truth.csv -o sweep
      twinset find corpus.jsonl --plan sweep/best.toml -o report
    """
    if source.listed:
        _print_list(output.json)
        return
    if source.show is not None:
        from twinset.lab.description import shipped_text

        say(shipped_text(source.show).rstrip("\n"))
        return
    name = _ensure_given(source, sweep.out)
    from twinset.lab.experiment import experiment

    options = given_options(reading, sweep, truth, measure, resources)
    if not options["only_judged"]:
        options.pop("only_judged")  # the file may ask for it
    run_and_show(experiment, source.inputs or [], name, options, output)


def run_and_show(
    run: Callable[..., ExperimentResult],
    inputs: Sequence[str],
    what: str,
    options: dict[str, Any],
    output: OutputOptions,
) -> None:
    """Run an experiment, or a comparison, and print its result."""
    folder = options.pop("out")
    with shown(output.quiet, STOPPED) as bar:
        paths = [path_or_address(name) for name in inputs]
        result = run(paths, what, folder=folder, progress=bar, **options)
    if output.json:
        print_json({"report": folder, **result.as_dict()})
    else:
        _print(result, folder, inputs)
    if failed := result.manifest["failed"]:
        raise ReportError(f"rows that failed: {len(failed)} of {len(result.rows)}")


def _ensure_given(source: ExperimentSource, out: str | None) -> str:
    faults = []
    if source.experiment is None:
        faults.append("name an experiment, or a TOML file; --list shows those that there are")
    if not source.inputs:
        first = source.experiment
        taken = f"; '{first}' is taken for the experiment" if first else ""
        faults.append(f"name the documents to run it on: files, folders or globs{taken}")
    if out is None:
        faults.append("name a folder for the result with -o")
    if faults or source.experiment is None:
        raise PlanError(faults)
    return source.experiment


def _print_list(as_json: bool) -> None:
    from twinset.lab.description import open_description, shipped_names

    experiments = [open_description(name) for name in shipped_names()]
    fields = ("name", "title", "source", "measured")
    if as_json:
        print_json({"experiments": [{f: getattr(e, f) for f in fields} for e in experiments]})
        return
    for known in experiments:
        say(f"{known.name}: {known.title}")
        for line in filter(None, (known.source, known.measured)):
            say(f"    {line}")


def _print(result: ExperimentResult, folder: str, inputs: Sequence[str]) -> None:
    for sentence in result.said():
        say(sentence)
    say("")
    say_table(result.grid())
    say("")
    for name, fault in result.manifest["failed"].items():
        say(f"Failed: {name}: {fault}")
    best, page = (str(Path(folder) / name) for name in ("best.toml", "experiment.html"))
    if result.best_plan is not None:
        say(f"Best plan: {best}")
    say(f"Page: {page}")
    if result.best_plan is not None and "-" not in inputs:
        say_next(command_line("find", *inputs, "--plan", best, "-o", "report"))
