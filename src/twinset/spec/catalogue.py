"""What there is to choose from: methods, images, measures, kinds of clusters, with their options.

The command line lists it, the page makes its forms of it; the texts are the classes' own.
"""

from __future__ import annotations

import dataclasses
import inspect
from typing import Any

from twinset import spec
from twinset.errors import PlanError, TwinsetError


def described(wanted: str | None = None) -> dict[str, dict[str, Any]]:
    """Kind -> name -> what it is and its options; only the wanted name, where one is given."""
    found = {
        kind: {
            name: _describe(kind, name, also)
            for name, also in _synonyms(kind).items()
            if wanted in (None, name, *also)
        }
        for kind in spec.TABLE
    }
    found = {kind: entries for kind, entries in found.items() if entries}
    if not found:
        known = ", ".join(name for kind in spec.TABLE for name in spec.names(kind))
        raise PlanError([f"there is no method, image or other part '{wanted}'; known: {known}"])
    return found


def _synonyms(kind: str) -> dict[str, list[str]]:
    """The first name of each part, with its other names."""
    first: dict[str, str] = {}
    also: dict[str, list[str]] = {}
    for name, target in spec.names(kind).items():
        if target in first:
            also[first[target]].append(name)
        else:
            first[target] = name
            also[name] = []
    return also


def _describe(kind: str, name: str, also: list[str]) -> dict[str, Any]:
    try:
        cls = spec.load(kind, name)
    except (ImportError, TwinsetError) as fault:
        # One part with a missing package must not hide the others.
        fault_told = {"is": f"cannot be loaded: {fault}", "text": "", "about": "", "options": []}
        return fault_told | {"also": also, "facts": {}}
    text = inspect.cleandoc(cls.__doc__ or "")
    about = inspect.cleandoc(inspect.getmodule(cls).__doc__ or "")
    options = _options(cls) if dataclasses.is_dataclass(cls) else []
    facts = dataclasses.asdict(cls.about) if hasattr(cls, "about") else {}
    told: dict[str, Any] = {
        "is": text.partition("\n")[0],
        "text": text,
        "about": about,
        "options": options,
    }
    return told | {"also": also, "facts": facts}


def _options(cls: type[Any]) -> list[dict[str, Any]]:
    return [
        {
            "name": option.name,
            "takes": option.takes,
            "default": option.usual or option.default,
            "meaning": option.help,
        }
        for option in spec.options_of(cls).values()
    ]
