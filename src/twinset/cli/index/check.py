"""``twinset index check``."""

from __future__ import annotations

from twinset.cli.index import IndexPlace
from twinset.cli.options import Json, Quiet
from twinset.cli.output import print_json, say
from twinset.errors import ReportError


def command(place: IndexPlace, quiet: Quiet = False, json: Json = False) -> None:
    """Look through all of an index for damage, and say what can be saved.

    \b
    Example:
      twinset index check pages
    """
    from twinset.index import Index

    with Index.open(place) as index:
        faults = index.check()
    if json:
        print_json({"index": place, "faults": faults})
    for fault in faults if not json else ():
        say(fault)
    if faults:
        raise ReportError(
            f"{place} is damaged in {len(faults)} places: 'twinset index export' writes what can "
            "be read, out of which a new index can be made"
        )
    if not json:
        say(f"{place} is whole")
