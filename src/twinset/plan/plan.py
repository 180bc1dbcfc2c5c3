"""The plan, and the ways in which it is written down: manifest, TOML file, command line."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cache
from typing import Any

from twinset.errors import MissingFileError, PlanError
from twinset.lazy_dataclass import dataclass
from twinset.plan import shared
from twinset.plan import toml as tomllib
from twinset.plan.levels import CHANGED_BY_LEVEL, faults_of_level
from twinset.plan.making import changed, counts, is_foreign, options_for, used_options
from twinset.plan.presets import clashes, preset_of
from twinset.plan.protocols import Keep, Method
from twinset.plan.reading import ReadOptions
from twinset.plan.shared import Kinds
from twinset.spec import (
    Option,
    faults_of,
    load,
    name_of,
    names,
    option,
    options_of,
    parse,
    spell,
    without_former_options,
)
from twinset.spec.numerals import spelt
from twinset.system.bounded import PLAN_BYTES, read_regular


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that decides a result: the same input and plan give the same result."""

    threshold: float = option(
        0.8,
        "Minimum similarity of a pair, inclusive: 0 to 1, or a count with --measure overlap.",
        group="Similarity",
        short="-t",
        above=0,
    )
    method: Method = option(
        None,
        "How to find pairs: NAME or NAME:option=value,... (see 'twinset methods').",
        usual="minhash",
        group="Similarity",
        metavar="SPEC",
        part="method",
    )
    recall: float = option(
        0.99,
        "Minimum probability of finding a pair whose similarity equals the threshold.",
        group="Similarity",
        above=0,
        below=1,
    )
    measure: Any = option(
        None,
        "How to measure similarity.",
        usual="jaccard",
        group="Similarity",
        metavar="NAME",
        part="measure",
    )
    verify: Any = option(
        None,
        "Check the method's pairs by NAME:THRESHOLD, for example edit:0.8 or jaccard:0.8; none: no "
        "check.",
        group="Similarity",
        metavar="SPEC",
        part="check",
    )
    statistics: str | None = option(
        None,
        "Word counts of another collection: the statistics.parquet of a report.",
        group="Similarity",
        metavar="FILE",
    )
    forms: Any = shared.forms()
    synonyms: str | None = shared.synonyms()
    level: Any = shared.level()
    drop_boilerplate: float | None = shared.drop_boilerplate()
    clusters: Any = option(
        None,
        "How to form clusters from pairs.",
        usual="anchored",
        group="Clusters",
        metavar="KIND",
        part="clusters",
    )
    keep: tuple[Keep, ...] = option(
        (),
        "Which copy to keep: newest, oldest, original-name, format:order=docx/pdf, "
        "folder:order=A/B, longest, shortest, shortest-name, first, FIELD:max or FIELD:min (a "
        "number or an ISO date). May be repeated: the first that tells two apart decides. Without "
        "it first, and in 'dedup' of plain files and with '--preset files' original-name, newest, "
        "format, longest.",
        group="Clusters",
        metavar="POLICY",
        part="keep",
    )
    never_remove: str | None = option(
        None,
        "Never remove documents whose id or source matches this pattern.",
        group="Clusters",
        metavar="PATTERN",
    )
    kinds: Kinds = option(
        "auto",
        "Decide what the documents of each pair are to each other: equal, another version, a part, "
        "or the same form with other facts, which is never removed; auto: for plain files.",
        group="Clusters",
    )
    max_pairs: int = option(
        10_000_000,
        "List all pairs if there are at most this many.",
        group="Output",
        metavar="N",
        least=0,
    )
    dense: int = option(
        1000,
        "In larger groups, compare documents with a few leaders and not with all others.",
        group="Expert",
        metavar="N",
        least=1,
    )
    read: ReadOptions = field(default_factory=ReadOptions)
    preset: str | None = field(default=None, compare=False)
    """The preset that the plan began with; what it sets stands in the options."""

    def __post_init__(self) -> None:
        order = next(iter(self.fields_of_keep()), None)
        raw, drop = bool(getattr(self.method, "by_bytes", False)), self.drop_boilerplate
        read = dataclasses.replace(self.read, order=order, raw=raw, boilerplate=drop)
        if read != self.read:
            object.__setattr__(self, "read", read)

    def fields_of_keep(self) -> list[str]:
        """The fields of the input that the keep policies look at."""
        policies = self.keep if isinstance(self.keep, tuple) else ()
        fields = (getattr(policy, "field", None) for policy in policies)
        return list(dict.fromkeys(field for field in fields if field is not None))

    @property
    def by_units(self) -> bool:
        """Whether units inside documents are compared, and not the documents themselves."""
        return bool(getattr(self.level, "splits", False))

    @classmethod
    def make(
        cls,
        *,
        exact: bool = False,
        plan: str | os.PathLike[str] | Plan | None = None,
        preset: str | None = None,
        **options: Any,
    ) -> Plan:
        """A checked plan from options by name, as text or as objects; None means not given.

        Options of reading and shortcuts into parts stand beside the others. ``plan`` is a plan or
        a TOML file of options that those given here replace; ``preset`` names options to begin
        with, a method among them, in place of either.
        """
        if preset is not None:
            if faults := clashes(preset, {"exact": exact, "plan": plan, **options}):
                raise PlanError(faults)
            named = changed(cls(), preset_of(preset).options)
            return changed(dataclasses.replace(named, preset=preset), options)
        if plan is not None and not isinstance(plan, Plan):
            file, plan = plan, read_plan(plan, options.get("within") or ())
            if faults := _dropped(file, plan, options.get("method")):
                raise PlanError(faults)
        if plan is not None and (exact or options.get("method") is not None):
            plan = dataclasses.replace(plan, preset=None)
        return changed(plan or cls(), options, exact)

    def faults(self) -> list[str]:
        """What is wrong with this plan beyond the bounds of its options, as sentences."""
        faults = faults_of(self.read)
        most = getattr(type(self.measure), "most", 1.0)
        if isinstance(self.threshold, int | float) and self.threshold > most:
            percent = f"; {self.threshold:g}% is {self.threshold / 100:g}"
            faults.append(
                f"threshold must be above 0 and at most 1, not {self.threshold:g}"
                f"{percent if 20 <= self.threshold <= 100 else ''}"
            )
        if len(fields := self.fields_of_keep()) > 1:
            faults.append(f"keep looks at one field of the input, not at {' and '.join(fields)}")
        return faults + faults_of_level(self) if self.by_units else faults

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for the manifest; `from_dict` makes the plan of them again."""
        values = {n: _plain(o, getattr(self, n), full=True) for n, o in options_of(Plan).items()}
        reading = options_of(ReadOptions).items()
        values |= {"read": {n: _plain(o, getattr(self.read, n)) for n, o in reading}}
        return values if self.preset is None else values | {"preset": self.preset}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Plan:
        """The plan of a manifest; what version 0.1 wrote beside the method stands in it, too."""
        own, reading = options_of(Plan), values.get("read") or {}
        written: dict[str, Any] = {name: values[name] for name in own if name in values}
        for name in ("method", "clusters"):
            if name in written:
                written[name] = without_former_options(str(written[name]))
        written = used_options(written)
        check: Any = parse("check", written["verify"])[0] if written.get("verify") else None
        if is_foreign(parse("measure", written.get("measure", "jaccard"))[0], check):
            # Earlier versions took the plan's share for a count of a check, and the reverse.
            written["verify"] = dataclasses.replace(check, threshold=written["threshold"])
        plan = cls.make(
            **written, **{n: reading[n] for n in options_of(ReadOptions) if n in reading}
        )
        return dataclasses.replace(plan, preset=values.get("preset"))

    def changes(self) -> dict[str, Any]:
        """The options that must be given to make this plan, by name and as plain values."""
        usual = Plan()
        return {
            name: _plain(known, getattr(mine, name))
            for mine, other in ((self, usual), (self.read, usual.read))
            for name, known in options_of(type(mine)).items()
            if getattr(mine, name) != getattr(other, name)
            or (name in CHANGED_BY_LEVEL and self.by_units)
            or (name == "threshold" and counts(self.measure))  # a count has no usual threshold
        }

    def as_toml(self, also: Mapping[str, Any] | None = None) -> str:
        """The options that differ from the defaults, as a file that `make` reads.

        ``also`` are options to write though they are defaults. A method with more to say than fits
        on a line has a table of its own, at the end.
        """
        values, as_table = self.changes() | dict(also or {}), getattr(self.method, "as_table", None)
        if as_table is None:
            return _lines(values)
        name = name_of("method", self.method)
        return _lines(values | {"method": name}) + f"\n[{name}]\n" + _table(as_table())

    def arguments(self) -> list[str]:
        """The options that differ from the defaults, as words of the command line."""
        words: list[str] = []
        for name, value in self.changes().items():
            for single in value if isinstance(value, list) else [value]:
                flag = f"--{name.replace('_', '-')}"
                if single is True:
                    words.append(flag)
                    continue
                text = spelt(single) if isinstance(single, float) else str(single)
                # A value that begins with a dash would be taken for an option.
                words += [f"{flag}={text}"] if text.startswith("-") else [flag, text]
        return words


NOT_IN_FILES = {
    "exact": 'is no option of a plan file: write method = "exact"',
    "plan": "is no option of a plan file: a plan names no other",
    "preset": "is no option of a plan file: write the options that 'twinset presets NAME' prints",
    **dict.fromkeys(
        ("threads", "memory"), "decides no result and has no place in a plan: give it to the run"
    ),
}
"""What people write into plan files though it belongs elsewhere."""


@cache
def options() -> dict[str, Option]:
    """Every option that decides a result, by name: what forms, files and commands offer."""
    return options_for(Plan, ReadOptions)


def read_plan(path: str | os.PathLike[str], within: Sequence[str] = ()) -> Plan:
    """The plan in a TOML file, which must lie in one of the folders ``within`` if any."""
    where = os.fspath(path)
    try:
        values: dict[str, Any] = tomllib.loads(read_regular(path, PLAN_BYTES, within).decode())
    except FileNotFoundError:
        raise PlanError([str(MissingFileError(path, bounded=bool(within)))]) from None
    except IsADirectoryError:
        raise PlanError([f"{where} is a folder: name a file of options in TOML"]) from None
    except OSError as error:
        raise PlanError([f"cannot read the plan {where}: {error.strerror}"]) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        remedy = "a line is as threshold = 0.8; 'twinset tune IN -o plan.toml' writes one"
        raise PlanError([f"{where} is not a plan in TOML: {error}; {remedy}"]) from None
    faults = [f"{name} {NOT_IN_FILES[name]}" for name in values if name in NOT_IN_FILES]
    try:
        values = _with_method_table(values)
    except PlanError as error:
        faults += error.faults
    faults += [
        f"[{name}] is a table, and a plan has none: write every option on a line of its own, "
        "as threshold = 0.8"
        for name, value in values.items()
        if isinstance(value, dict)
    ]
    # TOML has types of its own: a number in quotes is a mistake.
    faults += [
        fault
        for name, known in options().items()
        if name in values and (fault := _file_fault(known, values[name]))
    ]
    try:
        if not faults:
            return changed(Plan(), _without_usual(values))
    except PlanError as error:
        faults = error.faults
    raise PlanError([f"{where}: {fault}" for fault in faults])


def _without_usual(values: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a file, which may state the default of one that its method ignores."""
    used, known = used_options(values), options()
    return {
        name: value
        for name, value in values.items()
        if name in used or value not in (known[name].default, known[name].usual)
    }


