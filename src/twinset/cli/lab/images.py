"""``twinset lab images``."""

from __future__ import annotations

import dataclasses
from typing import Annotated

from twinset.cli import options as shared
from twinset.cli.options import given_options
from twinset.cli.output import print_json, say
from twinset.cli.parameters import Group, option
from twinset.cli.progress import shown
from twinset.plan import Shortcuts
from twinset.plan.spec import Option, options_of
from twinset.system.remote import path_or_address


class ImageOptions(shared.FromLibrary):
    """How documents are cut into shingles, and what is kept of these."""

    @classmethod
    def known(cls) -> dict[str, Option]:
        """The options of shingles and images."""
        shown = options_of(Shortcuts)
        return {name: shown[name] for name in ("shingle", "offset", "unit", "image", "seed")}


class ImageFile(Group):
    """Where the images go."""

    out: Annotated[
        str,
        option(
            "--out",
            "-o",
            metavar="FILE",
            help="File for the images (.fps) or the table; one whose name ends with .gz is packed.",
        ),
    ]
    inverted: Annotated[
        bool,
        option(
            "--inverted",
            help="Write the inverted table instead: for each value that two or more documents "
            "have a line of their ids, for twinset lab mine.",
        ),
    ] = False
    force: shared.Force = False


def command(
    inputs: shared.InputPaths,
    target: ImageFile,
    images: ImageOptions,
    reading: shared.ReadingOptions,
    resources: shared.ResourceOptions,
    output: shared.OutputOptions,
) -> None:
    """Write the images of documents: one line each, its id and the values of its image.

    \b
    Example:
      twinset lab images corpus.jsonl -o shingles.fps --image bottom:size=100 --shingle 10
      twinset find shingles.fps --clusters closed:k=85 -o report
      twinset lab images shingles.fps -o table.txt --inverted
      twinset lab mine table.txt --support 85
    """
    from twinset.errors import PlanError
    from twinset.plan import Plan, Resources
    from twinset.reading.formats import is_image_file
    from twinset.result.places import ensure_free_file
    from twinset.run.image_files import write_images, write_inverted
    from twinset.run.opening import open_documents

    if is_image_file(target.out) == target.inverted:
        must = "must not" if target.inverted else "must"
        what = "an inverted table" if target.inverted else "images"
        raise PlanError([f"--out {target.out}: the name of {what} {must} end with .fps or .fps.gz"])
    ensure_free_file(target.out, target.force, "table.txt" if target.inverted else "shingles.fps")
    options = given_options(images, reading)
    plan = Plan.make(**options)
    means = Resources.make(**given_options(resources))
    with shown(output.quiet) as bar:
        paths = [path_or_address(path) for path in inputs.inputs]
        documents, plan = open_documents(paths, plan, means)
        write = write_inverted if target.inverted else write_images
        written = write(documents, plan, target.out, means, bar)
    if output.json:
        print_json({"file": target.out, **dataclasses.asdict(written)})
        return
    say(f"Documents: {written.documents:,}; values: {written.values:,}.")
    if written.empty:
        say(f"Documents without a value: {written.empty:,}.")
    if written.unread:
        say(f"Documents that could not be read, left out: {written.unread:,}.")
    say(f"{'Inverted table' if target.inverted else 'Images'}: {target.out}")
