"""A filled form as options of a plan; ``forms`` draws it and names its fields.

Values become the texts that the command line takes, so that they are checked in one place.
An empty field means the default.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from typing import Any

from twinset import spec
from twinset.errors import PlanError
from twinset.plan import options as plan_options
from twinset.spec import Option

SUGGESTED = {"clusters.closed.share": "0.85"}
"""What a form fills in for options that are required and have no default."""
DECIDED_BY_PAGE = ("within",)
"""Options that a visitor cannot change: the page itself keeps to its folders."""


def values_of(options: Mapping[str, Any]) -> dict[str, str]:
    """The fields that show the options of a plan, by name."""
    values: dict[str, str] = {}
    for name, value in options.items():
        option = plan_options()[name]
        if option.part and not option.many:
            part = spec.parse(option.part, value)[0] if isinstance(value, str) else value
            values |= _values_of_part(name, option.part, part)
        else:
            values[name] = _lines(option, value)
    return values


def filled_in(form: Mapping[str, str], options: Mapping[str, Any]) -> dict[str, str]:
    """The fields of a form over those of the options, with what is suggested for a new part."""
    values = values_of(options) | dict(form)
    for name, value in SUGGESTED.items():
        part = name.rpartition(".")[0]
        if not any(each.startswith(f"{part}.") for each in values):
            values[name] = value
    return values


def read_form(form: Mapping[str, str], options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a plan as they are after a form, as texts that are not checked yet."""
    faults = [
        f"{name}: {text!r:.60} holds a character that cannot be written; leave it out"
        for name, text in form.items()
        if not text.replace("\r\n", "").isprintable()
    ]
    roots = dict.fromkeys(name.partition(".")[0] for name in form)
    known = plan_options()
    # Plan.make has parameters beside the options, which a visitor must not reach: a file to read.
    faults += [
        f"there is no option '{name}'; {spec.suggestion(name, known)}"
        for name in roots
        if name not in known
    ]
    if faults:
        raise PlanError(faults)
    values = filled_in(form, options)
    changed = dict(options)
    for name in roots:
        if name in DECIDED_BY_PAGE:
            continue
        option = known[name]
        is_part = option.part and not option.many
        text = _composed(option, name, values) if is_part else values.get(name, "").strip()
        changed[name] = text.splitlines() if option.many else text
        if not text:
            del changed[name]
    return changed


def files_named(options: Mapping[str, Any]) -> list[str]:
    """The files that options name, or texts that could be names of files: a server opens them."""
    names: list[str] = []
    for name, value in options.items():
        option = plan_options().get(name)
        if option is None or option.part == "keep":
            continue
        if option.part and isinstance(value, str):
            names += _texts_of(spec.parse(option.part, value)[0])
        elif option.metavar == "FILE":
            names.append(str(value))
    return [name for name in names if os.sep in name or os.path.exists(name)]


def _texts_of(part: Any) -> list[str]:
    texts: list[str] = []
    if not getattr(type(part), "names_files", True):
        return texts
    for name, option in spec.options_of(type(part)).items():
        value = getattr(part, name)
        if option.part and value is not None:
            texts += _texts_of(value)
        elif isinstance(value, str) and not option.choices:
            texts.append(value)
    return texts


def _composed(option: Option, path: str, values: Mapping[str, str]) -> str:
    """The text of the part that the fields below ``path`` describe."""
    name = values.get(path, option.usual.partition(":")[0]).strip()
    if not name:
        return ""
    known = spec.options_of(spec.load(option.part, name))
    plain: dict[str, str] = {}
    parts: dict[str, str] = {}
    below = f"{path}.{name}."
    for field_name, value in values.items():
        key, _, _ = field_name.removeprefix(below).partition(".")
        if not field_name.startswith(below) or key in parts:
            continue
        if key in known and known[key].part:
            if text := _composed(known[key], below + key, values):
                parts[key] = text
        elif value.strip():
            plain[key] = value.strip()
    return spec.compose(name, plain, parts)


def _values_of_part(path: str, kind: str, part: Any) -> dict[str, str]:
    name = spec.name_of(kind, part)
    values = {path: name}
    for option in spec.options_of(type(part)).values():
        value, below = getattr(part, option.name), f"{path}.{name}.{option.name}"
        if option.part and value is not None:
            values |= _values_of_part(below, option.part, value)
        elif not option.part:
            values[below] = spec.as_text(option, value)
    return values


def _lines(option: Option, value: Any) -> str:
    if not option.many:
        return spec.as_text(option, spec.as_value(option, value))
    values = spec.as_value(option, value)
    single = dataclasses.replace(option, many=False)
    return "\n".join(spec.as_text(single, each) for each in values)
