"""``twinset methods``."""

from __future__ import annotations

from typing import Annotated, Any

from twinset.cli.options import Json, Quiet
from twinset.cli.output import print_json, say
from twinset.cli.parameters import argument
from twinset.plan.catalogue import described, paper_name, without_marks


def command(
    name: Annotated[
        str | None,
        argument(metavar="NAME", help="Describe only the part of this name, in full."),
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
    parts = described(name)
    if json:
        print_json(parts)
    elif name is None:
        _print_list(parts)
    else:
        _print_details(parts)


def _print_list(parts: dict[str, dict[str, Any]]) -> None:
    names = {id(e): _named(n, e) for entries in parts.values() for n, e in entries.items()}
    width = max(map(len, names.values()))
    for kind, entries in parts.items():
        say(f"{kind}")
        for entry in entries.values():
            say(f"  {names[id(entry)]:<{width}}  {without_marks(entry['is'])}")
            facts = entry["facts"]
            if facts:
                summary = f"{facts['paper']}; needs {facts['needs']}; {facts['cost']}"
                say(f"  {'':<{width}}  [{summary}]")
        say("")
    say("For details: twinset methods NAME. In use: --method tf:words=8, --image oph:size=256")


def _named(name: str, entry: dict[str, Any]) -> str:
    others = [*entry["also"], *filter(None, [paper_name(name, entry)])]
    return f"{name} ({', '.join(others)})" if others else name


FACTS = {
    "paper": "Paper",
    "needs": "Needs",
    "cost": "Cost",
    "use": "Use it for",
    "avoid": "Not for",
    "published": "Published figures",
}


def _print_details(parts: dict[str, dict[str, Any]]) -> None:
    for kind, entries in parts.items():
        for name, entry in entries.items():
            text = without_marks(entry["text"])
            say(f"{_named(name, entry)} ({kind})\n\n{text}\n\n{entry['about']}\n")
            for key, title in FACTS.items():
                if key in entry["facts"]:
                    say(f"{title}: {entry['facts'][key]}.")
            for option in entry["options"]:
                meaning = f"  {option['meaning']}" if option["meaning"] else ""
                say(f"\n  {option['name']}={option['default']}  ({option['takes']}){meaning}")
