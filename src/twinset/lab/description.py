"""The description of an experiment, what is swept and what stays the same, and its rows.

A TOML file has ``[plan]`` (the same in every row), ``[sweep]`` (a list per option: every
combination is a row) and ``[[rows]]`` (alternatives, each with values or lists of its own, and
every one of them combined with the sweep). In both, ``parts = [3, 6]`` runs a row on the first 3
files of the collection and on the first 6, as the papers' n1-3 and n1-6.

``[printed]`` has a table as a paper prints it: ``columns`` and ``rows``, where an empty text is an
empty cell. The columns named in ``by`` say which of our rows a printed row belongs to; another
column that our table has, too, is compared; any other is a label. ``table`` names the derived table
that is meant, if it is not the rows themselves. The papers' own experiments are in ``papers/``.
"""

from __future__ import annotations

import itertools
import os
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import pyarrow as pa

from twinset.errors import PlanError, UnusedOption
from twinset.plan import Plan, ReadOptions, options, read_toml, tomllib, used_options
from twinset.plan.presets import with_preset
from twinset.plan.shared import PARTS
from twinset.plan.spec import fitted, load, name_of, names, options_of, parse, suggestion

PREFIX = "printed_"


def printed_beside(printed: Mapping[str, Any], ours: pa.Table) -> pa.Table:
    """One row per printed row: its labels and keys, then each figure as printed, and ours.

    Counts of another collection cannot be compared: their recall and precision stand before them.
    """
    by, columns = printed["by"], printed["columns"]
    lines = [dict(zip(columns, row, strict=True)) for row in printed["rows"]]
    if {"reference", "found", "common"}.issubset(columns):
        lines = [_shares(line) | line for line in lines]
    compared = [name for name in lines[0] if name in ours.column_names and name not in by]
    rows = {tuple(row[name] for name in by): row for row in reversed(ours.to_pylist())}
    matches = [rows.get(tuple(line[name] for name in by), {}) for line in lines]
    labels = {
        name: pa.array([_cell(line[name]) for line in lines], pa.string())
        for name in columns
        if name not in compared
    }
    figures: dict[str, pa.Array] = {}
    for name in compared:
        figures[PREFIX + name] = pa.array([_cell(line[name]) for line in lines], pa.string())
        kind = ours.schema.field(name).type
        figures[name] = pa.array([row.get(name) for row in matches], kind)
    return pa.table(labels | figures)


def _shares(line: Mapping[str, Any]) -> dict[str, str]:
    wholes = {"recall": line["reference"], "precision": line["found"]}
    return {name: f"{line['common'] / whole if whole else 1:.4f}" for name, whole in wholes.items()}


def _printed_faults(printed: Mapping[str, Any]) -> list[str]:
    """What is wrong with the figures of ``[printed]``, as sentences."""
    if missing := [key for key in ("columns", "by", "rows") if printed and not printed.get(key)]:
        return [f"[printed]: it needs {', '.join(missing)}: give {missing[0]} a list"]
    columns = printed.get("columns", [])
    faults = [
        f"[printed]: by names '{name}', which is no column; {suggestion(name, columns)}"
        for name in printed.get("by", [])
        if name not in columns
    ]
    return faults + [
        f"[printed]: row {number} has {len(row)} values for {len(columns)} columns"
        for number, row in enumerate(printed.get("rows", []), 1)
        if len(row) != len(columns)
    ]


def _cell(value: Any) -> str | None:
    return None if value == "" else str(value)


Shape = tuple[tuple[type, ...], type | None, str]
TEXTS = ("title", "about", "source", "measured")
TEXT: Shape = (str,), None, "a text in quotes"
NAMES: Shape = (list,), str, 'a list of names, as ["dice"]'
NUMBER: Shape = (int, float), None, "a number"
SHAPES: dict[str, Shape] = {
    **dict.fromkeys(TEXTS, TEXT),
    "tables": NAMES,
    **{name: ((dict,), None, f"a table, [{name}]") for name in ("plan", "sweep")},
    "rows": ((dict, list), dict, "tables, [[rows]]"),
    **{name: ((dict,), None, f"a table, [{name}]") for name in ("compare", "printed")},
}
"""The keys of a description: their types, those of the items of a list, what these are called."""
COMPARE: dict[str, Shape] = {
    **dict.fromkeys(("by", "best", "ignore"), TEXT),
    "only_judged": ((bool,), None, "true or false"),
    **dict.fromkeys(("grade", "judge"), NUMBER),
    "most_judged": ((int,), None, "a whole number"),
}
PRINTED: dict[str, Shape] = {
    "table": TEXT,
    **dict.fromkeys(("by", "columns"), NAMES),
    "rows": ((list,), list, "a list of lists"),
}
NAME = "name"
"""In ``[[rows]]``: what the rows are called, no option of a plan."""
FILES = "parts"
"""In ``[sweep]`` and ``[[rows]]``: of how many files the documents are, no option of a plan."""


