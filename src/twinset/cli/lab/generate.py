"""``twinset lab generate``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from twinset.cli.options import (
    Force,
    FromLibrary,
    InputPaths,
    OutputOptions,
    ReadingOptions,
    ResourceOptions,
    given_options,
)
from twinset.cli.output import command_line, print_json, say, say_next
from twinset.cli.parameters import Group, option
from twinset.cli.progress import shown
from twinset.lab.options import FORMATS, GenerateOptions
from twinset.plan.spec import Option, options_of
from twinset.system.remote import path_or_address

MAKING = options_of(GenerateOptions)


class Variants(FromLibrary):
    """Which near-duplicates are generated, and from how many documents."""

    @classmethod
    def known(cls) -> dict[str, Option]:
        """The number of variants."""
        return {"variants": MAKING["variants"]}

    @classmethod
    def types(cls) -> dict[str, Any]:
        """The operations, the number of documents and the number of variants."""
        op = option(
            "--op",
            metavar="SPEC",
            help="How to make near-duplicates: NAME:5% or NAME:option=value,...; may be repeated",
            parts="operation",
            group="Operations",
        )
        recipe = option(
            "--recipe",
            metavar="FILE",
            help="A TOML file of operations, instead of --op.",
            group="Operations",
        )
        limit = option(
            "--documents", metavar="N", help=MAKING["limit"].help, shown="all", group="Operations"
        )
        return {
            "ops": Annotated[list[str] | None, op],
            "recipe": Annotated[str | None, recipe],
            "limit": Annotated[int | None, limit],
        } | super().types()


class CollectionFolder(Group):
    """Where the collection is written."""

    out: Annotated[str, option("--out", "-o", metavar="DIR", help="Folder of the collection.")]
    force: Force = False


class Written(FromLibrary):
    """Which parts of the collection are written, and how."""

    @classmethod
    def known(cls) -> dict[str, Option]:
        """What the library says about the options."""
        return {name: MAKING[name] for name in ("originals", "least_similarity", "seed")}

    @classmethod
    def types(cls) -> dict[str, Any]:
        """The options, and the format of the documents."""
        names = ", ".join(FORMATS)
        help = f"How documents are written: {names}."
        form = option("--format", metavar="NAME", help=help, shown=FORMATS[0])
        return super().types() | {"format": Annotated[str | None, form]}


def command(
    inputs: InputPaths,
    reading: ReadingOptions,
    target: CollectionFolder,
    making: Variants,
    written: Written,
    resources: ResourceOptions,
    output: OutputOptions,
) -> None:
    """Make near-duplicates of documents: a test collection with its truth and a log of the edits.

    The folder DIR gets the documents, truth.csv (the true pairs with their exact similarity),
    log.jsonl (what was done to each document) and manifest.json.

    \b
    Example:
      twinset lab generate corpus.jsonl -o test --op delete-paragraphs:5% --op replace-words:2%
      twinset lab generate pages/ -o test --recipe edits.toml --documents 500 --variants 3
    """
    from twinset.lab.generate import generate

    paths = [path_or_address(name) for name in inputs.inputs]
    with shown(output.quiet) as bar:
        options = given_options(reading, making, written, resources)
        collection = generate(paths, target.out, force=target.force, progress=bar, **options)
    if output.json:
        print_json(
            {
                "folder": str(collection.folder),
                **collection.counts,
                "faults": len(collection.faults),
                "notes": collection.notes,
            }
        )
        return
    for sentence in sentences(collection):
        say(sentence)
    say_next(
        command_line("find", str(collection.place), "-o", "report"),
        command_line("lab", "evaluate", "report", "--truth", str(Path(target.out) / "truth.csv")),
    )


def sentences(collection: Any) -> list[str]:
    """What was generated, in sentences."""
    counts = collection.counts
    lines = [
        f"Documents read: {counts['documents']:,}; variants made: {counts['made']:,}, from "
        f"{counts['sources']:,} of them; true pairs: {counts['pairs']:,}."
    ]
    if counts["ignored"]:
        lines.append(f"Pairs below the least similarity, in ignore.csv: {counts['ignored']:,}.")
    if counts["empty"]:
        lines.append(f"Documents without words, which got no variants: {counts['empty']:,}.")
    lines += collection.notes
    if collection.faults:
        first = collection.faults[0]
        lines.append(
            f"Faults while reading: {len(collection.faults):,}, the first in {first.source}: "
            f"{first.detail}"
        )
    return [
        *lines,
        f"Collection: {collection.place}",
        f"Truth: {collection.folder / 'truth.csv'}",
    ]
