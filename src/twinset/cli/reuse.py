"""``twinset reuse``."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from twinset.cli.limits import spare_memory
from twinset.cli.options import (
    Force,
    FromLibrary,
    Language,
    OutputOptions,
    ResourceOptions,
    check_options,
    given_options,
)
from twinset.cli.parameters import Group, argument, option
from twinset.cli.passages import ensure_folder, run_and_save
from twinset.cli.spans import SpanReading
from twinset.errors import PlanError
from twinset.run.passages.options import ReuseOptions
from twinset.system.remote import path_or_address


class ReuseFlags(FromLibrary):
    """Which stretches of two documents are one passage."""

    OF = ReuseOptions


class ReuseSides(Group):
    """What is compared, and where the report goes."""

    left: Annotated[
        str, argument(metavar="A", help="A file, folder or glob: a benchmark, the works handed in.")
    ]
    right: Annotated[
        str, argument(metavar="B", help="The same: the training text, the sources of the works.")
    ]
    out: Annotated[
        str,
        option(
            "--out",
            "-o",
            metavar="DIR",
            help="Folder or address of the report.",
        ),
    ]
    force: Force = False
    language: Language = "en"


def command(
    sides: ReuseSides,
    flags: ReuseFlags,
    reading: SpanReading,
    resources: ResourceOptions,
    output: OutputOptions,
) -> None:
    """Find passages of the documents in A that stand in those of B, as they are or edited.

    reuse.parquet has both places of every passage, pairs.parquet how much of each document stands
    in the other. The smaller of A and B is held in memory, the larger one is read batch by batch.

    \b
    Example:
      twinset reuse benchmark.jsonl training.parquet -o report
      twinset reuse essay.docx sources/ -o report --least 12 --threshold 0.6
    """
    from twinset import api
    from twinset.result import ensure_free

    ReuseOptions.make(**given_options(flags))
    ensure_folder("reuse", sides.out)
    if sides.left == sides.right == "-":
        fault = "A and B cannot both be -, stdin is read once: name a file for one of them"
        raise PlanError([fault])
    asked = given_options(reading, resources)
    check_options({"html": "no"} | asked)
    spare_memory(asked.get("memory"))
    ensure_free(sides.out, sides.force, [sides.left, sides.right])
    left, right = path_or_address(sides.left), path_or_address(sides.right)
    run = partial(api.reuse, left, right, **given_options(flags), **asked)
    run_and_save(lambda bar: run(progress=bar), sides, output)
