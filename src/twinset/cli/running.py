"""What ``find`` and ``dedup`` have in common: run, save, print the summary."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from twinset.cli import head_start
from twinset.cli.limits import spare_memory
from twinset.cli.options import (
    Against,
    DocumentOptions,
    InputPaths,
    OutputOptions,
    ReadingOptions,
    ReportTarget,
    RunResources,
    SearchOptions,
    check_options,
    given_options,
    takes,
)
from twinset.cli.output import print_json, say, unread
from twinset.cli.piping import STDOUT, ensure_pipeable, run_to_stdout
from twinset.cli.progress import progress
from twinset.cli.request import RunRequest
from twinset.errors import PlanError, Stopped
from twinset.plan import OutputForm, Plan
from twinset.system.remote import RemotePath, path_or_address, place_of

if TYPE_CHECKING:
    from twinset.engine.parts import PartsFolder
    from twinset.engine.spark.engine import SparkEngine

GOES_ON = "the same command continues from there"


def run_command(name: str, description: str) -> Callable[..., None]:
    """The command that runs ``find`` or ``dedup`` of the library and saves the report."""

    def find(
        *,
        inputs: InputPaths,
        target: ReportTarget,
        against: Against = None,
        search: SearchOptions,
        reading: ReadingOptions,
        resources: RunResources,
        output: OutputOptions,
    ) -> None:
        options = _given(search, reading, resources, against)
        _run_to_folder(RunRequest(name, inputs.inputs, target, output, options, {}))

    def dedup(
        *,
        inputs: InputPaths,
        target: ReportTarget,
        against: Against = None,
        documents: DocumentOptions,
        search: SearchOptions,
        reading: ReadingOptions,
        resources: RunResources,
        output: OutputOptions,
    ) -> None:
        options = _given(search, reading, resources, against)
        form = given_options(documents)
        _run_to_folder(RunRequest(name, inputs.inputs, target, output, options, form))

    command = dedup if name == "dedup" else find
    command.__doc__ = description
    return takes(command)


def _given(
    search: SearchOptions, reading: ReadingOptions, resources: RunResources, against: Against
) -> dict[str, Any]:
    """The options that were given, older documents as paths or addresses among them."""
    options = given_options(search, reading, resources)
    return options | ({"against": [path_or_address(path) for path in against]} if against else {})


def _run_to_folder(request: RunRequest) -> None:
    head_start.begin(request.inputs, request.options)
    from twinset import api
    from twinset.cli.answer import Answer
    from twinset.report import ensure_free

    # A wrong option is said before anything is looked at, and no report is replaced unasked after
    # hours of work.
    name, inputs, target, options = request.name, request.inputs, request.target, request.options
    output, form = request.output, request.form
    plan = check_options(options)
    if "against" in options:
        ensure_against(inputs, target, options)
    if (spark := spark_of(options)) is not None:
        from twinset.cli.on_spark import run_on_spark

        OutputForm.make(**form)
        run_on_spark(request, plan, spark)
        return
    if plan.by_units and "against" not in options:
        from twinset.cli.on_units import run_on_units

        run_on_units(request, plan)
        return
    spare_memory(options.get("memory"))
    asked, is_pipe = OutputForm.make(**form), target.out == STDOUT
    if is_pipe:
        ensure_pipeable(name, asked)
    if asked.to is None and (is_pipe or asked.shards is not None):
        ensure_joinable(inputs, plan)
    parts = parts_folder(target) if target.resume else None
    if is_pipe:
        run_to_stdout(inputs, options, asked, quiet=output.quiet, as_json=output.json)
        return
    if parts is not None and not target.force and parts.ends_with(Path(target.out)):
        say(f"{target.out} is complete; the parts that were left of the run are removed")
        return
    ensure_free(target.out, target.force, [*inputs, *map(str, options.get("against", ()))])
    bar = progress(output.quiet)
    try:
        run = getattr(api, name)
        paths = [path_or_address(path) for path in inputs]
        findings = run(paths, progress=bar, resume=parts, **options)
        if bar is not None:
            bar.stage("writing", None)
        folder = findings.save(target.out, target.force, target.language, **form)
    except (KeyboardInterrupt, Stopped) as end:
        if parts is not None and parts.path.is_dir():
            end.args = (f"stopped; finished parts are kept in {parts.path}, and {GOES_ON}",)
        raise
    finally:
        if bar is not None:
            bar.close()
    answer = Answer(name, tuple(inputs), options, findings, folder)
    if output.json:
        print_json({"report": str(folder), **findings.manifest, "next": answer.next_commands()})
    else:
        answer.print(verbose=output.verbose)
    if fault := findings.manifest["unread"]:
        raise unread(fault, folder)


def ensure_against(inputs: list[str], target: ReportTarget, options: dict[str, Any]) -> None:
    """Raise where something is asked for that has no meaning beside older documents."""
    if target.resume:
        raise PlanError(["resume keeps parts of a run over one collection: leave it out"])
    if options.get("engine") not in (None, "local"):
        raise PlanError(["against runs on this machine: leave the engine out"])
    if "-" in inputs and "-" in map(str, options["against"]):
        raise PlanError(["standard input cannot be both new and older documents: name a file"])


def spark_of(options: dict[str, Any]) -> SparkEngine | None:
    """The Spark engine among the options, checked; None where the run is local."""
    if options.get("engine") in (None, "local"):
        options.pop("engine", None)
        return None
    from twinset.engine.spark.choosing import spark_engine

    return spark_engine(options["engine"])


def parts_folder(target: ReportTarget) -> PartsFolder:
    """The folder beside the report in which finished parts are kept."""
    from twinset.engine.parts import PartsFolder

    if target.out == STDOUT or isinstance(place_of(target.out), RemotePath):
        where = "standard output" if target.out == STDOUT else target.out
        raise PlanError(
            [
                f"resume keeps parts in a folder beside the report, and {where} has none: name one "
                "with -o"
            ]
        )
    return PartsFolder(f"{target.out.rstrip('/')}.parts", target.force)


def ensure_joinable(paths: list[str], plan: Plan) -> None:
    """Raise where the inputs cannot follow each other in one file, before hours of work.

    Standard input can be read only once; files of images are always joined.
    """
    from twinset.reading import open_inputs
    from twinset.reading.signs import is_image_file

    if "-" not in paths and not any(map(is_image_file, paths)):
        open_inputs(paths, plan.read).ensure_joinable()
