"""``twinset index query``."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

from twinset.cli.index import FaultsSaid, IndexPlace, one_id
from twinset.cli.options import Json, Quiet, ResourceOptions, given_options, takes
from twinset.cli.output import one_line, print_json, say
from twinset.cli.parameters import argument, option
from twinset.cli.progress import progress
from twinset.errors import PlanError
from twinset.system.remote import path_or_address

if TYPE_CHECKING:
    from twinset.index import Index, QueryAnswer

MATCHES = 1000
SHOWN = 100
"""Characters of a passage that are shown."""


@takes
def command(
    place: IndexPlace,
    resources: ResourceOptions,
    inputs: Annotated[
        list[str] | None,
        argument(metavar="IN", help="Documents, as 'find' reads them; without it, text on stdin."),
    ] = None,
    matches: Annotated[
        int,
        option("--matches", metavar="N", least=0, help="List at most N matches of each; 0: all."),
    ] = MATCHES,
    passages: Annotated[
        bool, option("--passages", help="Also list the passages that both texts share.")
    ] = False,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Ask which documents of the index are near those given, best first, each match verified.

    A document that is in the index matches its copies, but not itself. With --json there is a line
    for each document.

    \b
    Example:
      twinset index query pages new.jsonl
      twinset index query pages new.jsonl --json > answers.jsonl
      twinset index query pages --passages < page.txt
    """
    from twinset.index import Index

    bar = progress(quiet) if inputs else None
    asked = matched = 0
    try:
        with Index.open(place) as index:
            for answer in _answers(index, inputs, matches, passages, bar, given_options(resources)):
                asked, matched = asked + 1, matched + bool(answer.matches)
                if json:
                    print_json(answer.as_dict())
                else:
                    _print(answer)
    finally:
        if bar is not None:
            bar.close()
    if not json:
        say(f"Documents: {asked:,} asked about, {matched:,} with a match")


def _answers(
    index: Index,
    inputs: list[str] | None,
    top: int,
    passages: bool,
    bar: Any,
    options: dict[str, Any],
) -> Iterator[QueryAnswer]:
    if inputs:
        paths = [path_or_address(path) for path in inputs]
        options["on_fault"] = FaultsSaid()
        return index.query(paths, top=top, passages=passages, progress=bar, **options)
    if sys.stdin.isatty():
        raise PlanError(["there is nothing to ask about: name files, or give a text on stdin"])
    text = sys.stdin.buffer.read().decode("utf-8", "replace")
    return iter(index.query_texts([None], [text], top=top, passages=passages))


def _print(answer: QueryAnswer) -> None:
    if not answer.matches:
        return
    say(one_id(answer.id) if answer.id is not None else "the text on stdin")
    for match in answer.matches:
        say(f"  {match.score:.4f}  {one_id(match.id)}")
        for passage in match.passages or ():
            place = f"{passage.start}-{passage.end} is {passage.match_start}-{passage.match_end}"
            say(f"          {place}: {one_line(passage.text, SHOWN)}")
    if answer.more:
        say(f"  and {answer.more:,} more (--matches 0 lists all)")
