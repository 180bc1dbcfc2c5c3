"""``twinset index export``."""

from __future__ import annotations

import json as notation
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Any

from twinset.cli.index import MOST_FAULTS, IndexPlace
from twinset.cli.options import Force, Json, Quiet
from twinset.cli.output import print_json, say, visible
from twinset.cli.parameters import option
from twinset.errors import PlanError, ReportError
from twinset.system.files import fresh_file, is_special

OTHERS = (".parquet", ".csv", ".tsv", ".gz", ".zst")
"""Suffixes of formats that are not written here."""


def command(
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
    from twinset.index import Index

    if out != "-":
        _ensure_free(Path(out), force)
    with Index.open(place) as index:
        if index.info()["kept"] != "texts":
            raise ReportError(f"{place} keeps no texts that could be written")
        to_stdout = out == "-"
        target: Any = nullcontext(None) if to_stdout else fresh_file(Path(out))
        written = 0
        faults: list[str] = []
        with target as draft:
            file = sys.stdout.buffer if draft is None else draft.open("wb")
            for id, text in index.documents(faults.append):
                line = notation.dumps({"id": id, "text": text}, ensure_ascii=False)
                file.write(line.encode("utf-8", "surrogatepass") + b"\n")
                written += 1
            file.flush()
            if draft is not None:
                file.close()
    if json and not to_stdout:
        print_json({"file": out, "documents": written})
    elif not to_stdout:
        say(f"Written: {written:,} documents to {out}")
    if faults:
        for fault in faults[:MOST_FAULTS]:
            print(visible(f"twinset: {fault}"), file=sys.stderr)
        raise ReportError(
            f"{len(faults):,} parts or documents of {place} are damaged and left out; the other "
            f"{written:,} documents are written"
        )


def _ensure_free(file: Path, force: bool) -> None:
    """Refuse a place where JSON lines are not expected or something else would be lost."""
    if file.suffix in OTHERS:
        raise PlanError([f"documents are written as JSON lines: name a .jsonl file, not {file}"])
    if file.is_dir():
        raise PlanError([f"{file} is a folder: name a file"])
    if not file.parent.is_dir():
        raise PlanError([f"there is no folder {file.parent}: make it, or name another file"])
    if file.exists() and not force and not is_special(file):
        raise PlanError([f"{file} is there already: name another file, or replace it with --force"])
