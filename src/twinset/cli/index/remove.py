"""``twinset index remove``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from twinset.cli.index import IndexPlace
from twinset.cli.options import Json, Quiet
from twinset.cli.output import print_json, say
from twinset.cli.parameters import argument, option
from twinset.errors import MissingFileError, PlanError


def command(
    place: IndexPlace,
    ids: Annotated[
        list[str] | None, argument(metavar="ID", help="Ids of documents to remove.")
    ] = None,
    file: Annotated[
        str | None, option("--file", metavar="FILE", help="Also the ids in FILE, one on a line.")
    ] = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Remove documents by their ids; 'twinset index compact' gives their space back.

    \b
    Example:
      twinset index remove pages page-17 page-18
      twinset index remove pages --file gone.txt
    """
    from twinset.index import Index

    wanted = list(ids or ())
    if file is not None:
        try:
            lines = Path(file).read_text("utf-8-sig").split("\n")  # others may be part of an id
            wanted += [line for line in lines if line]
        except FileNotFoundError:
            raise MissingFileError(file) from None
        except (OSError, UnicodeDecodeError) as fault:
            raise PlanError([f"cannot read the ids of {file}: {fault}"]) from None
    if not wanted:
        raise PlanError(["there is nothing to remove: give ids, or a file of ids by --file"])
    with Index.open(place) as index:
        removed = index.remove(wanted)
    missing = len(dict.fromkeys(wanted)) - removed
    if json:
        print_json({"removed": removed, "missing": missing})
    else:
        say(f"Documents: {removed:,} removed" + (f", {missing:,} not there" if missing else ""))
