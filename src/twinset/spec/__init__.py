"""Names to objects and back.

A method, an image, a measure, a kind of clusters, a keep policy, a check of pairs, a reader and an
operation are *parts*: frozen dataclasses whose fields are their options, made by `option`.
``option`` says what is known about an option, ``table`` which parts there are, ``text`` reads and
writes ``name:option=value``, ``catalogue`` lists it all.
"""

from __future__ import annotations

import dataclasses
from functools import partial
from typing import Any

from twinset.spec.option import KEY, Option, checked_values, faults_of, options_of, parts_in
from twinset.spec.table import TABLE, load, name_of, names, noun, suggestion
from twinset.spec.text import (
    as_text,
    as_value,
    bytes_in,
    checked,
    compose,
    default_of,
    fitted,
    from_values,
    make,
    name_in,
    parse,
    several,
    spell,
    without_former_options,
)

__all__ = [
    "TABLE",
    "Option",
    "as_text",
    "as_value",
    "bytes_in",
    "checked",
    "checked_values",
    "compose",
    "default_of",
    "faults_of",
    "fitted",
    "from_values",
    "load",
    "make",
    "name_in",
    "name_of",
    "names",
    "noun",
    "option",
    "options_of",
    "parse",
    "parts_in",
    "several",
    "spell",
    "suggestion",
    "without_former_options",
]


def option(default: Any, help: str, **facts: Any) -> Any:
    """A field of a dataclass that is an option; the facts are those of `Option`.

    Where its value is a part, ``usual`` is the text of the default, and ``default`` is not used.
    """
    metadata = {KEY: {"help": help, **facts}}
    if facts.get("usual"):
        factory = partial(make, facts["part"], facts["usual"])
        return dataclasses.field(default_factory=factory, metadata=metadata)
    return dataclasses.field(default=default, metadata=metadata)
