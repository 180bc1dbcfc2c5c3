"""Everything that decides a result, as objects; `Resources` decide nothing but speed and space.

A plan is the same whether it is made in Python, read from a TOML file, rebuilt from a report's
manifest or given on the command line. ``plan`` holds it, ``making`` turns options by name into it,
``presets`` names some plans, ``shared`` says the options that several parts have, ``reading`` those
of the input, ``output`` those of the documents written.
"""

from __future__ import annotations

from twinset.plan import toml as tomllib
from twinset.plan.making import used_options
from twinset.plan.output import OutputForm
from twinset.plan.plan import Plan, options, read_plan
from twinset.plan.presets import Preset, presets
from twinset.plan.protocols import Keep, Method
from twinset.plan.reading import (
    Html,
    OnError,
    PageText,
    Reading,
    ReadOptions,
    Repeated,
    reading_arguments,
    reads_documents,
)
from twinset.plan.resources import Resources, parse_bytes
from twinset.plan.shared import Kinds, Shingling, Shortcuts, Unit

__all__ = [
    "Html",
    "Keep",
    "Kinds",
    "Method",
    "OnError",
    "OutputForm",
    "PageText",
    "Plan",
    "Preset",
    "ReadOptions",
    "Reading",
    "Repeated",
    "Resources",
    "Shingling",
    "Shortcuts",
    "Unit",
    "options",
    "parse_bytes",
    "presets",
    "read_plan",
    "reading_arguments",
    "reads_documents",
    "tomllib",
    "used_options",
]
