"""``twinset generate``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from twinset.cli.options import (
    Force,
    Inputs,
    Output,
    Reading,
    Resources,
    Seed,
    Variants,
    given,
    option,
    takes,
)
from twinset.cli.output import print_json, say
from twinset.cli.progress import progress

FORMATS = "jsonl|csv|parquet|folder"


@dataclass(frozen=True)
class Target:
    """Where the collection goes."""

    out: Annotated[
        str, typer.Option("--out", "-o", metavar="DIR", help="Folder of the collection.")
    ]
    force: Force = False


@dataclass(frozen=True)
class Written:
    """What of it is written, and how."""

    originals: Annotated[
        str | None,
        option(
            "--originals",
            metavar="sources|all|none",
            help="Originals to keep beside them: those that have variants, all, or none.",
            shown="sources",
        ),
    ] = None
    least_similarity: Annotated[
        float | None,
        option(
            "--least-similarity",
            metavar="S",
            help="Pairs of lower Jaccard similarity go to ignore.csv, not to truth.csv.",
            shown="0",
        ),
    ] = None
    format: Annotated[
        str | None,
        option(
            "--format",
            metavar=FORMATS,
            help="How documents are written; jsonl.gz and csv.gz are compressed.",
            shown="jsonl",
        ),
    ] = None
    seed: Seed = None


@takes
def command(
    inputs: Inputs,
    reading: Reading,
    target: Target,
    making: Variants,
    written: Written,
    resources: Resources,
    output: Output,
) -> None:
    """Make near-duplicates of documents: a test collection with its truth and a log of the edits.

    DIR gets the documents, truth.csv (the pairs that are true, with their exact similarity),
    log.jsonl and log.csv (what was done), statistics.csv and manifest.json.

    \b
    Example:
      twinset generate corpus.jsonl -o test --op delete-paragraphs:5% --op replace-words:2%
      twinset generate pages/ -o test --recipe edits.toml --documents 500 --variants 3

    \b
    Operations with their parameters (more about one: twinset methods NAME):
      reorder-paragraphs:percent,by
      delete-paragraphs:percent,by
      add-paragraphs:percent,by
      replace-words:percent,dictionary
      repeat-paragraphs:paragraphs,times,by
      replace-characters:percent,pairs
      ocr-noise:percent
      boilerplate:percent,header,footer
      truncate:percent,side
    """
    from twinset.lab.generation import generate

    bar = progress(output.quiet)
    paths = [Path(name) for name in inputs.inputs]
    try:
        options = given(reading, making, written, resources)
        made = generate(paths, target.out, force=target.force, progress=bar, **options)
    finally:
        if bar is not None:
            bar.close()
    if output.json:
        print_json(
            {
                "folder": str(made.folder),
                **made.counts,
                "faults": len(made.faults),
                "notes": made.notes,
            }
        )
        return
    for sentence in told(made):
        say(sentence)


def told(made: Any) -> list[str]:
    """What was made, in sentences."""
    counts = made.counts
    lines = [
        f"Documents read: {counts['documents']:,}; made: {counts['made']:,}, "
        f"of {counts['sources']:,}; true pairs: {counts['pairs']:,}."
    ]
    if counts["ignored"]:
        lines.append(f"Pairs below the least similarity, in ignore.csv: {counts['ignored']:,}.")
    if counts["empty"]:
        lines.append(f"Documents without words, which got no variants: {counts['empty']:,}.")
    lines += made.notes
    if made.faults:
        first = made.faults[0]
        lines.append(
            f"Faults while reading: {len(made.faults):,}, as {first.source}: {first.detail}"
        )
    return [
        *lines,
        f"Collection: {made.place}",
        f"Truth: {made.folder / 'truth.csv'}",
    ]
