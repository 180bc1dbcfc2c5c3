"""The description of an experiment: what is swept, what stays the same, and what is asked.

A TOML file has ``[plan]`` (the same in every row), ``[sweep]`` (a list per option: every
combination is a row), ``[[zip]]`` (lists that go along together) and ``[[rows]]`` (alternatives,
each with values or lists of its own, and every one of them combined with the sweep).
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from twinset.errors import MissingFileError, PlanError
from twinset.lab.experiment.printed import printed_faults
from twinset.plan import ReadOptions, options, tomllib
from twinset.spec import load, names, options_of, suggestion
from twinset.system.bounded import PLAN_BYTES, read_regular

TEXTS = ("title", "about", "source", "measured")
TABLES = ("plan", "sweep", "zip", "rows", "compare", "printed")
COMPARE: dict[str, tuple[tuple[type, ...], str]] = {
    "by": ((str,), "a text in quotes"),
    "best": ((str,), "a text in quotes"),
    "ignore": ((str,), "a text in quotes"),
    "only_judged": ((bool,), "true or false"),
    "grade": ((int, float), "a number"),
    "judge": ((int, float), "a number"),
    "most_judged": ((int,), "a whole number"),
}
"""The keys of ``[compare]``, with their types and what these are called."""
NAME = "name"
"""In ``[[rows]]``: what the rows are called, no option of a plan."""


@dataclass(frozen=True)
class Description:
    """An experiment as its file describes it; every key is checked, values are checked by row.

    ``blocks`` are the alternatives: in each, an option has a list of values.
    """

    name: str
    title: str = ""
    about: str = ""
    source: str = ""
    measured: str = ""
    plan: Mapping[str, Any] = field(default_factory=dict)
    sweep: Mapping[str, list[Any]] = field(default_factory=dict)
    zips: tuple[Mapping[str, list[Any]], ...] = ()
    blocks: tuple[Mapping[str, list[Any]], ...] = ()
    compare: Mapping[str, Any] = field(default_factory=dict)
    tables: tuple[str, ...] = ()
    printed: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def from_values(
        cls, values: Mapping[str, Any], name: str = "experiment", where: str = ""
    ) -> Description:
        """From what a TOML file holds; all faults are reported together."""
        known = [*TEXTS, "tables", *TABLES]
        faults = [
            f"there is no '{key}'; {suggestion(key, known)}" for key in values if key not in known
        ]
        faults += [
            f"{key} must be a text in quotes"
            for key in TEXTS
            if not isinstance(values.get(key, ""), str)
        ]
        tables = values.get("tables", [])
        if not isinstance(tables, list) or not all(isinstance(table, str) for table in tables):
            faults.append(f'tables must be a list of names, as ["dice"], not {tables!r}')
            tables = []
        plan, wrong = _options(values.get("plan", {}), "plan")
        faults += wrong
        sweep, wrong = _lists(values.get("sweep", {}), "sweep")
        faults += wrong
        zips, wrong = _several(values.get("zip", []), "zip")
        faults += [*wrong, *_uneven(zips)]
        blocks, wrong = _several(values.get("rows", []), "rows")
        faults += wrong
        compare = values.get("compare", {})
        faults += _compare_faults(compare)
        faults += printed_faults(values.get("printed", {}))
        if not faults and not (sweep or zips or blocks):
            faults.append("nothing is swept: give [sweep] a list, as shingle = [3, 5, 10]")
        if faults:
            raise PlanError([f"{where or name}: {fault}" for fault in dict.fromkeys(faults)])
        texts = {key: str(values.get(key, "")) for key in TEXTS}
        return cls(
            name,
            **texts,
            plan=plan,
            sweep=sweep,
            zips=zips,
            blocks=blocks,
            compare=compare,
            tables=tuple(tables),
            printed=values.get("printed", {}),
        )


def read_description(path: str | os.PathLike[str]) -> Description:
    """The experiment in a TOML file."""
    where = os.fspath(path)
    try:
        text = read_regular(path, PLAN_BYTES).decode()
    except FileNotFoundError:
        raise MissingFileError(path) from None
    except (OSError, UnicodeDecodeError) as fault:
        said = getattr(fault, "strerror", None) or fault
        raise PlanError([f"cannot read the experiment {where}: {said}"]) from None
    return parse_description(text, where)


def parse_description(text: str, where: str) -> Description:
    """The experiment in the text of a TOML file; ``where`` names it in messages."""
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as fault:
        raise PlanError([f"{where} is not an experiment in TOML: {fault}"]) from None
    return Description.from_values(values, Path(where).stem, where)


@cache
def known_keys() -> list[str]:
    """Every option that can be swept, the preset, and options of parts as ``image.size``."""
    plain = ["preset", *(name for name in options() if name not in options_of(ReadOptions))]
    parts = {
        f"{name}.{inner}": None
        for name, option in options().items()
        if option.part
        for part in names(option.part)
        for inner in options_of(load(option.part, part))
    }
    return [*plain, *parts]


def key_fault(key: str, *, may_read: bool) -> str | None:
    """What is wrong with the name of an option."""
    if key in options_of(ReadOptions) and not may_read:
        return (
            f"{key} decides how documents are read, and an experiment reads them once: give it in "
            "[plan], or as an option of the command"
        )
    known = known_keys()
    if key in known or (may_read and key in options_of(ReadOptions)):
        return None
    if "." not in key:
        known = [name for name in known if "." not in name]
    elif any(name.startswith(f"{key.partition('.')[0]}.") for name in known):
        known = [name for name in known if name.startswith(f"{key.partition('.')[0]}.")]
    return f"there is no option '{key}'; {suggestion(key, known)}"


def _flat(table: Mapping[str, Any], above: str = "") -> dict[str, Any]:
    """Nested tables as keys with dots: ``[sweep.image]`` has ``image.size``."""
    flat: dict[str, Any] = {}
    for key, value in table.items():
        path = f"{above}{key}".replace("-", "_")
        flat |= _flat(value, f"{path}.") if isinstance(value, dict) else {path: value}
    return flat


def _options(table: Any, where: str) -> tuple[dict[str, Any], list[str]]:
    """The options of ``[plan]``, one value each."""
    if not isinstance(table, dict):
        return {}, [f"{where} must be a table, [{where}], not {table!r}"]
    flat = _flat(table)
    faults = [f"[{where}]: {fault}" for key in flat if (fault := key_fault(key, may_read=True))]
    return flat, faults


def _lists(table: Any, where: str, single: bool = False) -> tuple[dict[str, list[Any]], list[str]]:
    """A list of values per option; ``single`` values are lists of one."""
    if not isinstance(table, dict):
        return {}, [f"{where} must be a table, [{where}], not {table!r}"]
    lists: dict[str, list[Any]] = {}
    faults = []
    for key, value in _flat(table).items():
        if single and not isinstance(value, list):
            value = [value]
        fault = None if key == NAME and single else key_fault(key, may_read=False)
        if fault is None and not isinstance(value, list):
            fault = (
                f"{key} must be a list in brackets, as [{value!r}]; what is the same in all rows "
                "goes to [plan]"
            )
        elif fault is None and not value:
            fault = f"{key} is an empty list: give it a value, or leave it out"
        elif fault is None and any(isinstance(each, list | dict) for each in value):
            fault = f"{key} must be a list of single values, not {value!r}"
        if fault is not None:
            faults.append(f"[{where}]: {fault}")
        lists[key] = value
    return lists, faults


def _several(tables: Any, where: str) -> tuple[tuple[dict[str, list[Any]], ...], list[str]]:
    """The tables of ``[[zip]]`` or ``[[rows]]``; a single ``[zip]`` will do."""
    tables = [tables] if isinstance(tables, dict) else tables
    if not isinstance(tables, list):
        return (), [f"{where} must be tables, [[{where}]], not {tables!r}"]
    pairs = [_lists(table, where, single=where == "rows") for table in tables]
    return tuple(lists for lists, _ in pairs), [fault for _, faults in pairs for fault in faults]


def _compare_faults(compare: Any) -> list[str]:
    if not isinstance(compare, dict):
        return [f"compare must be a table, [compare], not {compare!r}"]
    faults = []
    for key, value in compare.items():
        types, called = COMPARE.get(key, ((), ""))
        if not types:
            faults.append(f"[compare] has no '{key}'; {suggestion(key, COMPARE)}")
        elif not isinstance(value, types) or (isinstance(value, bool) and bool not in types):
            faults.append(f"[compare]: {key} must be {called}, not {value!r}")
    return faults


def _uneven(zips: tuple[Mapping[str, list[Any]], ...]) -> list[str]:
    faults = []
    for table in zips:
        lengths = {key: len(values) for key, values in table.items() if isinstance(values, list)}
        if len(set(lengths.values())) > 1:
            said = ", ".join(f"{key} has {length}" for key, length in lengths.items())
            faults.append(f"[zip]: its lists must have the same length: {said}")
    return faults
