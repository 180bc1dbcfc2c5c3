"""``twinset spans``."""

from __future__ import annotations

from functools import partial
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
)
from twinset.cli.parameters import Group, option
from twinset.cli.passages import ensure_folder, run_and_save
from twinset.errors import PlanError
from twinset.plan import ReadOptions
from twinset.plan.spec import options_of
from twinset.run.passages.options import SpanOptions
from twinset.system.remote import path_or_address


class SpanFlags(FromLibrary):
    """Which stretches are spans."""

    OF = SpanOptions


class SpanReading(ReadingOptions):
    """How inputs are read: places are characters of what is stored."""

    @classmethod
    def types(cls) -> dict[str, Any]:
        """The options of reading."""
        return super().types() | {"html": of_library(options_of(ReadOptions)["html"], shown="no")}


class SpanTarget(Group):
    """Where the report goes, and whether the documents are written without their repeats."""

    out: Annotated[
        str,
        option(
            "--out",
            "-o",
            metavar="DIR",
            help="Folder or address of the report.",
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


def command(
    inputs: InputPaths,
    target: SpanTarget,
    flags: SpanFlags,
    reading: SpanReading,
    resources: ResourceOptions,
    output: OutputOptions,
) -> None:
    """Find stretches of text that stand in several places, inside documents or across them.

    spans.parquet lists every place of every stretch; --remove writes the documents without repeats.

    \b
    Example:
      twinset spans corpus.jsonl -o spans
      twinset spans corpus.parquet -o spans --least 100 --unit char
      twinset spans corpus.jsonl -o clean --remove
    """
    from twinset import api
    from twinset.reading import open_inputs
    from twinset.result import ensure_free
    from twinset.run.passages.report import ensure_removable

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
    paths = [path_or_address(path) for path in inputs.inputs]
    run = partial(api.spans, paths, **given_options(flags), **asked)
    also = {"remove": target.remove, "remove_all": target.remove_all}
    run_and_save(lambda bar: run(progress=bar), target, output, **also)
