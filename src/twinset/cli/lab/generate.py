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
from twinset.lab.options import GenerateOptions
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
        limit = option(
            "--documents",
            metavar="N",
            least=1,
            help=MAKING["limit"].help,
            shown="all",
            group="Operations",
        )
        return {
            "ops": Annotated[list[str] | None, op],
            "limit": Annotated[int | None, limit],
        } | super().types()


class CollectionFolder(Group):
    """Where the collection is written."""

    out: Annotated[str, option("--out", "-o", metavar="DIR", help="Folder of the collection.")]
    force: Force = False


class Kept(FromLibrary):
    """Which originals stay, and by which seed variants are made."""

    @classmethod
    def known(cls) -> dict[str, Option]:
        """What the library says about the options."""
        return {name: MAKING[name] for name in ("originals", "seed")}


def command(
    inputs: InputPaths,
    reading: ReadingOptions,
    target: CollectionFolder,
    making: Variants,
    kept: Kept,
    resources: ResourceOptions,
    output: OutputOptions,
) -> None:
    """Make near-duplicates of documents: a test collection with its truth and a log of the edits.

    Writes the documents, truth.csv (the true pairs), log.jsonl (what was done to each document) and
    manifest.json.

    \b
    Example:
      twinset lab generate corpus.jsonl -o test --op delete-paragraphs:5% --op replace-words:2%
      twinset lab generate pages/ -o test --op truncate:20% --documents 500 --variants 3
    """
    from twinset.lab.generate import generate

    paths = [path_or_address(name) for name in inputs.inputs]
    with shown(output.quiet) as bar:
        options = given_options(reading, making, kept, resources)
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
