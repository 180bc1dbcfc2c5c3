"""``twinset spans``."""

from __future__ import annotations

from typing import Annotated, Any

from twinset.cli.limits import spare_memory
from twinset.cli.options import (
    Force,
    FromLibrary,
    InputPaths,
    Language,
    OutputOptions,
    ReadingOptions,
    ResourceOptions,
    check_options,
    given_options,
    of_library,
    takes,
)
from twinset.cli.parameters import option
from twinset.cli.passages import ensure_folder, print_passages
from twinset.cli.progress import progress
from twinset.errors import PlanError
from twinset.lazy_dataclass import dataclass
from twinset.passages.options import SpanOptions
from twinset.plan import ReadOptions
from twinset.spec import Option, options_of
from twinset.system.remote import path_or_address


class SpanFlags(FromLibrary):
    """Which stretches are spans."""

    @classmethod
    def known(cls) -> dict[str, Option]:
        """The least length and the unit."""
        return options_of(SpanOptions)


class SpanReading(ReadingOptions):
    """How inputs are read: places are characters of what is stored."""

    @classmethod
    def types(cls) -> dict[str, Any]:
        """The options of reading."""
        return super().types() | {"html": of_library(options_of(ReadOptions)["html"], shown="no")}


@dataclass(eq=False, repr=False)
class SpanTarget:
    """Where the report goes, and whether the documents are written without their repeats."""

    out: Annotated[
        str,
        option(
            "--out",
            "-o",
            metavar="DIR",
            help="Folder of the report, or an address (s3://bucket/report).",
        ),
    ]
    remove: Annotated[
        bool,
        option(
            "--remove",
            help="Also write the documents without the repeats: all places of a span but the "
            "first go.",
            group="Spans",
        ),
    ] = False
    remove_all: Annotated[
        bool,
        option(
            "--remove-all",
            help="Also write the documents without any place of a span.",
            group="Spans",
        ),
    ] = False
    force: Force = False
    language: Language = "en"


@takes
def command(
    inputs: InputPaths,
    target: SpanTarget,
    flags: SpanFlags,
    reading: SpanReading,
    resources: ResourceOptions,
    output: OutputOptions,
) -> None:
    """Find stretches of text that stand in several places, inside documents or across them.

    spans.parquet lists every place of every stretch of at least --least units; --remove writes the
    documents without the repeats, every other byte as it was.

    \b
    Example:
      twinset spans corpus.jsonl -o spans
      twinset spans corpus.parquet -o spans --least 100 --unit char
      twinset spans corpus.jsonl -o clean --remove
    """
    from twinset import api
    from twinset.passages.page import covered, headline
    from twinset.passages.removing import ensure_removable
    from twinset.reading import open_inputs
    from twinset.report import ensure_free

    SpanOptions.make(**given_options(flags))
    ensure_folder("spans", target.out)
    asked = given_options(reading, resources)
    plan = check_options({"html": "no"} | asked)
    spare_memory(asked.get("memory"))
    if target.remove and target.remove_all:
        raise PlanError(
            ["--remove keeps the first stretch of equal ones, --remove-all none: give one"]
        )
    if (target.remove or target.remove_all) and "-" not in inputs.inputs:
        ensure_removable(open_inputs(inputs.inputs, plan.read))
    ensure_free(target.out, target.force, inputs.inputs)
    bar = progress(output.quiet)
    try:
        paths = [path_or_address(path) for path in inputs.inputs]
        findings = api.spans(paths, progress=bar, **given_options(flags), **asked)
        if bar is not None:
            bar.stage("writing", None)
        folder = findings.save(
            target.out,
            target.force,
            target.language,
            remove=target.remove,
            remove_all=target.remove_all,
        )
    finally:
        if bar is not None:
            bar.close()
    sentences = [headline(findings.manifest)]
    if findings.manifest["totals"]["spans"]:
        sentences.append(covered(findings.manifest))
    print_passages(findings, folder, sentences, as_json=output.json)
