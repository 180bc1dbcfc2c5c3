"""Names to objects and back.

A method, an image, a measure, a kind of clusters, a keep policy, a check of pairs, a reader and an
operation are *parts*: frozen dataclasses whose fields are their options. ``field`` and ``option``
say what an option is, ``table`` which parts there are, ``text`` reads and writes
``name:option=value``.
"""

from __future__ import annotations

from twinset.spec.field import option
from twinset.spec.option import Option, faults_of, options_of
from twinset.spec.table import TABLE, load, name_of, names, suggestion
from twinset.spec.text import (
    as_value,
    bytes_in,
    checked,
    default_of,
    fitted,
    from_values,
    make,
    name_in,
    parse,
    several,
    spell,
)

__all__ = [
    "TABLE",
    "Option",
    "as_value",
    "bytes_in",
    "checked",
    "default_of",
    "faults_of",
    "fitted",
    "from_values",
    "load",
    "make",
    "name_in",
    "name_of",
    "names",
    "option",
    "options_of",
    "parse",
    "several",
    "spell",
    "suggestion",
]
