"""A plan from options by name: text to objects, shortcuts into parts, all faults together."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, TypeVar

from twinset.errors import PlanError, UnusedOption, warn
from twinset.plan.levels import values_of_level
from twinset.plan.shared import HARMLESS, PARTS, Shortcuts
from twinset.spec import (
    Option,
    as_text,
    as_value,
    default_of,
    faults_of,
    fitted,
    load,
    name_of,
    names,
    noun,
    options_of,
    parse,
    parts_in,
    spell,
    suggestion,
)

P = TypeVar("P")
GOAL = ("threshold", "measure", "recall")
"""The options that say which pairs are sought; ``uses`` of a method names those it goes by."""
Options = Mapping[str, Any]


def options_for(plan: type[Any], reading: type[Any]) -> dict[str, Option]:
    """The options of a plan, its shortcuts and those of reading, by name."""
    return options_of(plan) | options_of(Shortcuts) | options_of(reading)


def changed(base: P, options: Options, exact: bool = False) -> P:
    """The plan ``base`` with the given options; those that are None or empty are not given."""
    plan: Any = base
    known = options_for(type(plan), type(plan.read))
    # what compares as an array does with a list is given
    empty = [name for name, value in options.items() if isinstance(value, list) and not value]
    options = {n: value for n, value in options.items() if value is not None and n not in empty}
    unknown = [name for name in options if name not in known]
    faults = [f"there is no option '{name}'; {suggestion(name, known)}" for name in unknown]
    values, written, wrong = _values(known, options)
    faults += wrong
    if exact:
        faults += _put_exact(plan, values)
    if not faults and getattr(values.get("level"), "splits", False):
        asked = exact or any(name in values for name in ("method", "verify", *GOAL, *PARTS))
        values = values_of_level(plan, asked) | values
    if faults:
        # What could be read is checked even so: all faults are reported together.
        wrong = [known[name].fault(value) for name, value in values.items()]
        raise PlanError(faults + [fault for fault in wrong if fault])
    parts, faults = _with_shortcuts(plan, values, written)
    values |= parts
    reading = {name: values[name] for name in options_of(type(plan.read)) if name in values}
    own = {name: values[name] for name in options_of(type(plan)) if name in values}
    new = dataclasses.replace(plan, read=dataclasses.replace(plan.read, **reading), **own)
    ignored = _ignored(new.method, new.verify)
    for name in ignored:
        if name in values:
            message = _no_use(known[name], values[name], new)
            if name in getattr(type(new.method)(), "uses", GOAL):
                faults.append(message)  # another option of the method stands against it
            else:  # one command line for many methods is no mistake
                warn(message, UnusedOption)
    # What a plan file says for another method goes with that method.
    new = dataclasses.replace(new, **{name: default_of(known[name]) for name in ignored})
    if counts(new.measure) and not counts(plan.measure) and "threshold" not in values:
        said = name_of("measure", new.measure)
        faults.append(f"{said} counts shared features: give a threshold, as in -t 20")
    if is_foreign(new.measure, new.verify):
        said = name_of("check", new.verify)
        faults.append(
            f"the check {said} cannot go by the threshold {new.threshold}, which is of the "
            f"measure {name_of('measure', new.measure)}: give the check its own, as in "
            f"--verify {said}:{0.8 if counts(new.measure) else 20}"
        )
    if faults := list(dict.fromkeys(faults + _faults(new))):
        raise PlanError(faults)
    return new  # type: ignore[no-any-return]


def used_options(options: Options) -> dict[str, Any]:
    """The options less those of the goal that their own method ignores.

    For options that nobody chose for this method: a manifest and a form hold all of them, and a
    comparison gives the same ones to every method.
    """
    method, check = options.get("method"), options.get("verify")
    try:
        method = parse("method", method)[0] if isinstance(method, str) else method
        check = parse("check", check)[0] if isinstance(check, str) else check
    except PlanError:
        return dict(options)  # it is reported together with all other faults
    ignored = _ignored(method, check)
    return {name: value for name, value in options.items() if name not in ignored}


def _ignored(method: Any, check: Any) -> list[str]:
    """The options of the goal that neither the method nor the check of its pairs uses."""
    uses = {*getattr(method, "uses", GOAL)}
    if check is not None and getattr(check, "threshold", 0) is None:
        uses.add("threshold")
    return [name for name in GOAL if name not in uses]


def _no_use(option: Option, value: Any, plan: Any) -> str:
    """What to say about an option of the goal that is given in vain."""
    method, name = spell("method", plan.method), option.name
    remedy = ", or check its pairs by it with --verify jaccard" if name == "threshold" else ""
    return (
        f"the method {method} makes no use of a {name}: "
        f"leave {name}={as_text(option, value)} out{remedy}"
    )


def is_foreign(measure: Any, check: Any) -> bool:
    """Whether a check without a threshold would take a share for a count, or a count for one."""
    takes_ours = check is not None and getattr(check, "threshold", 0) is None
    return takes_ours and counts(getattr(check, "measure", None)) != counts(measure)


def counts(measure: Any) -> bool:
    """Whether a measure is a count, for which a threshold up to 1 means nothing."""
    return bool(getattr(measure, "most", 1.0) > 1)


def _values(
    known: Mapping[str, Option], options: Options
) -> tuple[dict[str, Any], dict[str, set[str]], list[str]]:
    """Values as objects, the options that the text of each part spells out, and the faults."""
    values: dict[str, Any] = {}
    written: dict[str, set[str]] = {}
    faults: list[str] = []
    for name in (name for name in options if name in known):
        option, value = known[name], options[name]
        try:
            if option.part and not option.many and isinstance(value, str):
                values[name], inside = parse(option.part, value)
                written[name] = set(inside)
            else:
                values[name] = as_value(option, value)
        except PlanError as fault:
            faults += fault.faults
        except (ValueError, TypeError) as fault:
            faults.append(f"{name.replace('_', '-')}: {fault}")
    return values, written, faults


def _put_exact(base: Any, values: dict[str, Any]) -> list[str]:
    """Put the exact search in the place of the method, with the shingles that it had."""
    cls = load("method", "exact")
    if "method" in values and type(values["method"]) is not cls:
        said = name_of("method", values["method"])
        return [f"exact is a method of its own: give either exact or the method {said}"]
    shared = {n: getattr(base.method, n) for n in options_of(cls) if hasattr(base.method, n)}
    values.setdefault("method", cls(**shared))
    return []


def _with_shortcuts(
    base: Any, values: Options, written: Mapping[str, set[str]]
) -> tuple[dict[str, Any], list[str]]:
    """The parts with the shortcuts written into them, and what is wrong with these."""
    shortcuts = {name: values[name] for name in PARTS if name in values}
    faults: list[str] = []
    parts = {
        home: values.get(home, getattr(base, home)) for home in ("method", "verify", "clusters")
    }
    accepted: set[str] = set()
    for home, part in parts.items():
        mine = {name: value for name, value in shortcuts.items() if home in PARTS[name]}
        if home == "clusters" and "image" in accepted:
            mine.pop("image", None)  # clusters are searched in the method's own image
        if part is None or not mine:
            continue
        inside = written.get(home, set())
        parts[home], used = fitted(part, mine, inside)
        accepted |= used
        if home != "verify":  # a check may be made on other shingles than the search
            faults += [
                f"{name} is given twice, beside the {home} and inside it: leave one out"
                for name in sorted(used & inside)
            ]
    unused = [name for name in shortcuts if name not in accepted and name not in HARMLESS]
    faults += [_unused(name, shortcuts[name], parts) for name in unused]
    return parts, faults


def _unused(name: str, value: Any, parts: Options) -> str:
    home = PARTS[name][0]
    said = name_of(home, parts[home])
    if home == "clusters":
        kinds = [kind for kind in names(home) if name in options_of(load(home, kind))]
        return (
            f"the clusters {said} take no {name}: leave {name}={value} out, or add "
            f"--clusters {' or '.join(kinds)}"
        )
    return f"the method {said} takes no {name}: leave it out"


def _faults(plan: Any) -> list[str]:
    """What is wrong with a plan and its parts."""
    faults = [*faults_of(plan, inside=False), *plan.faults()]
    for option in options_of(type(plan)).values():
        for part in parts_in(plan, option) if option.part else ():
            named = f"{noun(option.part)} {name_of(option.part, part)}"
            faults += [f"{named}: {fault}" for fault in faults_of(part)]
    return faults
