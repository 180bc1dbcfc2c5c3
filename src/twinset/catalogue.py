"""What there is to choose from: methods, images, measures, kinds of clusters, with their options.

The command line lists it, the page makes its forms of it; the texts are the classes' own.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
import typing
from typing import Any

from twinset import registry
from twinset.errors import PlanError, TwinsetError


def described(wanted: str | None = None) -> dict[str, dict[str, Any]]:
    """Kind -> name -> what it is and its options; only the wanted name, where one is given."""
    found = {
        kind: {
            name: _describe(kind, name, also)
            for name, also in _synonyms(kind).items()
            if wanted in (None, name, *also)
        }
        for kind in registry.TABLE
    }
    found = {kind: entries for kind, entries in found.items() if entries}
    if not found:
        known = ", ".join(name for kind in registry.TABLE for name in registry.names(kind))
        raise PlanError([f"there is no method, image or other part '{wanted}'; known: {known}"])
    return found


def _synonyms(kind: str) -> dict[str, list[str]]:
    """The first name of each part, with its other names."""
    first: dict[str, str] = {}
    also: dict[str, list[str]] = {}
    for name, target in registry.names(kind).items():
        if target in first:
            also[first[target]].append(name)
        else:
            first[target] = name
            also[name] = []
    return also


def _describe(kind: str, name: str, also: list[str]) -> dict[str, Any]:
    try:
        cls = registry.load(kind, name)
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
    hints = typing.get_type_hints(cls)
    return [
        {
            "name": field.name,
            "takes": _takes(hints[field.name]),
            "default": None if field.default is dataclasses.MISSING else field.default,
            "meaning": field.metadata.get("help") or _sentence_about(cls, field.name),
        }
        for field in dataclasses.fields(cls)
    ]


def _sentence_about(cls: type[Any], option: str) -> str:
    """The first sentence of the docstrings that names the option, marked as one if possible."""
    for pattern in (rf"``{option}``", rf"\b{option}\b"):
        for base in cls.__mro__[:-1]:
            for sentence in re.split(r"(?<=[.;])\s+", inspect.cleandoc(base.__doc__ or "")):
                if re.search(pattern, sentence):
                    return " ".join(sentence.replace("``", "").split())
    return ""


def _takes(kind: Any) -> str:
    """A type as the user writes its values."""
    if typing.get_origin(kind) is typing.Literal:
        return "|".join(map(str, typing.get_args(kind)))
    words = {int: "whole number", float: "number", str: "text", bool: "yes|no"}
    return words.get(kind) or str(kind).replace(" | None", " or nothing")
