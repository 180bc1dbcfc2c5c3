"""``twinset index add``."""

from __future__ import annotations

import errno
from typing import Annotated, Any

from twinset.cli.index import FaultsSaid, IndexPlace, one_id
from twinset.cli.options import InputPaths, Json, Quiet, ResourceOptions, given_options, takes
from twinset.cli.output import print_json, say
from twinset.cli.parameters import option
from twinset.cli.progress import progress
from twinset.errors import TwinsetError
from twinset.system.remote import path_or_address


@takes
def command(
    place: IndexPlace,
    inputs: InputPaths,
    resources: ResourceOptions,
    replace: Annotated[
        bool, option("--replace", help="Replace the text of an id that is there with another one.")
    ] = False,
    dedup: Annotated[
        bool,
        option(
            "--dedup",
            help="Add only documents without a near-duplicate in the index or before them, and "
            "list the others.",
        ),
    ] = False,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Add documents, which are read as the index was created for.

    Documents are added in parts; what is in stays in after a kill, and the same command goes on
    from there: a document that is there with the same text is left alone.

    \b
    Example:
      twinset index add pages crawl-2026-11.jsonl.zst
      twinset index add pages today.jsonl --dedup --json
    """
    from twinset.index import Index

    bar = progress(quiet)
    options = given_options(resources)
    try:
        with Index.open(place) as index:
            paths: Any = [path_or_address(path) for path in inputs.inputs]
            options |= {"replace": replace, "dedup": dedup, "on_fault": FaultsSaid()}
            done = index.add(paths, progress=bar, **options)
    except OSError as fault:
        if fault.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        raise TwinsetError(
            "the disk is full: free some space and run the same command again, which goes on; what "
            f"it has added so far is in {place}"
        ) from None
    finally:
        if bar is not None:
            bar.close()
    if json:
        print_json(done.as_dict())
        return
    for answer in done.duplicates:
        best = answer.matches[0]
        say(f"{one_id(str(answer.id))}: there as {one_id(best.id)}, {best.score:.4f}")
    parts = [f"{done.added:,} added"]
    parts += [f"{done.replaced:,} replaced"] if done.replaced else []
    parts += [f"{done.unchanged:,} there already"] if done.unchanged else []
    parts += [f"{len(done.duplicates):,} near-duplicates left out"] if dedup else []
    parts += [f"{done.unread:,} could not be read"] if done.unread else []
    say(f"Documents: {', '.join(parts)}")
