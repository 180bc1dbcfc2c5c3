"""``twinset index create``."""

from __future__ import annotations

from typing import Any

from twinset.cli.index import IndexPlace
from twinset.cli.options import (
    FromLibrary,
    Json,
    Quiet,
    ReadingOptions,
    SearchOptions,
    given_options,
    takes,
)
from twinset.cli.output import command_line, print_json, say
from twinset.spec import Option, options_of

OF_PAIRS = ("Similarity", "Expert")
OF_COLLECTIONS = ("repeated", "reference", "max_unread")


class KeepingOptions(FromLibrary):
    """What is kept of documents."""

    @classmethod
    def known(cls) -> dict[str, Option]:
        """The options of an index itself."""
        from twinset.index.contents import Keeping

        return options_of(Keeping)


class ComparingOptions(SearchOptions):
    """What decides which documents match; clusters, and what stays of them, are no matter here."""

    @classmethod
    def known(cls) -> dict[str, Option]:
        """The options of a search that say something of two documents."""
        return {name: o for name, o in super().known().items() if o.group in OF_PAIRS}


class OneByOneOptions(ReadingOptions):
    """How documents are read that come one by one."""

    @classmethod
    def known(cls) -> dict[str, Option]:
        """The options of reading without those about a whole collection."""
        return {name: o for name, o in super().known().items() if name not in OF_COLLECTIONS}


@takes
def command(
    place: IndexPlace,
    keeping: KeepingOptions,
    search: ComparingOptions,
    reading: OneByOneOptions,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Make a new index, in a new or empty folder or in a PostgreSQL database.

    How documents are read and compared is decided here, once; it is part of the index. A method
    that counts words takes the counts of a report by --statistics.

    \b
    Example:
      twinset index create pages --threshold 0.8 --recall 0.99
      twinset index create theses --exact --text body
      twinset index create postgresql://user@server/db
    """
    from twinset.index import Index

    options: dict[str, Any] = given_options(keeping, search, reading)
    with Index.create(place, **options) as index:
        info = index.info()
    if json:
        print_json(info)
        return
    say(f"Created: {info['index']}")
    say(_promise(info))
    say(f"Next: {command_line('index', 'add', place, 'IN')}")


def _promise(info: dict[str, Any]) -> str:
    """What its answers promise."""
    if not info["verified"]:
        return "Scores are estimates: sketches alone are kept, and nothing is verified."
    if info["recall"] is None:
        return "Every match is verified."
    return f"Every match is verified; {info['recall']:.4f} of those at the threshold are found."
