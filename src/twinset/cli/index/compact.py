"""``twinset index compact``."""

from __future__ import annotations

from twinset.cli.index import IndexPlace
from twinset.cli.options import Json, Quiet
from twinset.cli.output import print_json, say, size


def command(place: IndexPlace, quiet: Quiet = False, json: Json = False) -> None:
    """Rewrite an index without what was removed; it can be asked meanwhile, but not changed.

    It needs as much space as the index again until it is done.

    \b
    Example:
      twinset index compact pages
    """
    from twinset.index import Index

    with Index.open(place) as index:
        before = index.info().get("bytes")
        index.compact()
        after = index.info().get("bytes")
    if json:
        print_json({"index": place, "before": before, "after": after})
    elif before is None or after is None:
        say(f"{place} is compact")
    else:
        say(f"Size: {size(before)} before, {size(after)} now")
