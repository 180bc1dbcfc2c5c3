"""What there is to choose from: methods, images, measures, kinds of clusters, with their options.

The command line lists it, the page offers it; the texts are the classes' own.
"""

from __future__ import annotations

import dataclasses
import inspect
from typing import Any

from twinset.errors import PlanError, TwinsetError
from twinset.plan import spec

Entry = dict[str, Any]


def described(name: str | None = None) -> dict[str, dict[str, Entry]]:
    """Kind -> name -> what it is and its options; of all parts, or of those with this name."""
    by_kind = {
        kind: {
            first: _entry(kind, first, synonyms)
            for first, synonyms in _synonyms(kind).items()
            if name in (None, first, *synonyms)
        }
        for kind in spec.TABLE
    }
    by_kind = {kind: entries for kind, entries in by_kind.items() if entries}
    if name is not None and not by_kind:
        known = dict.fromkeys(known for kind in spec.TABLE for known in spec.names(kind))
        hint = spec.suggestion(name, known)
        raise PlanError([f"there is no method, image or other part '{name}'; {hint}"])
    return by_kind


def paper_name(name: str, entry: Entry) -> str:
    """What the paper calls a part, where that says more than its name here."""
    named: str = entry["facts"].get("named", "")
    return "" if named.casefold() == name else named


def without_marks(text: str) -> str:
    """What a docstring says, for those who are shown no code in another type."""
    return text.replace("``", "")


def _synonyms(kind: str) -> dict[str, list[str]]:
    """The first name of each part, with its other names."""
    first: dict[str, str] = {}
    others: dict[str, list[str]] = {}
    for name, target in spec.names(kind).items():
        if target in first:
            others[first[target]].append(name)
        else:
            first[target] = name
            others[name] = []
    return others


def _entry(kind: str, name: str, synonyms: list[str]) -> Entry:
    entry: Entry = {"is": "", "text": "", "about": "", "options": []}
    entry |= {"also": synonyms, "facts": {}}
    try:
        cls = spec.load(kind, name)
    except (ImportError, TwinsetError) as fault:
        # One part with a missing package must not hide the others.
        return entry | {"is": f"cannot be loaded: {fault}"}
    text = inspect.cleandoc(cls.__doc__ or "")
    return entry | {
        "is": text.partition("\n")[0],
        "text": text,
        "about": inspect.cleandoc(inspect.getmodule(cls).__doc__ or ""),
        "options": _options(cls) if dataclasses.is_dataclass(cls) else [],
        "facts": dataclasses.asdict(cls.about) if hasattr(cls, "about") else {},
    }


def _options(cls: type[Any]) -> list[Entry]:
    return [
        {
            "name": option.name,
            "takes": option.takes,
            "default": option.usual or option.default,
            "meaning": option.help,
        }
        for option in spec.options_of(cls).values()
    ]
