"""The plan: made of options by name, checked, and written as manifest, TOML file or command line.

`changed` turns text into objects, puts shortcuts into parts and reports all faults together.
"""

from __future__ import annotations

import dataclasses
import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Protocol

from twinset.errors import MissingFileError, PlanError, UnusedOption, warn
from twinset.plan import shared
from twinset.plan.presets import clashes, preset_of
from twinset.plan.reading import ReadOptions
from twinset.plan.shared import HARMLESS, PARTS, CopyKind, Kinds, Match, Shortcuts
from twinset.plan.spec import (
    Option,
    as_text,
    as_value,
    bytes_in,
    decimal,
    default_of,
    faults_of,
    fitted,
    is_count,
    load,
    name_of,
    names,
    noun,
    option,
    options_of,
    parse,
    parts_in,
    spell,
    suggestion,
)
from twinset.system.bounded import PLAN_BYTES, read_regular
from twinset.system.schemes import masked

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

__all__ = [
    "Keep",
    "Method",
    "Plan",
    "changed",
    "options",
    "read_plan",
    "read_toml",
    "tomllib",
    "used_options",
]

CHANGED_BY_LEVEL = {"method": "md5:stop=none,letters=0", "html": "no"}
"""Units are equal by all their words, and have places in texts as they are stored."""
KEEP_OF_UNITS = ("first", "longest", "shortest", "field")
"""Keep policies that need to know no more than the units and the records that they stand in."""


GOAL = ("threshold", "measure", "recall")
"""The options that say which pairs are sought; ``uses`` of a method names those it goes by."""
Options = Mapping[str, Any]


class Method(Protocol):
    """A recipe from texts to pairs; `search` begins a run of it."""

    def search(self, goal: Any, resources: Any, known: Any = None) -> Any:
        """Begin a run."""
        ...


class Keep(Protocol):
    """A policy that decides which copy to keep."""

    @property
    def field(self) -> str | None:
        """The field of the input that it looks at, if any."""
        ...

    def rank(self, traits: Any) -> Any:
        """A number for each document, the best lowest; None for the order of reading."""
        ...

    def reason(self, traits: Any, kept: int, removed: int) -> Any:
        """What it holds against the removed one of two documents that it tells apart."""
        ...


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
        "How to find pairs: NAME or NAME:option=value,...; 'twinset list methods' shows them.",
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
    mask: tuple[str, ...] = shared.mask()
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
        "Which copy to keep: first, newest, oldest, longest, shortest, original-name, "
        "shortest-name, format:order=docx/pdf, folder:order=A/B, FIELD:max or FIELD:min; may be "
        "repeated: the first that tells two apart decides.",
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
        "Decide what documents of a pair are to each other; auto: for plain files.",
        group="Clusters",
    )
    kind: CopyKind = shared.kind()
    target: str | int | None = shared.target()
    match: Match = option(
        "all",
        "With --against: list all pairs, or pair every document at most once, with the largest sum "
        "of scores (one).",
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
    given: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)
    """The options that it was made of, as they were given to `make`."""

    def __post_init__(self) -> None:
        order = next(iter(self.fields_of_keep()), None)
        raw, drop = bool(getattr(self.method, "by_bytes", False)), self.drop_boilerplate
        vectors = getattr(self.method, "vectors", None)
        more: dict[str, Any] = {"order": order, "raw": raw, "vectors": vectors, "boilerplate": drop}
        read = dataclasses.replace(self.read, **more)
        if read != self.read:
            object.__setattr__(self, "read", read)
        if isinstance(self.target, int):  # as plan files and programs write a number of documents
            object.__setattr__(self, "target", str(self.target))

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
        beside = {"exact": exact or None, "plan": plan, "preset": preset}
        given = {n: each for n, each in (beside | options).items() if _is_given(each)}
        if isinstance(plan, Plan) and given.keys() == {"plan"}:
            given = dict(plan.given)
        if preset is not None:
            if faults := clashes(preset, given):
                raise PlanError(faults)
            named = changed(cls(), preset_of(preset).options)
            new = changed(dataclasses.replace(named, preset=preset), options)
            return dataclasses.replace(new, given=given)
        if plan is not None and not isinstance(plan, Plan):
            plan = read_plan(plan, options.get("within") or ())
        if plan is not None and (exact or options.get("method") is not None):
            plan = dataclasses.replace(plan, preset=None)
        return dataclasses.replace(changed(plan or cls(), options, exact), given=given)

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
        if self.mask:
            from twinset.plan.masks import mask_faults

            faults += mask_faults(self.mask, raw=self.read.raw)
        if self.read.vectors and (self.mask or self.drop_boilerplate is not None):
            faults.append("vectors decide, whatever text is left out: leave mask and others out")
        if self.target is not None:
            faults += _faults_of_target(self)
        if len(fields := self.fields_of_keep()) > 1:
            faults.append(f"keep looks at one field of the input, not at {' and '.join(fields)}")
        return faults + faults_of_level(self) if self.by_units else faults

    def as_dict(self) -> dict[str, Any]:
        """Plain values without secrets, for the manifest; `from_dict` makes the plan again."""
        values = {n: _plain(o, getattr(self, n), full=True) for n, o in options_of(Plan).items()}
        reading = options_of(ReadOptions).items()
        read = {n: _plain(o, getattr(self.read, n)) for n, o in reading}
        values["read"] = read | {"reference": [*map(masked, read["reference"])]}
        return values if self.preset is None else values | {"preset": self.preset}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Plan:
        """The plan of a manifest."""
        own, reading = options_of(Plan), values.get("read") or {}
        written: dict[str, Any] = {name: values[name] for name in own if name in values}
        plan = cls.make(
            **used_options(written),
            **{n: reading[n] for n in options_of(ReadOptions) if n in reading},
        )
        return dataclasses.replace(plan, preset=values.get("preset"), given={})

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

    def __repr__(self) -> str:
        return f"Plan({', '.join(f'{name}={value!r}' for name, value in self.changes().items())})"

    def as_toml(self) -> str:
        """The options that differ from the defaults, as a file that `make` reads."""
        return "".join(f"{name} = {_toml(value)}\n" for name, value in self.changes().items())

    def arguments(self) -> list[str]:
        """The options that differ from the defaults, as words of the command line."""
        known = options()
        return [word for name, value in self.changes().items() for word in known[name].words(value)]


