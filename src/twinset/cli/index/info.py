"""``twinset index info``."""

from __future__ import annotations

from twinset.cli.index import IndexPlace
from twinset.cli.options import Json, Quiet
from twinset.cli.output import print_json, say, size


def command(place: IndexPlace, quiet: Quiet = False, json: Json = False) -> None:
    """Show what an index is made by, how many documents it holds and how large it is.

    \b
    Example:
      twinset index info pages
    """
    from twinset.index import Index

    with Index.open(place) as index:
        info = index.info()
    if json:
        print_json(info)
        return
    say(f"Index: {info['index']}")
    say(f"Documents: {info['documents']:,}")
    if "bytes" in info:
        say(f"Size: {size(info['bytes'])}")
    say(f"Method: {info['method']}, threshold {info['threshold']:g}")
    if info["recall"] is not None:
        say(f"Recall at the threshold: {info['recall']:.4f}")
    verified = "every match is verified" if info["verified"] else "scores are estimates"
    say(f"Kept of each document: {info['kept']}; {verified}")
    if info.get("removed"):
        say(f"Removed since it was compacted: {info['removed']:,}")
