"""What is printed about a report on what repeats inside documents."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

from twinset.cli.output import print_json, say, unread
from twinset.cli.piping import STDOUT
from twinset.errors import PlanError
from twinset.spec.numerals import counted
from twinset.system.remote import Place


def print_passages(
    findings: Any, folder: Place, sentences: Sequence[str], *, as_json: bool
) -> None:
    """The sentences and where everything is; raises where too little of the input was read."""
    manifest, saved = findings.manifest, getattr(findings, "saved", {})
    sides = dict(zip("AB", manifest.get("sides", {}).values(), strict=False)) or {"input": manifest}
    faults = [(side["unread"], name) for name, side in sides.items() if side["unread"]]
    if as_json:
        print_json({"report": str(folder), **manifest})
    elif not faults:
        for sentence in sentences:
            say(sentence)
        if "cleaned" in saved:
            say(f"Without repeats: {saved['cleaned']}")
        if saved.get("uncut"):
            say(
                f"{counted(saved['uncut'], 'file')} not of plain text, out of which nothing can be "
                "cut, copied whole."
            )
        for kind, count in chain.from_iterable(side["faults"].items() for side in sides.values()):
            say(f"{counted(count, 'fault')} of the input: {kind}")
        say(f"Report: {folder / 'report.html'}")
    for fault, name in faults:
        raise unread(fault, folder, name)


def folder_faults(what: str, out: str) -> list[str]:
    """Why a report of several files cannot go where it is asked for: to standard output."""
    if out != STDOUT:
        return []
    return [f"{what} writes a report of several files: name a folder with -o"]


def ensure_folder(command: str, out: str) -> None:
    """Raise where standard output is named for a report of several files."""
    if faults := folder_faults(command, out):
        raise PlanError(faults)
