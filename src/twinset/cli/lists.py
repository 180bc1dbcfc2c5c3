"""``twinset list``: the methods, all parts, and the presets; one function per command."""

from __future__ import annotations

import json as notation
import textwrap
from collections.abc import Iterator
from typing import Annotated, Any

from twinset.cli.options import Json, Quiet
from twinset.cli.output import print_json, say
from twinset.cli.parameters import argument
from twinset.plan import Plan, Preset, options
from twinset.plan import presets as known_presets
from twinset.plan.catalogue import described, paper_name, without_marks
from twinset.plan.presets import preset_of

COMMANDS = {
    "methods": "List methods with their sources and costs.",
    "presets": "List presets: plans with a name, for a purpose.",
    "parts": "List methods, images, readers, operations and all other parts.",
}
HELP = """List what a plan can name: methods, presets, parts.

\b
Example:
  twinset list methods
  twinset list presets text > plan.toml
  twinset list parts oph
"""
PartName = Annotated[
    str | None, argument(metavar="NAME", help="Describe only the part of this name, in full.")
]


def methods(name: PartName = None, quiet: Quiet = False, json: Json = False) -> None:
    """List methods, each with its paper, what it needs and what it costs.

    \b
    Example:
      twinset list methods
      twinset list methods threefive
    """
    known = {"method": described()["method"]} if name is None else described(name)
    _show(known, name, json)


def parts(name: PartName = None, quiet: Quiet = False, json: Json = False) -> None:
    """List methods, images, measures, clusters, readers and operations, with their options.

    \b
    Example:
      twinset list parts
      twinset list parts oph
    """
    _show(described(name), name, json)


def _show(known: dict[str, dict[str, Any]], name: str | None, json: bool) -> None:
    if json:
        print_json(known)
    elif name is None:
        _print_list(known)
    else:
        _print_details(known)


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
    say("For details: twinset list parts NAME. In use: --method tf:words=8, --image oph:size=256")


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


def presets(
    name: Annotated[
        str | None,
        argument(metavar="NAME", help="Describe only this preset."),
    ] = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """List presets: plans with a name, and what each is for.

    What is printed of a single preset is a plan file.

    \b
    Example:
      twinset list presets
      twinset list presets text > plan.toml
      twinset find letters.jsonl -o report --preset text
    """
    chosen = list(known_presets().values()) if name is None else [preset_of(name)]
    if json:
        print_json({preset.name: _as_json(preset) for preset in chosen})
    elif name is not None:
        for line in _plan_file(chosen[0]):
            say(line)
    else:
        width = max(len(preset.name) for preset in chosen)
        for preset in chosen:
            say(f"{preset.name:<{width}}  For {preset.use}.")
            say(f"{'':<{width}}  Not for {preset.avoid}.")
            say(f"{'':<{width}}  [{_options(preset)}]")
        say("\nFor details: twinset list presets NAME. In use: twinset find IN --preset text")


def _plan_file(preset: Preset) -> Iterator[str]:
    """The options of a preset as TOML, what is to be said of it in comments."""
    sentences = [
        f"The preset {preset.name}: for {preset.use}.",
        f"Not for {preset.avoid}.",
        preset.reason,
    ]
    for sentence in sentences:
        yield from (f"# {line}" for line in textwrap.wrap(sentence, 98))
    for option, value in preset.options.items():
        yield f"{option} = {notation.dumps(value)}"


def _options(preset: Preset) -> str:
    known = options()
    return " ".join(w for name, value in preset.options.items() for w in known[name].words(value))


def _as_json(preset: Preset) -> dict[str, Any]:
    plan = Plan.make(preset=preset.name).as_dict()
    return {
        "use": preset.use,
        "avoid": preset.avoid,
        "reason": preset.reason,
        "options": dict(preset.options),
        "plan": plan,
    }