@dataclass(frozen=True)
class Description:
    """An experiment as its file describes it; every key is checked, values are checked by row.

    ``blocks`` are the alternatives: in each, an option has a list of values. In a ``ranked`` result
    the best row comes first, and every row must have a plan.
    """

    name: str
    title: str = ""
    about: str = ""
    source: str = ""
    measured: str = ""
    plan: Mapping[str, Any] = field(default_factory=dict)
    sweep: Mapping[str, list[Any]] = field(default_factory=dict)
    blocks: tuple[Mapping[str, list[Any]], ...] = ()
    compare: Mapping[str, Any] = field(default_factory=dict)
    tables: tuple[str, ...] = ()
    printed: Mapping[str, Any] = field(default_factory=dict)
    ranked: bool = False

    @classmethod
    def from_values(
        cls, values: Mapping[str, Any], name: str = "experiment", where: str = ""
    ) -> Description:
        """From what a TOML file holds; all faults are reported together."""
        compare, printed = values.get("compare", {}), values.get("printed", {})
        faults = _misshapen(values, SHAPES)
        if not faults:
            faults = _misshapen(compare, COMPARE, "[compare]: ")
            faults += _misshapen(printed, PRINTED, "[printed]: ") or _printed_faults(printed)
            plan = _flat(values.get("plan", {}))
            faults += [f"[plan]: {said}" for key in plan if (said := key_fault(key, may_read=True))]
            sweep = _lists(values.get("sweep", {}), "sweep", faults)
            blocks = _blocks(values.get("rows", []), faults)
            if not (faults or sweep or blocks):
                faults.append("nothing is swept: give [sweep] a list, as shingle = [3, 5, 10]")
        if faults:
            raise PlanError([f"{where or name}: {fault}" for fault in dict.fromkeys(faults)])
        texts: dict[str, Any] = {key: values.get(key, "") for key in TEXTS}
        return cls(
            name,
            **texts,
            plan=plan,
            sweep=sweep,
            blocks=blocks,
            compare=compare,
            tables=tuple(values.get("tables", ())),
            printed=printed,
        )


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


def _misshapen(
    values: Mapping[str, Any], shapes: Mapping[str, Shape], where: str = ""
) -> list[str]:
    """Unknown keys and values of another type, as sentences."""
    faults = []
    for key, value in values.items():
        if key not in shapes:
            faults.append(f"{where}there is no '{key}'; {suggestion(key, shapes)}")
            continue
        types, inner, called = shapes[key]
        fits = isinstance(value, types) and (bool in types or not isinstance(value, bool))
        items = value if inner is not None and isinstance(value, list) else ()
        if not fits or not all(isinstance(item, inner or object) for item in items):
            faults.append(f"{where}{key} must be {called}, not {value!r}")
    return faults


def _lists(
    table: Mapping[str, Any], where: str, faults: list[str], single: bool = False
) -> dict[str, list[Any]]:
    """A list of values per option; ``single`` values are lists of one."""
    lists: dict[str, list[Any]] = {}
    for key, value in _flat(table).items():
        if single and not isinstance(value, list):
            value = [value]
        of_row = (key == NAME and single) or key == FILES
        fault = None if of_row else key_fault(key, may_read=False)
        if fault is None and not isinstance(value, list):
            fault = (
                f"{key} must be a list in brackets, as [{value!r}]; what is the same in all rows "
                "goes to [plan]"
            )
        elif fault is None and not value:
            fault = f"{key} is an empty list: give it a value, or leave it out"
        elif fault is None and any(isinstance(each, list | dict) for each in value):
            fault = f"{key} must be a list of single values, not {value!r}"
        elif fault is None and key == FILES and not all(type(n) is int and n > 0 for n in value):
            fault = f"{key} must be numbers of files, as [3, 6], not {value!r}"
        if fault is not None:
            faults.append(f"[{where}]: {fault}")
        lists[key] = value
    return lists


def _blocks(tables: Any, faults: list[str]) -> tuple[Mapping[str, list[Any]], ...]:
    """The tables of ``[[rows]]``; a single ``[rows]`` will do."""
    tables = [tables] if isinstance(tables, dict) else tables
    return tuple(_lists(table, "rows", faults, single=True) for table in tables)


