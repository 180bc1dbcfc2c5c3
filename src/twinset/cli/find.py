"""``twinset find``, and what ``dedup`` has in common with it: run, save, print the summary."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from twinset.cli.limits import spare_memory
from twinset.cli.options import (
    DocumentOptions,
    InputPaths,
    OlderOptions,
    OutputOptions,
    ReadingOptions,
    ReportTarget,
    RunResources,
    SearchOptions,
    given_options,
)
from twinset.cli.output import STDOUT, ensure_read, print_json, say
from twinset.cli.progress import shown, writing
from twinset.errors import PlanError
from twinset.plan import OutputForm, Plan, Resources
from twinset.plan.spec import counted
from twinset.system.remote import RemotePath, path_or_address, place_of
from twinset.system.schemes import masked

if TYPE_CHECKING:
    from twinset.run import Findings
    from twinset.run.parts import PartsFolder
    from twinset.spark.engine import SparkEngine

MEANS = ("threads", "memory", "engine")
"""What decides no result: it is for the run, and not for the plan."""
GOES_ON = "the same command continues from there"


def run_command(name: str, description: str) -> Callable[..., None]:
    """The command that runs ``find`` or ``dedup`` of the library and saves the report."""

    def find(
        *,
        inputs: InputPaths,
        report: ReportTarget,
        older: OlderOptions,
        search: SearchOptions,
        reading: ReadingOptions,
        resources: RunResources,
        output: OutputOptions,
    ) -> None:
        options = given_options(search, reading, resources)
        _run_to_folder(name, inputs.inputs, report, output, options, older, {})

    def dedup(
        *,
        inputs: InputPaths,
        report: ReportTarget,
        older: OlderOptions,
        documents: DocumentOptions,
        search: SearchOptions,
        reading: ReadingOptions,
        resources: RunResources,
        output: OutputOptions,
    ) -> None:
        options, form = given_options(search, reading, resources), given_options(documents)
        _run_to_folder(name, inputs.inputs, report, output, options, older, form)

    command = dedup if name == "dedup" else find
    command.__doc__ = description
    return command


def _run_to_folder(
    name: str,
    inputs: list[str],
    target: ReportTarget,
    output: OutputOptions,
    options: dict[str, Any],
    older: OlderOptions,
    form: dict[str, Any],
) -> None:
    from twinset import api
    from twinset.cli.answer import Answer
    from twinset.result import ensure_free

    # A wrong option is said before anything is looked at, and no report is replaced unasked after
    # hours of work.
    means: dict[str, Any] = {n: options[n] for n in MEANS if n in options}
    plan = Plan.make(**{n: value for n, value in options.items() if n not in means})
    Resources.make(means.get("threads"), means.get("memory"))
    asked, is_pipe = OutputForm.make(**form), target.out == STDOUT
    if older.against:
        means["against"] = _older_documents(older, inputs, target, plan, means)
    elif older.against_text or older.against_id:
        raise PlanError(["--against-text and --against-id are about --against: name it, too"])
    elif (spark := spark_of(means)) is not None:
        from twinset.cli.on_spark import run_on_spark

        run_on_spark(name, inputs, target, output, options, form, plan, spark)
        return
    elif plan.by_units:
        from twinset.cli.passages import run_on_units

        run_on_units(name, inputs, target, output, plan, means, asked)
        return
    spare_memory(means.get("memory"))
    if is_pipe:
        _ensure_pipeable(name, asked)
    _ensure_writable(inputs, plan, asked, is_pipe)
    parts = _parts_folder(target) if target.resume else None
    if parts is not None and not target.force:
        if parts.ends_with(Path(target.out)):
            say(f"{target.out} is complete; the parts that were left of the run are removed")
            return
        if _has_ended(name, inputs, target, plan):
            say(f"{target.out} is complete, there is nothing to resume; --force runs it again")
            return
    if not is_pipe:
        ensure_free(target.out, target.force, [*inputs, *(older.against or ())])
    going_on = f"stopped; finished parts are kept in {parts.path}, and {GOES_ON}" if parts else ""
    with shown(output.quiet, going_on) as bar:
        paths = [path_or_address(path) for path in inputs]
        dedup = name == "dedup"
        findings = api.run_plan(paths, plan, dedup=dedup, progress=bar, resume=parts, **means)
        ensure_read(findings.manifest, as_json=output.json and not is_pipe)
        if is_pipe:
            _pipe(findings, asked, bar, as_json=output.json)
            return
        with writing(bar, findings):
            folder = findings.save(target.out, target.force, target.language, **form)
    if older.against:
        options |= given_options(older)
    answer = Answer(name, tuple(map(masked, inputs)), options, findings, folder)
    if output.json:
        following = [*answer.next_commands(), *answer.asking()]
        print_json({"report": str(folder), **findings.manifest, "next": following})
    else:
        answer.print(verbose=output.verbose, quiet=output.quiet)


def _older_documents(
    older: OlderOptions,
    inputs: list[str],
    target: ReportTarget,
    plan: Plan,
    means: dict[str, Any],
) -> Any:
    """What new documents are held against; raises for what has no meaning beside it."""
    from twinset.index.against import is_index
    from twinset.reading import open_inputs

    places = older.against or []
    if target.resume:
        raise PlanError(["resume keeps parts of a run over one collection: leave it out"])
    if means.pop("engine", "local") != "local":
        raise PlanError(["against runs on this machine: leave the engine out"])
    if "-" in inputs and "-" in places:
        raise PlanError(["standard input cannot be both new and older documents: name a file"])
    fields: dict[str, Any] = {
        n: v for n, v in (("text", older.against_text), ("id", older.against_id)) if v
    }
    if not fields:
        return [path_or_address(place) for place in places]
    if any(map(is_index, places)):
        raise PlanError(["an index knows the fields of its documents: leave --against-text out"])
    own = replace(plan.read, **fields)
    return open_inputs([path_or_address(place) for place in places], own)


def _ensure_pipeable(name: str, form: OutputForm) -> None:
    """Raise where these options ask for something that no stream can be."""
    if name != "dedup":
        raise PlanError(
            [f"out - is for documents, and {name} writes a report: name a folder, or call dedup"]
        )
    if form.shards is not None:
        raise PlanError(
            [f"shards {form.shards} makes several files, and out - is one: name a folder with -o"]
        )
    if form.no_split and not form.annotate:
        raise PlanError(["no-split leaves nothing for out -: add --annotate, or leave it out"])


def _pipe(findings: Findings, form: OutputForm, bar: Any, *, as_json: bool) -> None:
    """Write the kept documents to stdout and say the rest on stderr."""
    readers = {entry.get("reader") for entry in findings.manifest["inputs"]}
    packed = form.to == "parquet" or "." in form.to if form.to else readers == {"parquet"}
    if packed and sys.stdout.isatty():
        raise PlanError(["out - would write binary data to the terminal: redirect it to a file"])
    with writing(bar, findings):
        written = findings.write_to(sys.stdout.buffer, annotate=form.annotate, to=form.to)
    sys.stdout.buffer.flush()
    if bar is not None:
        bar.close()
    with redirect_stdout(sys.stderr):
        if as_json:
            print_json({**findings.manifest, "written": written})
        else:
            _say_piped(findings, written)


def _say_piped(findings: Findings, written: dict[str, Any]) -> None:
    from twinset.result.words import finding, input_faults, target_met

    manifest = findings.manifest
    for line in (finding(manifest), *target_met(manifest)):
        say(line)
    name = "annotated" if "annotated" in written else "kept"
    documents = counted(written[name]["documents"], "document")
    removed = manifest["counts"]["removed"]
    say(f"{name.capitalize()} {documents} → standard output; {removed:,} can go")
    for sentence in input_faults(manifest):
        say(sentence)
    if unread := written.get("unread"):
        records = counted(unread["documents"], "record")
        say(f"{records} cannot be read and cannot be written in another format: left out")


def spark_of(options: dict[str, Any]) -> SparkEngine | None:
    """The Spark engine among the options, checked; None where the run is local."""
    if options.get("engine") in (None, "local"):
        options.pop("engine", None)
        return None
    from twinset.spark.engine import spark_engine

    return spark_engine(options["engine"])


def _parts_folder(target: ReportTarget) -> PartsFolder:
    """The folder beside the report in which finished parts are kept."""
    from twinset.run.parts import PartsFolder

    if target.out == STDOUT or isinstance(place_of(target.out), RemotePath):
        where = "standard output" if target.out == STDOUT else target.out
        raise PlanError(
            [
                f"resume keeps parts in a folder beside the report, and {where} has none: name one "
                "with -o"
            ]
        )
    return PartsFolder(f"{target.out.rstrip('/')}.parts", target.force)


def _has_ended(name: str, inputs: list[str], target: ReportTarget, plan: Plan) -> bool:
    """Whether the report is there, made by the same command of the same inputs."""
    from twinset.reading import open_inputs
    from twinset.result.places import MANIFEST
    from twinset.system.files import read_object

    known = read_object(Path(target.out) / MANIFEST) or {}
    if known.get("unread", True) or ("removed" in known["counts"]) != (name == "dedup"):
        return False
    sources = open_inputs(inputs, plan.read).sources
    asked = json.loads(json.dumps(plan.as_dict()))
    asked["keep"] = asked["keep"] or known["plan"]["keep"]  # by what the documents are
    known["plan"]["threshold"] = known.get("target", {}).get("lowest", known["plan"]["threshold"])
    return asked == {name: known["plan"].get(name) for name in asked} and [
        (source.name, source.size) for source in sources
    ] == [(entry["source"], entry["bytes"]) for entry in known["inputs"]]


def _ensure_writable(paths: list[str], plan: Plan, form: OutputForm, is_pipe: bool) -> None:
    """Raise where the inputs cannot be written in the form that is asked for, before hours of work.

    Standard input can be read only once; files of images are always joined.
    """
    is_joined = is_pipe or form.shards is not None
    if form.to is not None or not (is_joined or form.annotate):
        return
    from twinset.reading import open_inputs
    from twinset.reading.formats import is_image_file
    from twinset.writing import ensure_writable

    if "-" not in paths and not any(map(is_image_file, paths)):
        ensure_writable(open_inputs(paths, plan.read), form, is_joined)


command = run_command(
    "find",
    """Find near-duplicates and write a report; the input stays as it is.

\b
Example:
  twinset find corpus.jsonl -o report
  twinset find 'pages/*.html' -o report --threshold 0.9 --exact
  twinset find 'part-*.jsonl.zst' -o report --resume
  zcat corpus.jsonl.gz | twinset find - -o report --text body --json""",
)
