"""Wrong usage in sentences: what was typed, what is wrong with it, and what to type instead.

Which classes and words the parser has for it depends on the version of click; what is asked of an
exception here are attributes that all of them have.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from twinset.errors import did_you_mean, nearest

ALSO_CALLED = {
    "--output": "--out",
    "--output-dir": "--out",
    "--overwrite": "--force",
    "--similarity": "--threshold",
    "--column": "--text",
    "--field": "--text",
    "--text-column": "--text",
    "--text-field": "--text",
    "--text-key": "--text",
    "--id-column": "--id",
    "--id-field": "--id",
    "--id-key": "--id",
    "--workers": "--threads",
    "--cpus": "--threads",
    "--jobs": "--threads",
    "--ram": "--memory",
    "--format": "--to",
    "--operation": "--op",
    "--truth": "--labels",
    "--labels": "--truth",
    "--ground-truth": "--truth",
    "--silent": "--quiet",
    "--debug": "--verbose",
}
"""What other tools, or other commands, call an option; it is meant where a command has it."""
SYNONYMS = {
    "duplicates": "find",
    "search": "find",
    "scan": "find",
    "near-duplicates": "find",
    "deduplicate": "dedup",
    "unique": "dedup",
    "delete": "clean",
    "remove": "clean",
    "diff": "show",
    "report": "show",
    "view": "show",
    "decide": "ui",
    "train": "lab learn",
    "recommend": "tune",
    "benchmark": "lab compare",
    "gui": "ui",
    "export": "ui",
    "web": "ui",
    "sweep": "lab experiment",
}
"""What people may call a command."""


def no_command(name: str, known: Sequence[str], path: str = "twinset") -> str:
    """The message about a command that there is none of; ``known`` are the ways to type one."""
    within = {way.rpartition(" ")[2]: way for way in reversed(known)}
    called = SYNONYMS.get(name.lower(), "")
    meant = called if called in known else within.get(nearest(name, [*within]) or "")
    question = f"did you mean '{meant}'? " if meant else ""
    return f"there is no command '{name}'; {question}'{path} -h' lists all"


def explained(fault: Any, context: Any) -> str:
    """What is wrong with the arguments of a command, and the remedy."""
    command, name = context.command, _called(context)
    parameter = getattr(fault, "param", None)
    if hasattr(fault, "possibilities"):
        return _no_option(fault.option_name, name, command)
    if parameter is not None and not getattr(fault, "message", ""):
        return f"{_shown(parameter)} is missing; for example: {_example(command)}"
    if parameter is not None:
        is_option = parameter.param_type_name == "option"
        named = parameter.opts[0] if is_option else name_of(parameter)
        return f"{named}: {_said(fault.message)}"
    message = str(fault.format_message()).rstrip(".")
    extra = re.fullmatch(r"Got unexpected extra arguments?(?:\(s\))? \((.*)\)", message)
    if extra:
        pair = "; two documents are shown with --pair ID ID" if name == "show" else ""
        return (
            f"'{extra[1]}' is more than twinset {name} takes: put names with blanks in quotes{pair}"
        )
    return f"{_said(message)}; 'twinset {name} -h' shows how"


def _said(message: str) -> str:
    message = re.sub("valid integer( range)?", "whole number", message)
    return f"{message[:1].lower()}{message[1:]}".rstrip(".")


def _called(context: Any) -> str:
    """The command as it is typed after ``twinset``: ``index add``."""
    names: list[str] = []
    while context.parent is not None:
        names.insert(0, context.info_name)
        context = context.parent
    return " ".join(names)


def _no_option(flag: str, name: str, command: Any) -> str:
    known = [option for each in command.params for option in each.opts if option.startswith("--")]
    called = ALSO_CALLED.get(flag.lower())
    if called in known:
        meant = f"did you mean {called}? "
    else:
        names = [option.removeprefix("--") for option in known]
        meant = did_you_mean(flag.lstrip("-"), names, form="--{}")
    every = "--help-all" if "--help-all" in known else "-h"
    help = " ".join(filter(None, ("twinset", name, every)))
    return f"there is no option {flag}; {meant}'{help}' lists all"


def name_of(parameter: Any) -> str:
    """What an argument, or the value of an option, is called in help and messages."""
    return str(parameter.metavar or parameter.name.upper())


def _shown(parameter: Any) -> str:
    if parameter.param_type_name != "option":
        return name_of(parameter)
    return f"{parameter.opts[-1]} {name_of(parameter)}"


def _example(command: Any) -> str:
    """The first example of the help."""
    lines = [line.strip() for line in str(command.help or "").splitlines()]
    return next(
        (line for line in lines if line.startswith("twinset ")), f"twinset {command.name} -h"
    )
