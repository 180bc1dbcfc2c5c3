"""``twinset index``: a collection that is kept; one function per command."""

from __future__ import annotations

import errno
import json as notation
import shlex
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click

from twinset.cli.options import (
    Force,
    InputPaths,
    Json,
    Quiet,
    ReadingOptions,
    ResourceOptions,
    SearchOptions,
    given_options,
)
from twinset.cli.output import (
    STDOUT,
    command_line,
    print_json,
    say,
    say_table,
    size,
    visible,
    write_lines,
)
from twinset.cli.parameters import argument, option
from twinset.cli.progress import shown
from twinset.errors import PlanError, ReportError, TwinsetError
from twinset.plan.spec import Option
from twinset.result.places import ensure_free_file
from twinset.system.remote import path_or_address
from twinset.system.schemes import without_secrets

if TYPE_CHECKING:
    from twinset.index import Index, QueryAnswer
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


def _opened(place: str) -> Index:
    from twinset.index import Index

    return Index.open(place)


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


OF_PAIRS = ("Similarity", "Expert")
OF_COLLECTIONS = ("repeated", "reference", "max_unread")


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


def create(
    place: IndexPlace,
    search: ComparingOptions,
    reading: OneByOneOptions,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Make a new index, in a new or empty folder or in a PostgreSQL database.

    How documents are read and compared is decided here, once. A method that counts words takes the
    counts of a report, or of documents, by --statistics FILE.

    \b
    Example:
      twinset index create pages --threshold 0.8 --recall 0.99
      twinset index create theses --exact --text body
      twinset index create postgresql://user@server/db
    """
    from twinset.index import Index

    options: dict[str, Any] = given_options(search, reading)
    with Index.create(place, **options) as index:
        info = index.info()
    if json:
        print_json(info)
        return
    say(f"Created: {info['index']}")
    say(_promise(info))
    say(f"Next: {command_line('index', 'add', info['index'], 'IN')}")


def _promise(info: dict[str, Any]) -> str:
    """What its answers promise."""
    if info["recall"] is None:
        return "Every match is verified."
    return f"Every match is verified; {info['recall']:.4f} of those at the threshold are found."


def add(
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

    After a kill the same command goes on: what is there with the same text is left alone.

    \b
    Example:
      twinset index add pages crawl-2026-11.jsonl.zst
      twinset index add pages today.jsonl --dedup --json
    """
    options = given_options(resources)
    options |= {"replace": replace, "dedup": dedup, "on_fault": FaultsSaid()}
    try:
        with shown(quiet) as bar, _opened(place) as index:
            paths: Any = [path_or_address(path) for path in inputs.inputs]
            done = index.add(paths, progress=bar, **options)
    except OSError as fault:
        if fault.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        raise TwinsetError(
            "the disk is full: free some space and run the same command again, which goes on; what "
            f"it has added so far is in {without_secrets(place)}"
        ) from None
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


MATCHES = 1000


def query(
    place: IndexPlace,
    resources: ResourceOptions,
    inputs: Annotated[
        list[str] | None,
        argument(metavar="IN", help="Documents, as 'find' reads them; without it, text on stdin."),
    ] = None,
    top: Annotated[
        int,
        option("--top", metavar="N", least=0, help="List at most N matches of each; 0: all."),
    ] = MATCHES,
    least: Annotated[
        float | None,
        option(
            "--least",
            metavar="SCORE",
            help="List matches from this score on, in place of the threshold of the index.",
        ),
    ] = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Ask which documents of the index are near those given, best first, each match verified.

    A document that is in the index matches its copies, but not itself. With --json there is a line
    for each document.

    \b
    Example:
      twinset index query pages new.jsonl
      twinset index query pages new.jsonl --least 0.5 --top 10
      twinset index query pages new.jsonl --json > answers.jsonl
      twinset index query pages < page.txt
    """
    from twinset.index.work import ensure_all_read

    asked = matched = unread = 0
    options, recall = given_options(resources) | {"top": top, "least": least}, None
    with shown(quiet or not inputs) as bar, _opened(place) as index:
        threshold = index.plan.threshold
        for answer in _answers(index, inputs, bar, options):
            asked, matched = asked + 1, matched + bool(answer.matches)
            unread, recall = unread + answer.unread, answer.recall
            if json:
                print_json(answer.as_dict())
            else:
                _print(answer)
    if not json:
        say(f"Documents: {asked:,} asked about, {matched:,} with a match")
        if least is not None and least < threshold:
            known = "" if recall is None else f": {recall:.4f} of those at {least:g} are expected"
            say(f"Below the threshold of {threshold:g} not every match is found{known}.")
    ensure_all_read(unread)


def _answers(
    index: Index, inputs: list[str] | None, bar: Any, options: dict[str, Any]
) -> Iterator[QueryAnswer]:
    if inputs:
        paths = [path_or_address(path) for path in inputs]
        options["on_fault"] = FaultsSaid()
        return index.query(paths, progress=bar, **options)
    if sys.stdin.isatty():
        raise PlanError(["there is nothing to ask about: name files, or give a text on stdin"])
    text = sys.stdin.buffer.read().decode("utf-8", "replace")
    how = {name: options[name] for name in ("top", "least")}
    return iter(index.query_texts([None], [text], **how))


def _print(answer: QueryAnswer) -> None:
    if not answer.matches:
        return
    say(one_id(answer.id) if answer.id is not None else "the text on stdin")
    for match in answer.matches:
        say(f"  {match.score:.4f}  {one_id(match.id)}")
    if answer.more:
        say(f"  and {answer.more:,} more (--top 0 lists all)")
    if answer.uncompared:
        say(f"  in a crowd: {answer.uncompared:,} were not compared (--top 0 compares all)")


def remove(
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
    wanted = list(ids or ())
    if file is not None:
        lines = Path(file).read_text("utf-8-sig", "replace").split("\n")  # others may be in an id
        wanted += [line for line in lines if line]
    if not wanted:
        raise PlanError(["there is nothing to remove: give ids, or a file of ids by --file"])
    with _opened(place) as index:
        removed = index.remove(wanted)
    missing = len(dict.fromkeys(wanted)) - removed
    if json:
        print_json({"removed": removed, "missing": missing})
    else:
        say(f"Documents: {removed:,} removed" + (f", {missing:,} not there" if missing else ""))


def info(place: IndexPlace, quiet: Quiet = False, json: Json = False) -> None:
    """Show what an index is made by, how many documents it holds and how large it is.

    \b
    Example:
      twinset index info pages
    """
    with _opened(place) as index:
        info = index.info()
    if json:
        print_json(info)
        return
    say(f"Index: {info['index']}")
    say(f"Documents: {info['documents']:,}")
    if "bytes" in info:
        say(f"Size: {size(info['bytes'])}")
    is_model = info["method"].startswith("learned")  # whose boundary is its own
    say(f"Method: {info['method']}" + ("" if is_model else f", threshold {info['threshold']:g}"))
    if info.get("options"):
        say(f"Options: {shlex.join(info['options'])}")
    if info["recall"] is not None:
        lower = (f" · at {least:g}: {recall:.4f}" for least, recall in info["recalls"])
        say(f"Recall at the threshold: {info['recall']:.4f}{''.join(lower)}")
    if info.get("removed"):
        say(f"Removed since it was compacted: {info['removed']:,}")


def check(place: IndexPlace, quiet: Quiet = False, json: Json = False) -> None:
    """Look through all of an index for damage, and say what can be saved.

    \b
    Example:
      twinset index check pages
    """
    with _opened(place) as index:
        faults = index.check()
    if json:
        print_json({"index": index.place, "faults": faults})
    for fault in faults if not json else ():
        say(fault)
    if faults:
        raise ReportError(
            f"{index.place} is damaged in {len(faults)} places: 'twinset index export' writes "
            "what can be read, out of which a new index can be made"
        )
    if not json:
        say(f"{index.place} is whole")


def compact(place: IndexPlace, quiet: Quiet = False, json: Json = False) -> None:
    """Rewrite an index without what was removed; it can be asked meanwhile, but not changed.

    It needs as much space as the index again until it is done.

    \b
    Example:
      twinset index compact pages
    """
    with _opened(place) as index:
        before = index.info().get("bytes")
        index.compact()
        after = index.info().get("bytes")
    if json:
        print_json({"index": index.place, "before": before, "after": after})
    elif before is None or after is None:
        say(f"{index.place} is compact")
    else:
        say(f"Size: {size(before)} before, {size(after)} now")


OTHERS = (".parquet", ".csv", ".tsv", ".gz", ".zst")
"""Suffixes of formats that are not written here."""


def export(
    place: IndexPlace,
    out: Annotated[
        str, option("--out", "-o", metavar="FILE", help="The file to write; - is stdout.")
    ] = "-",
    force: Force = False,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Write the documents of an index as JSON lines of id and text, in the order of addition.

    Out of them another index can be made, here or elsewhere.

    \b
    Example:
      twinset index export pages -o pages.jsonl
      twinset index export pages | gzip > pages.jsonl.gz
    """
    if Path(out).suffix in OTHERS:
        raise PlanError([f"documents are written as JSON lines: name a .jsonl file, not {out}"])
    if out != STDOUT:
        ensure_free_file(out, force, "documents.jsonl")
    faults: list[str] = []
    with _opened(place) as index:
        rows = ({"id": id, "text": text} for id, text in index.documents(faults.append))
        lines = (notation.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        written = write_lines(out, (line.encode("utf-8", "surrogatepass") for line in lines))
    if json and out != STDOUT:
        print_json({"file": out, "documents": written})
    elif out != STDOUT:
        say(f"Written: {written:,} documents to {out}")
    for fault in faults[:MOST_FAULTS]:
        print(visible(f"twinset: {fault}"), file=sys.stderr)
    if faults:
        raise ReportError(
            f"{len(faults):,} parts or documents of {index.place} are damaged; {written:,} "
            "documents are written, as far as they can be read"
        )


ACTIONS = ("add", "list", "revoke")


def key(
    action: Annotated[str, argument(metavar="add|list|revoke", help="What to do.")],
    place: IndexPlace,
    name: Annotated[
        str | None, argument(metavar="NAME", help="Name of the key, for add and revoke.")
    ] = None,
    role: Annotated[
        str,
        option("--role", metavar="read|write", help="What a new key allows; write includes read."),
    ] = "read",
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Make, list and revoke the keys that 'twinset serve' lets in.

    A new key is printed once; the index keeps a hash of it. Once there is a key, nobody comes in
    without one.

    \b
    Example:
      twinset index key add pages newsroom --role write
      twinset index key list pages
      twinset index key revoke pages newsroom
    """
    from twinset.index.local import open_store
    from twinset.service.access import ROLES, add_key, revoke_key

    if action not in ACTIONS:
        raise PlanError([f"there is no key {action}; choose add, list or revoke"])
    if (action == "list") != (name is None):
        raise PlanError(["key list takes no name, and key add and key revoke need one"])
    if role not in ROLES or (role == "write" and action != "add"):
        raise PlanError([f"--role is read or write, and for key add, not {role} for {action}"])
    if place.startswith(("http://", "https://")):
        raise PlanError(
            [f"keys are changed where the index lies, not over {without_secrets(place)}"]
        )
    with closing(open_store(place)) as store:
        if action == "list":
            rows = [(each, given) for each, (given, _) in store.roles().items()]
            if json:
                print_json([{"name": each, "role": given} for each, given in rows])
            else:
                say_table([("name", "role"), *rows], right=False)
        elif action == "revoke":
            revoke_key(store, name or "")
            click.echo(f"Revoked: {name}. Services refuse it within some seconds.", err=True)
        else:
            key = add_key(store, name or "", role)
            if json:
                print_json({"name": name, "role": role, "key": key})
            else:
                click.echo(f"The key {name} may {role}. It is shown this once:", err=True)
                click.echo(key)
