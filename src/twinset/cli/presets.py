"""``twinset presets``."""

from __future__ import annotations

import json as notation
import textwrap
from collections.abc import Iterator
from typing import Annotated, Any

from twinset.cli.options import Json, Quiet
from twinset.cli.output import print_json, say
from twinset.cli.parameters import argument
from twinset.plan import Plan, Preset, presets
from twinset.plan.presets import preset_of


def command(
    name: Annotated[
        str | None,
        argument(metavar="NAME", help="Describe only this preset."),
    ] = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """List presets: plans with a name, what each is for, and its measured figures.

    What is printed of a single preset is a plan file.

    \b
    Example:
      twinset presets
      twinset presets text > plan.toml
      twinset find letters.jsonl -o report --preset text
    """
    chosen = list(presets().values()) if name is None else [preset_of(name)]
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
            for line in (_options(preset), *_figures(preset)):
                say(f"{'':<{width}}  [{line}]")
        say("\nFor details: twinset presets NAME. In use: twinset find IN -o report --preset text")


def _plan_file(preset: Preset) -> Iterator[str]:
    """The options of a preset as TOML, what is to be said of it in comments."""
    sentences = [
        f"The preset {preset.name}: for {preset.use}.",
        f"Not for {preset.avoid}.",
        preset.reason,
    ]
    for sentence in sentences:
        yield from (f"# {line}" for line in textwrap.wrap(sentence, 98))
    yield from (f"# Measured: {line}." for line in _figures(preset))
    for option, value in preset.options.items():
        yield f"{option} = {notation.dumps(value)}"


def _options(preset: Preset) -> str:
    flags = [
        (option.replace("_", "-"), value)
        for option, values in preset.options.items()
        for value in (values if isinstance(values, (list, tuple)) else [values])
    ]
    return " ".join(f"--{name}" if value is True else f"--{name} {value}" for name, value in flags)


def _figures(preset: Preset) -> Iterator[str]:
    """The measured figures in words, with the command that measures them."""
    figures = preset.figures()
    for name, kind in (("real", "labelled collections"), ("made", "collections made by a script")):
        rows = figures.get("quality", {}).get(name, [])
        if rows:
            mean = sum(row["f1"] for row in rows) / len(rows)
            worst = min(rows, key=lambda row: row["f1"])
            yield (
                f"F1 {mean:.2f} in the mean of {len(rows)} {kind}, worst {worst['f1']:.2f} "
                f"({worst['collection']}); {figures['quality']['command']}"
            )
    for row in figures.get("speed", {}).get("rows", []):
        yield (
            f"{row['documents']:,} documents of {row['megabytes']:,} MB: {row['cpu_seconds']:.1f} "
            f"CPU seconds, {row['peak_memory_mb']:,} MB of memory; {figures['speed']['command']}"
        )


def _as_json(preset: Preset) -> dict[str, Any]:
    plan = Plan.make(preset=preset.name).as_dict()
    return {
        "use": preset.use,
        "avoid": preset.avoid,
        "reason": preset.reason,
        "options": dict(preset.options),
        "plan": plan,
        "figures": preset.figures(),
    }
