"""``twinset index``: a collection that is kept; one file per command."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

from twinset.cli.output import visible
from twinset.cli.parameters import argument

if TYPE_CHECKING:
    from twinset.model import Fault

COMMANDS = {
    "create": "Make a new index.",
    "add": "Add documents.",
    "query": "Ask which documents are already there.",
    "remove": "Remove documents by their ids.",
    "info": "Show what an index is made by, and how large it is.",
    "check": "Look for damage.",
    "compact": "Rewrite an index without what was removed.",
    "export": "Write the documents of an index as JSON lines.",
    "key": "Make, list and revoke keys of the service.",
}
HELP = """Keep a collection, and ask what is already there: every match verified.

\b
Example:
  twinset index create pages --threshold 0.8
  twinset index add pages crawl.jsonl
  twinset index query pages new.jsonl
"""

IndexPlace = Annotated[
    str,
    argument(
        metavar="INDEX",
        help="Folder of the index, or its address: postgresql://..., http://... of a service.",
    ),
]
MOST_FAULTS = 20


def one_id(id: str) -> str:
    """An id on one line."""
    return id.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")


class FaultsSaid:
    """Says on stderr which documents could not be read, the first ones by name."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, fault: Fault) -> None:
        """Say one of them."""
        self.count += 1
        if self.count <= MOST_FAULTS:
            place = fault.source if fault.line is None else f"{fault.source}:{fault.line}"
            print(visible(f"twinset: {place}: {fault.detail}"), file=sys.stderr)
        elif self.count == MOST_FAULTS + 1:
            print("twinset: further documents that cannot be read are counted", file=sys.stderr)
