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
            help="File for the images (.fps); one whose name ends with .gz is packed.",
        ),
    ]
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
      twinset lab mine report/shingles.txt.out --support 85 --names report
    """
    from twinset.errors import PlanError
    from twinset.plan import Plan, Resources
    from twinset.reading.formats import is_image_file
    from twinset.result.places import ensure_free_file
    from twinset.run.image_files import write_images
    from twinset.run.opening import open_documents

    if not is_image_file(target.out):
        raise PlanError([f"--out {target.out}: the name of images must end with .fps or .fps.gz"])
    ensure_free_file(target.out, target.force, "shingles.fps")
    plan = Plan.make(**given_options(images, reading))
    means = Resources.make(**given_options(resources))
    with shown(output.quiet) as bar:
        paths = [path_or_address(path) for path in inputs.inputs]
        documents, plan = open_documents(paths, plan, means)
        written = write_images(documents, plan, target.out, means, bar)
    if output.json:
        print_json({"file": target.out, **dataclasses.asdict(written)})
        return
    say(f"Documents: {written.documents:,}; values: {written.values:,}.")
    if written.empty:
        say(f"Documents without a value: {written.empty:,}.")
    if written.unread:
        say(f"Documents that could not be read, left out: {written.unread:,}.")
    say(f"Images: {target.out}")