SUFFIX = ".toml"


def shipped_names() -> list[str]:
    """The names of all of them."""
    folder = files("twinset.lab") / "papers"
    if not folder.is_dir():
        return []
    listed = (Path(entry.name) for entry in folder.iterdir())
    return sorted(path.stem for path in listed if path.suffix == SUFFIX)


def shipped_text(name: str) -> str:
    """The TOML file of an experiment, as it is written."""
    if name not in shipped_names():
        raise PlanError([f"there is no experiment '{name}'; {suggestion(name, shipped_names())}"])
    file = files("twinset.lab") / "papers" / f"{name}{SUFFIX}"
    return file.read_text(encoding="utf-8")


def open_description(source: str | os.PathLike[str] | Description) -> Description:
    """The experiment of a name, or that of a TOML file."""
    if isinstance(source, Description):
        return source
    name = os.fspath(source)
    if isinstance(source, str) and name in shipped_names():
        return Description.from_values(tomllib.loads(shipped_text(name)), name)
    if Path(name).suffix == SUFFIX or os.sep in name or Path(name).is_file():
        values = read_toml(
            name, "an experiment", "'twinset lab experiment --show NAME' prints one to start from"
        )
        return Description.from_values(values, Path(name).stem, name)
    known = suggestion(name, shipped_names())
    raise PlanError([f"there is no experiment '{name}', nor a file {name}{SUFFIX}; {known}"])


MOST_ROWS = 1000


@dataclass(frozen=True)
class ExperimentRow:
    """One combination: the swept options by name, and the plan, or why there is none."""

    number: int
    name: str
    options: Mapping[str, Any]
    plan: Plan | None
    fault: str | None = None

    @property
    def files(self) -> int | None:
        """On how many files of the collection it is run; None is all."""
        return self.options.get(FILES)


def rows_of(
    description: Description, reading: Mapping[str, Any], most: int = MOST_ROWS
) -> list[ExperimentRow]:
    """All rows, in the order of the file; raises where there are too many or all are faulty.

    ``reading`` are the options of reading that were given beside the file, and win.
    """
    combinations = list(itertools.islice(_combinations(description), most + 1))
    if len(combinations) > most:
        raise PlanError(
            [
                f"{description.name} has more than {most:,} rows: sweep over fewer values, or give "
                "a larger --most-rows"
            ]
        )
    fixed = dict(description.plan) | {n: v for n, v in reading.items() if v not in (None, (), [])}
    rows = []
    for number, (label, swept) in enumerate(combinations):
        name = label or ", ".join(f"{key}={value}" for key, value in swept.items())
        try:
            own = {key: value for key, value in swept.items() if key != FILES}
            rows.append(ExperimentRow(number, name, swept, plan_of(fixed, own)))
        except PlanError as fault:
            rows.append(ExperimentRow(number, name, swept, None, str(fault)))
    faults = dict.fromkeys(row.fault for row in rows if row.fault)
    if faults and description.ranked:
        raise PlanError(list(faults))
    if all(row.plan is None for row in rows):
        raise PlanError([f"{description.name}: no row can run: {next(iter(faults))}"])
    return rows


def _combinations(description: Description) -> Iterator[tuple[str, dict[str, Any]]]:
    """A name, empty where the options are to make it, and the swept options of each row."""
    for block in description.blocks or ({},):
        label = str(block[NAME][0]) if NAME in block else ""
        lists = {**description.sweep, **block}
        lists.pop(NAME, None)
        varied = [key for key, values in lists.items() if len(values) > 1]
        for values in itertools.product(*lists.values()):
            swept = dict(zip(lists, values, strict=True))
            said = ", ".join(f"{key}={swept[key]}" for key in varied)
            yield (f"{label}: {said}" if label and varied else label), swept


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
            plan = Plan.make(**others, **{name: shared[name] for name in accepted})
        except UnusedOption as fault:
            raise PlanError([str(fault)]) from None
    if plan.read.raw or plan.read.vectors:
        raise PlanError(
            [
                "an experiment keeps texts and no raw bytes or vectors: take another method, or "
                "let md5 take words or text"
            ]
        )
    return plan


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
            part, written = parse(option.part, text) if isinstance(text, str) else (text, ())
            mine = {name: value for name, value in shared.items() if home in PARTS[name]}
            accepted |= fitted(part, mine)[1] - set(written)
    return accepted