NOT_IN_FILES = {
    "exact": 'is no option of a plan file: write method = "exact"',
    "plan": "is no option of a plan file: a plan names no other",
    "preset": "is no option of a plan file: write what 'twinset list presets NAME' prints",
    **dict.fromkeys(
        ("threads", "memory"), "decides no result and has no place in a plan: give it to the run"
    ),
}
"""What people write into plan files though it belongs elsewhere."""


@cache
def options() -> dict[str, Option]:
    """Every option that decides a result, by name: what forms, files and commands offer."""
    return options_of(Plan) | options_of(Shortcuts) | options_of(ReadOptions)


def read_toml(
    path: str | os.PathLike[str], kind: str, remedy: str, within: Sequence[str] = ()
) -> dict[str, Any]:
    """The values in a TOML file, which must lie in one of the folders ``within`` if any."""
    where = os.fspath(path)
    try:
        values: dict[str, Any] = tomllib.loads(read_regular(path, PLAN_BYTES, within).decode())
        return values
    except FileNotFoundError:
        raise PlanError([str(MissingFileError(path, bounded=bool(within)))]) from None
    except IsADirectoryError:
        raise PlanError([f"{where} is a folder: name a file of options in TOML"]) from None
    except OSError as error:
        raise PlanError([f"cannot read {kind} {where}: {error.strerror}"]) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise PlanError([f"{where} is not {kind} in TOML: {error}; {remedy}"]) from None


def read_plan(path: str | os.PathLike[str], within: Sequence[str] = ()) -> Plan:
    """The plan in a TOML file, which must lie in one of the folders ``within`` if any."""
    where = os.fspath(path)
    remedy = "a line is as threshold = 0.8; 'twinset tune IN -o plan.toml' writes one"
    values = read_toml(path, "a plan", remedy, within)
    faults = [f"{name} {NOT_IN_FILES[name]}" for name in values if name in NOT_IN_FILES]
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


def values_of_level(base: Plan, asked: bool) -> dict[str, Any]:
    """What options are unless they are given; ``asked`` says that a way to compare is."""
    usual = Plan()
    values: dict[str, Any] = {}
    if base.read.html == usual.read.html:
        values["html"] = CHANGED_BY_LEVEL["html"]
    if not asked and base.method == usual.method:
        values["method"] = parse("method", CHANGED_BY_LEVEL["method"])[0]
    return values