def _dropped(file: str | os.PathLike[str], plan: Plan, method: Any) -> list[str]:
    """The options of the file's method that another method beside the file would drop silently."""
    if method is None or plan.method == (usual := type(plan.method)()):
        return []
    chosen = parse("method", method)[0] if isinstance(method, str) else method
    lost = [
        f"{name}={value}"
        for name in options_of(type(plan.method))
        if (value := getattr(plan.method, name)) != getattr(usual, name)
        and getattr(chosen, name, None) != value
    ]
    if not lost:
        return []
    return [
        f"the plan {os.fspath(file)} gives its method {', '.join(lost)}, which the method beside "
        "it would drop: take the method out of the file, or write its options with the new method"
    ]


def _with_method_table(values: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a file, its method made of the table of the same name if there is one."""
    name = values.get("method")
    table = values.get(name) if isinstance(name, str) else None
    if not isinstance(table, dict) or name not in names("method"):
        return dict(values)
    from_table = getattr(load("method", name), "from_table", None)
    if from_table is None:
        return dict(values)
    rest = {key: value for key, value in values.items() if key != name}
    return rest | {"method": spell("method", from_table(table))}


def _file_fault(known: Option, value: Any) -> str:
    if known.part:
        texts = value if known.many and isinstance(value, list) else [value]
        is_text = all(isinstance(text, str) for text in texts)
        also = ", or a list of such" if known.many else ""
        return "" if is_text else f"{known.name} must be a text in quotes{also}, not {value!r}"
    if known.many and not isinstance(value, list):
        return f"{known.name} must be a list in brackets, not {value!r}"
    return "" if known.size and isinstance(value, str) else known.fault(value)


def _lines(values: Mapping[str, Any]) -> str:
    return "".join(f"{name} = {_toml(value)}\n" for name, value in values.items())


def _table(values: Mapping[str, Any]) -> str:
    """The options of a table; each item of a list has a line of its own."""
    return "".join(
        f"{name} = [\n" + "".join(f"  {_toml(each)},\n" for each in value) + "]\n"
        if isinstance(value, list | tuple)
        else f"{name} = {_toml(value)}\n"
        for name, value in values.items()
    )


def _toml(value: Any) -> str:
    """JSON's numbers, strings and lists are TOML's too, but for escapes of surrogates and DEL."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _plain(known: Option, value: Any, full: bool = False) -> Any:
    if value is None:
        return None
    if not known.many:
        return spell(known.part, value, full=full) if known.part else value
    if not known.part:
        return list(value)
    texts = [spell(known.part, each, full=full) for each in value]
    return texts[0] if len(texts) == 1 else texts
