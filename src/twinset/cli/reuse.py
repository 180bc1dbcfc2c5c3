"""``twinset reuse``."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from twinset.cli.limits import spare_memory
from twinset.cli.options import (
    AgainstId,
    AgainstText,
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
from twinset.errors import PlanError, TwinsetError
from twinset.pages.language import percent
from twinset.plan.spec import decimal, options_of
from twinset.run.passages.options import ItemOptions, ReuseOptions
from twinset.system.remote import path_or_address

NAMED = re.compile(r"^(?:([^=/]+)=)?(.*)$", re.DOTALL)
OF_REUSE = options_of(ReuseOptions)


class ReuseFlags(FromLibrary):
    """Which stretches of two documents are one passage, and which items are there."""

    OF = ItemOptions


class ReuseSides(Group):
    """What is compared, and where the report goes."""

    left: Annotated[
        str,
        argument(
            metavar="A",
            help="A file, folder or glob: a benchmark, the works handed in; with --set the "
            "training text, and no B.",
        ),
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
    right: Annotated[
        str | None,
        argument(metavar="B", help="The same: the training text, the sources of the works."),
    ] = None
    set: Annotated[
        list[str] | None,
        option(
            "--set",
            metavar="NAME=PATH",
            help="Look up the items of a test set in A; may be repeated; of a folder every "
            "file is a set.",
            group="Input",
        ),
    ] = None
    fail_above: Annotated[
        str | None,
        option(
            "--fail-above",
            metavar="SHARE",
            help="With --set: exit with code 1 if more of a set is there: 1% or 0.01.",
        ),
    ] = None
    against_text: AgainstText = None
    against_id: AgainstId = None
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
    in the other; with --set, sets.parquet and items.parquet which items of test sets stand in A.

    \b
    Example:
      twinset reuse benchmark.jsonl training.parquet -o report
      twinset reuse --set quiz=benchmark.jsonl training.parquet -o report
      twinset reuse essay.docx sources/ -o report --least 12 --threshold 0.6
    """
    from twinset import api
    from twinset.result import ensure_free

    asked, means = given_options(flags), given_options(reading, resources)
    most = _checked(sides, asked)
    check_options({"html": "no"} | means)
    spare_memory(means.get("memory"))
    sets = _named_sets(sides.set or [])
    files = [sides.left, *filter(None, [sides.right]), *sets.values()]
    ensure_free(sides.out, sides.force, files)
    paths: list[Any] = [path_or_address(path) for path in files]
    fields: dict[str, Any] = {"against_text": sides.against_text, "against_id": sides.against_id}
    run: Any = partial(api.reuse, paths[0], paths[1], **fields, **asked, **means)
    if sets:
        named = dict(zip(sets, paths[1:], strict=True))
        run = partial(api.contamination, named, paths[0], **fields, **asked, **means)
    findings = run_and_save(lambda bar: run(progress=bar), sides, output)
    above = [row for row in findings.manifest.get("sets", []) if row["share"] > most]
    if above:
        shares = ", ".join(f"{row['set']} ({percent('en', row['share'])})" for row in above)
        raise TwinsetError(f"more than {percent('en', most)} is in the training text of: {shares}")


def _checked(sides: ReuseSides, asked: dict[str, Any]) -> float:
    """The share above which the command fails; raises for what does not fit."""
    faults, most = [], 1.0
    if "parts" in asked:
        asked["parts"] = tuple(part for each in asked["parts"] for part in each.split(","))
    (ItemOptions if sides.set else ReuseOptions).make(
        **{name: value for name, value in asked.items() if sides.set or name in OF_REUSE}
    )
    ensure_folder("reuse", sides.out)
    if bool(sides.set) == bool(sides.right):
        faults.append("reuse takes A and B, or each --set and the training text: name two sides")
    about_items = [*asked, *(["fail-above"] if sides.fail_above else [])]
    if not sides.set and (alone := [name for name in about_items if name not in OF_REUSE]):
        faults.append(f"only with --set, about whose items it is: {', '.join(alone)}; name a set")
    if sides.left == sides.right == "-":
        faults.append("A and B cannot both be -, stdin is read once: name a file for one of them")
    if sides.fail_above is not None:
        text = sides.fail_above
        try:
            most = decimal(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
        except ValueError:
            most = -1
        if not 0 <= most < 1:  # more than all there never is
            faults.append(f"fail-above must be a share of the items, as 1% or 0.01, not '{text}'")
    if faults:
        raise PlanError(faults)
    return most


def _named_sets(given: list[str]) -> dict[str, str]:
    """The files of the sets by name: one that is given, or the file's up to its first dot."""
    named: list[tuple[str, str]] = []
    for value in given:
        name, path = NAMED.findall(value)[0]
        files = [path]
        if not name and Path(path).is_dir():
            files = [str(one) for one in sorted(Path(path).iterdir()) if one.name[0] != "."]
        named += [(name or Path(file).name.split(".")[0], file) for file in files]
    names = [name for name, _ in named]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise PlanError([f"two sets are called '{twice[0]}': name them apart, --set NAME=PATH"])
    if given and not named:
        raise PlanError(
            [f"the folder {given[0]} holds no file: name one that has a file for each set"]
        )
    return dict(named)
