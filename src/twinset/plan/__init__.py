"""Everything that decides a result, as objects; `Resources` decide nothing but speed and space.

A plan is the same whether it is made in Python, read from a TOML file, rebuilt from a report's
manifest or given on the command line. ``plan`` holds and makes it, ``spec`` says what an option
is, ``table`` which parts there are and ``catalogue`` lists them; ``presets`` names some plans,
``shared`` says the options that several parts have, ``reading`` those of documents in and out.
"""

from twinset.plan.plan import (
    Keep,
    Method,
    Plan,
    options,
    read_plan,
    read_toml,
    tomllib,
    used_options,
)
from twinset.plan.presets import Preset, presets
from twinset.plan.reading import (
    Html,
    OnError,
    OutputForm,
    PageText,
    Reading,
    ReadOptions,
    Repeated,
    reading_arguments,
    reads_documents,
)
from twinset.plan.resources import Resources, parse_bytes
from twinset.plan.shared import CopyKind, Kinds, Match, Shingling, Shortcuts, Unit

__all__ = [
    "CopyKind",
    "Html",
    "Keep",
    "Kinds",
    "Match",
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
    "read_toml",
    "reading_arguments",
    "reads_documents",
    "tomllib",
    "used_options",
]
