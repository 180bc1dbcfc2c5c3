"""The rows of an experiment: every combination of the swept options, each with its plan."""

from __future__ import annotations

import dataclasses
import itertools
import math
import re
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from twinset.errors import PlanError, UnusedOption
from twinset.lab.evaluation.findings import By
from twinset.lab.experiment.description import NAME, Description
from twinset.lab.runs.planned import PlannedRun
from twinset.plan import Plan, options, used_options
from twinset.plan.presets import with_preset
from twinset.plan.shared import PARTS
from twinset.spec import fitted, name_of, options_of, parse, spell

MOST_ROWS = 1000
WITH_OPTIONS = ("method", "clusters", "verify")
"""The parts of a plan whose texts name options."""


@dataclass(frozen=True)
class ExperimentRow:
    """One combination: the swept options by name, and the plan, or why there is none."""

    number: int
    name: str
    options: Mapping[str, Any]
    plan: Plan | None
    fault: str | None = None

    def planned(self, by: By) -> PlannedRun:
        """The run of this row; only where there is a plan."""
        assert self.plan is not None
        # Pairs of equal documents need not be written out: the stored set implies them.
        return PlannedRun("row", dataclasses.replace(self.plan, max_pairs=0), by)

    def as_toml(self) -> str:
        """The plan as a file that names every swept option, defaults included."""
        assert self.plan is not None
        values = self.plan.changes()
        # Options of parts first: a part that is written in full has those beside it as well.
        for key in sorted(self.options, key=lambda key: "." not in key):
            if key == "preset":  # what it stands for is written
                continue
            home, dot, inner = key.partition(".")
            if not _is_written(inner or home, values):
                homes = [name for name in PARTS.get(home, ()) if _is_written(home, values, name)]
                home = homes[0] if homes else home
                values[home] = _spelt_in_full(self.plan, home) if dot else self.options[key]
        return self.plan.as_toml(values)


def _is_written(name: str, values: Mapping[str, Any], part: str = "") -> bool:
    """Whether options of a plan file state one by this name, or one of their parts does."""
    texts = [values.get(home, "") for home in ([part] if part else ("image", *WITH_OPTIONS))]
    return name in values or any(re.search(rf"(?<!\w){name}=", str(text)) for text in texts)


def _spelt_in_full(plan: Plan, home: str) -> str:
    """A part of the plan, or of one of its parts, with all its options."""
    owners = [plan, *(getattr(plan, name) for name in PARTS.get(home, ()))]
    part = next(getattr(owner, home) for owner in owners if hasattr(owner, home))
    return spell(options()[home].part, part, full=True)


def rows_of(
    description: Description, reading: Mapping[str, Any], most: int = MOST_ROWS
) -> list[ExperimentRow]:
    """All rows, in the order of the file; raises where there are too many or all are faulty.

    ``reading`` are the options of reading that were given beside the file, and win.
    """
    count = count_rows(description)
    if count > most:
        raise PlanError(
            [
                f"{description.name} has {count:,} rows, and at most {most:,} are run: sweep over "
                f"fewer values, or give --most-rows {count}"
            ]
        )
    fixed = dict(description.plan) | {n: v for n, v in reading.items() if v not in (None, (), [])}
    rows = []
    for number, (label, swept) in enumerate(_combinations(description)):
        name = label or ", ".join(f"{key}={value}" for key, value in swept.items())
        try:
            rows.append(ExperimentRow(number, name, swept, plan_of(fixed, swept)))
        except PlanError as fault:
            rows.append(ExperimentRow(number, name, swept, None, str(fault)))
    if all(row.plan is None for row in rows):
        faults = dict.fromkeys(row.fault for row in rows if row.fault)
        raise PlanError([f"{description.name}: no row can run: {next(iter(faults))}"])
    return rows


def count_rows(description: Description) -> int:
    """How many rows there are, without making them."""
    zips = math.prod(len(next(iter(table.values()))) for table in description.zips if table)
    return sum(
        zips
        * math.prod(
            len(values)
            for key, values in (dict(description.sweep) | dict(block)).items()
            if key != NAME
        )
        for block in description.blocks or ({},)
    )


def _combinations(description: Description) -> Iterator[tuple[str, dict[str, Any]]]:
    """A name, empty where the options are to make it, and the swept options of each row."""
    for block in description.blocks or ({},):
        lists = {key: values for key, values in block.items() if key != NAME}
        label = str(block[NAME][0]) if NAME in block else ""
        factors = [
            [{key: value} for value in values]
            for key, values in (dict(description.sweep) | lists).items()
        ]
        factors += [
            [dict(zip(table, values, strict=True)) for values in zip(*table.values(), strict=True)]
            for table in description.zips
        ]
        several = math.prod(len(factor) for factor in factors) > 1
        for parts in itertools.product(*factors):
            swept: dict[str, Any] = {}
            for part in parts:
                swept |= part
            varied = [part for part, factor in zip(parts, factors, strict=True) if len(factor) > 1]
            said = ", ".join(f"{k}={v}" for part in varied for k, v in part.items())
            yield (f"{label}: {said}" if label and several else label), swept


def plan_of(fixed: Mapping[str, Any], swept: Mapping[str, Any]) -> Plan:
    """The plan of a row.

    What is ``fixed`` for all rows goes to those whose method takes it; what is ``swept`` must fit.
    """
    plain = _with_parts(with_preset(dict(fixed) | dict(swept)))
    own = {key.partition(".")[0] for key in swept}
    shared = {name: plain[name] for name in PARTS if name in plain and name not in own}
    others = {name: value for name, value in plain.items() if name not in shared}
    used = used_options(others)
    others = {name: value for name, value in others.items() if name in used or name in own}
    accepted = _accepted(others, shared)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UnusedOption)
        try:
            return Plan.make(**others, **{name: shared[name] for name in accepted})
        except UnusedOption as fault:
            raise PlanError([str(fault)]) from None


def _with_parts(values: dict[str, Any]) -> dict[str, Any]:
    """The options of parts, as ``image.size``, written into the text of their part."""
    plain = {key: value for key, value in values.items() if "." not in key}
    for key, value in values.items():
        home, dot, inner = key.partition(".")
        if not dot:
            continue
        text = str(plain.get(home) or _usual(home, plain))
        text = f"{text}{',' if ':' in text else ':'}{inner}={_text(value)}"
        plain[home] = text
    return plain


def _usual(home: str, plain: Mapping[str, Any]) -> str:
    """The part that a plan has without being told."""
    option = options()[home]
    if home == "image":
        method = parse("method", str(plain.get("method") or options()["method"].usual))[0]
        if "image" in options_of(type(method)):
            return name_of("image", method.image)
    if not option.usual:
        raise PlanError([f"there is no {home} to give options to: give {home} itself, too"])
    return option.usual.partition(":")[0]


def _text(value: Any) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


def _accepted(values: Mapping[str, Any], shared: Mapping[str, Any]) -> set[str]:
    """The shortcuts that one of the parts of a plan takes."""
    accepted: set[str] = set()
    for home in ("method", "verify", "clusters"):
        option = options()[home]
        text = values.get(home) or option.usual
        if text and option.part:
            part, written = parse(option.part, str(text))
            mine = {name: value for name, value in shared.items() if home in PARTS[name]}
            accepted |= fitted(part, mine)[1] - set(written)
    return accepted
