"""``twinset methods``."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from twinset.cli.options import Json, Quiet
from twinset.cli.output import print_json, say
from twinset.spec.catalogue import described


def command(
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", show_default=False, help="Tell all about this one."),
    ] = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """List methods, images, measures, clusters, readers and operations, with their options.

    \b
    Example:
      twinset methods
      twinset methods threefive
    """
    found = described(name)
    if json:
        print_json(found)
    elif name is None:
        _tell_all(found)
    else:
        _tell_one(found)


def _tell_all(found: dict[str, dict[str, Any]]) -> None:
    names = {id(e): _named(n, e) for entries in found.values() for n, e in entries.items()}
    width = max(map(len, names.values()))
    for kind, entries in found.items():
        say(f"{kind}")
        for entry in entries.values():
            say(f"  {names[id(entry)]:<{width}}  {entry['is']}")
            facts = entry["facts"]
            if facts:
                told = f"{facts['paper']}; needs {facts['needs']}; {facts['cost']}"
                say(f"  {'':<{width}}  [{told}]")
        say("")
    say("More about one: twinset methods NAME. In use: --method tf:words=8, --image oph:size=256")


def _named(name: str, entry: dict[str, Any]) -> str:
    return f"{name} ({', '.join(entry['also'])})" if entry["also"] else name


TOLD = {
    "paper": "Paper",
    "needs": "Needs",
    "cost": "Cost",
    "use": "Use it for",
    "avoid": "Not for",
    "published": "Published figures",
}


def _tell_one(found: dict[str, dict[str, Any]]) -> None:
    for kind, entries in found.items():
        for name, entry in entries.items():
            text = entry["text"].replace("``", "")
            say(f"{_named(name, entry)} ({kind})\n\n{text}\n\n{entry['about']}\n")
            for key, title in TOLD.items():
                if key in entry["facts"]:
                    say(f"{title}: {entry['facts'][key]}.")
            for option in entry["options"]:
                meaning = f"  {option['meaning']}" if option["meaning"] else ""
                say(f"\n  {option['name']}={option['default']}  ({option['takes']}){meaning}")