def faults_of_level(plan: Plan) -> list[str]:
    """What of a plan has no meaning for units of documents, as sentences."""
    level, faults = name_of("level", plan.level), []
    if spell("clusters", plan.clusters) != "anchored":
        faults.append(f"level {level} makes no clusters of documents: leave clusters out")
    if plan.drop_boilerplate is not None:
        faults.append(
            f"drop-boilerplate is for whole documents, and level {level} compares their units: "
            "leave one of them out"
        )
    if plan.kinds == "yes":
        faults.append(f"kinds are those of whole documents: leave kinds out with level {level}")
    if plan.target is not None:
        faults.append(f"target counts whole documents: leave it out with level {level}")
    if (method := name_of("method", plan.method)) in ("given", "vectors"):
        faults.append(f"the method {method} is for documents: give another one with level {level}")
    return faults + [
        f"keep {name} looks at files, and level {level} compares units of their texts: keep first, "
        "longest, shortest, FIELD:max or FIELD:min"
        for policy in plan.keep
        if (name := name_of("keep", policy)) not in KEEP_OF_UNITS
    ]


def amount_left(target: str | int) -> tuple[float, str]:
    """How much a target leaves at most, and of what: documents, a share of them, or bytes of text.

    Raises `ValueError` for anything else.
    """
    text, unit = str(target).strip(), "bytes"
    number = bytes_in(text) if text[-1:].isalpha() else 0.0
    if text.endswith("%"):
        number, unit = decimal(text[:-1]) / 100, "share"
    elif is_count(text):
        number, unit = int(text), "documents"
    if number <= 0 or (unit == "share" and number > 1):
        raise ValueError(text)
    return number, unit


def _faults_of_target(plan: Plan) -> list[str]:
    """Why no threshold can be sought for the target of a plan, as sentences."""
    faults, method = [], plan.method
    try:
        amount_left(plan.target or "")
    except ValueError:
        faults.append(
            "target must be a number of documents (50000), a share of them (40%) or an amount of "
            f"text (2GB), not '{plan.target}'"
        )
    if plan.verify is not None or "measure" not in getattr(method, "uses", GOAL):
        decides = "check" if plan.verify is not None else f"method {name_of('method', method)}"
        faults.append(
            f"target looks for a threshold of the measure, and the {decides} decides by itself: "
            "leave one of them out"
        )
    if counts(plan.measure):
        faults.append("target looks for a share as threshold: leave it out of a measure of counts")
    return faults


def _is_given(value: Any) -> bool:
    # An array is compared with a list one by one, and is given.
    return value is not None and not (isinstance(value, list | tuple) and not value)


def changed(plan: Plan, given: Options, exact: bool = False) -> Plan:
    """The plan with the given options; those that are None or empty are not given."""
    known = options()
    given = {name: value for name, value in given.items() if _is_given(value)}
    unknown = [name for name in given if name not in known]
    faults = [f"there is no option '{name}'; {suggestion(name, known)}" for name in unknown]
    values, written, wrong = _values(known, given)
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
    reading = {name: values[name] for name in options_of(ReadOptions) if name in values}
    own = {name: values[name] for name in options_of(Plan) if name in values}
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
    return new


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


def _no_use(option: Option, value: Any, plan: Plan) -> str:
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


def _put_exact(base: Plan, values: dict[str, Any]) -> list[str]:
    """Put the exact search in the place of the method, with the shingles that it had."""
    cls = load("method", "exact")
    if "method" in values and type(values["method"]) is not cls:
        said = name_of("method", values["method"])
        return [f"exact is a method of its own: give either exact or the method {said}"]
    shared = {n: getattr(base.method, n) for n in options_of(cls) if hasattr(base.method, n)}
    values.setdefault("method", cls(**shared))
    return []


def _with_shortcuts(
    base: Plan, values: Options, written: Mapping[str, set[str]]
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


def _faults(plan: Plan) -> list[str]:
    """What is wrong with a plan and its parts."""
    faults = [*faults_of(plan, inside=False), *plan.faults()]
    for known in options_of(Plan).values():
        is_part = known.part and not known.fault(getattr(plan, known.name))
        for part in parts_in(plan, known) if is_part else ():
            named = f"{noun(known.part)} {name_of(known.part, part)}"
            faults += [f"{named}: {fault}" for fault in faults_of(part)]
    return faults
