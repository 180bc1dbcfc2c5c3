"""What the forms of the laboratory share: the command that a form becomes, and how it is read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fastapi import Request

from twinset.errors import PlanError
from twinset.spec import Option, as_text, default_of, names
from twinset.spec.numerals import decimal
from twinset.web.forms import fault_of
from twinset.web.settings import inside

Texts = Mapping[str, str]
"""A filled form."""


@dataclass(frozen=True)
class LabRun:
    """A command line to be: its sources, and its options beside ``-o`` and ``--json``.

    ``file`` is the file that the command writes, where it writes one and no folder.
    """

    sources: list[str]
    options: list[str]
    title: str
    file: str = ""
    facts: dict[str, str] = field(default_factory=dict)


def _nothing(request: Request, filled: Texts) -> dict[str, Any]:
    return {}


@dataclass(frozen=True)
class LabCommand:
    """A command: how its form is read, what its template is given, and the field that takes an
    upload."""

    read: Callable[[Request, Texts], LabRun]
    offered: Callable[[Request, Texts], dict[str, Any]] = _nothing
    upload: str = ""


def bounds(request: Request) -> list[str]:
    """The options that keep a command in the folders that the page may read."""
    return [part for root in request.app.state.settings.bounds for part in ("--within", root)]


def named_file(request: Request, form: Texts, name: str, missing: str) -> Path:
    """The file or folder that a field names, in bounds; ``missing`` is said of an empty one."""
    if not form.get(name, "").strip():
        raise PlanError([missing])
    return inside(request.app.state.settings, form[name].strip())


def documents_of(request: Request, form: Texts) -> Path:
    """The folder or file of documents."""
    missing = "no documents are named; choose a folder or a file"
    return named_file(request, form, "documents", missing)


def truth_options(request: Request, form: Texts) -> list[str]:
    """The list of known duplicates, where one is named."""
    if not form.get("truth", "").strip():
        return []
    truth = ["--truth", str(inside(request.app.state.settings, form["truth"].strip()))]
    return [*truth, "--only-judged"] if form.get("only_judged") else truth


def operation_options(form: Texts) -> list[str]:
    """Every chosen operation with its share, in the order of the form."""
    operations = [
        f"{name}:{number(form, f'share.{name}', 'share'):g}%"
        for name in names("operation")
        if form.get(f"use.{name}")
    ]
    return [part for operation in operations for part in ("--op", operation)]


def number(form: Texts, name: str, label: str) -> float:
    """The number in a field, written with a point or a comma."""
    try:
        return decimal(form.get(name, "").strip().replace(",", "."))
    except ValueError as fault:
        raise PlanError([f"{label}: {fault}"]) from None


def count(form: Texts, name: str, label: str) -> str:
    """The whole number in a field, as the command line takes it."""
    value = number(form, name, label)
    if value != int(value) or value < 1:
        raise PlanError([f"{label} must be a whole number of at least 1, not {value:g}"])
    return str(int(value))


def given(options: Mapping[str, Option], form: Texts) -> list[str]:
    """The options of a drawn form that were changed; raises with all faults together."""
    texts = {name: form.get(name, "").strip() for name in options}
    faults = [fault_of(option, texts[name]) for name, option in options.items()]
    if faults := [fault for fault in faults if fault]:
        raise PlanError(faults)
    return [
        part
        for name, option in options.items()
        if texts[name] and texts[name] != as_text(option, default_of(option))
        for part in (option.flag, texts[name])
    ]
