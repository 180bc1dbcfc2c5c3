"""``twinset index``: a collection that is kept; one file per command."""

from __future__ import annotations

from typing import Annotated

from twinset.cli.parameters import argument

COMMANDS = {
    "create": "Make a new index.",
    "add": "Add documents.",
    "query": "Ask which documents are already there.",
    "remove": "Remove documents by their ids.",
    "info": "Show what an index is made by, and how large it is.",
    "check": "Look for damage.",
    "compact": "Rewrite an index without what was removed.",
    "export": "Write the documents of an index as JSON lines.",
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
