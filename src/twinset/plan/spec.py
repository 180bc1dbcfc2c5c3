"""What an option is, and parts as text: names to objects and back.

A method, an image, a measure, a kind of clusters, a keep policy, a check of pairs, a reader and an
operation are *parts*: frozen dataclasses whose fields are their options, made by `option`. An
option is stated once, with its help, choices, bounds and group: the command line, the page's forms,
plan files, messages and the tables of the docs are made from `options_of`. Which parts there are
stands in ``table``.

A part is written as ``name:option=value,option=value``. A value with a comma, a bracket or a quote
stands in double quotes as in JSON; a part inside a part stands in brackets:
``minhash:shingle=3,image=[oph:size=64,seed=2]``. The first option may be given by its value alone
(``edit:0.8``). An option that the part does not have itself is looked for in the parts inside it:
``minhash:size=64``.

Numbers are taken as people and programs write them: ASCII digits, nothing that only looks like
some. ``str.isdigit`` is true of superscripts, which ``int`` then refuses; ``int`` takes underscores
and the digits of every script, and refuses thousands of digits with an error of its own.
"""

from __future__ import annotations

import dataclasses
import json
import math
import re
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, partial
from numbers import Integral, Rational, Real
from typing import Any, TypeVar

from twinset.errors import PlanError, did_you_mean
from twinset.plan.table import TABLE, load, name_of, names, noun, suggestion

__all__ = [
    "TABLE",
    "Option",
    "as_text",
    "as_value",
    "bytes_in",
    "checked",
    "checked_values",
    "compose",
    "counted",
    "decimal",
    "default_of",
    "faults_of",
    "fitted",
    "is_count",
    "load",
    "make",
    "name_in",
    "name_of",
    "names",
    "noun",
    "option",
    "options_of",
    "parse",
    "parts_in",
    "plain_value",
    "several",
    "spell",
    "spelt",
    "suggestion",
    "whole",
]

WHOLE = re.compile(r"[+-]?[0-9]{1,18}")
_SOME = "[0-9]{1,300}"
DECIMAL = re.compile(rf"[+-]?(?:{_SOME}(?:\.(?:{_SOME})?)?|\.{_SOME})(?:[eE][+-]?[0-9]{{1,3}})?")


def counted(count: int, noun: str) -> str:
    """A count with thousands separated and its noun in the right number: 1 row, 1,000 rows."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def plain_value(value: Any) -> Any:
    """A number or text of NumPy, say, as Python's own types have it; anything else as it is.

    A short float means the number that it is written as: 0.8 in 32 bits is a little more than 0.8.
    """
    if isinstance(value, str) and type(value) is not str:
        return str.__str__(value)
    if type(value) in (bool, int, float):
        return value
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return float(value) if isinstance(value, Rational) else float(str(value))
    is_truth = getattr(getattr(value, "dtype", None), "kind", "") == "b" and value.ndim == 0
    return bool(value) if is_truth else value


def spelt(number: float) -> str:
    """A number with all its digits, and without a point where it is whole."""
    is_whole = number.is_integer() and abs(number) < 1e15
    return repr(int(number)) if is_whole else repr(number)


def is_count(text: str) -> bool:
    """Whether a text is a whole number without a sign."""
    return text[:1] not in ("+", "-") and WHOLE.fullmatch(text) is not None


def whole(text: str) -> int:
    """A whole number; raises ValueError for anything else."""
    if not WHOLE.fullmatch(text.strip()):
        raise ValueError(f"'{text[:40]}' is not a whole number")
    return int(text)


def decimal(text: str) -> float:
    """A finite number; raises ValueError for anything else."""
    if not DECIMAL.fullmatch(text.strip()):
        raise ValueError(f"'{text[:40]}' is not a number")
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"'{text[:40]}' is too large a number")
    return value


P = TypeVar("P")

KEY = "twinset.option"
WORDS = {str: "text", int: "a whole number", float: "a number", bool: "yes or no"}


@dataclass(frozen=True, slots=True)
class Option:
    """What is known about an option beside its value.

    ``least`` and ``most`` are inclusive bounds, ``above`` and ``below`` exclusive ones. ``part``
    is the kind of part that the value is (an image, a measure), and ``usual`` the text of its
    default, which is made only when it is needed. ``many`` marks a tuple of values. ``percent``
    lets a number be written with a percent sign; ``first`` marks the option that a text may give by
    its value alone, in place of the class's first one. A ``size`` is a number of bytes that may be
    written as 2GB.
    """

    name: str
    help: str
    type: Any
    default: Any
    group: str = ""
    metavar: str = ""
    short: str = ""
    part: str = ""
    usual: str = ""
    least: float | None = None
    most: float | None = None
    above: float | None = None
    below: float | None = None
    percent: bool = False
    first: bool = False
    size: bool = False
    many: bool = False

    @property
    def choices(self) -> tuple[str, ...]:
        """The values of an option that has few."""
        if self.type is bool:
            return ("yes", "no")
        return typing.get_args(self.type) if typing.get_origin(self.type) is typing.Literal else ()

    @property
    def flag(self) -> str:
        """The option on the command line."""
        return "--" + self.name.replace("_", "-")

    def words(self, value: Any) -> list[str]:
        """The option with a value, or several, as words of the command line."""
        if isinstance(value, list | tuple):
            return [word for each in value for word in self.words(each)]
        if value is True:
            return [self.flag]
        text = spelt(value) if isinstance(value, float) else str(value)
        # A value that begins with a dash would be taken for an option.
        return [f"{self.flag}={text}"] if text.startswith("-") else [self.flag, text]

    @property
    def takes(self) -> str:
        """What may be written, in words."""
        if self.part:
            return f"the name of {noun(self.part, article=True)}, with options after a colon"
        return "|".join(self.choices) or WORDS.get(self.type, "text")

    def fault(self, value: Any) -> str:
        """What is wrong with a value, as a sentence; empty if nothing is."""
        written_name = self.name.replace("_", "-")
        if value is None:
            may_be_missing = self.default is None and not self.usual
            return "" if may_be_missing else f"{written_name} must have a value"
        values = value if self.many else (value,)
        faults = (self._fault(written_name, single) for single in values)
        return next((fault for fault in faults if fault), "")

    def _fault(self, written_name: str, value: Any) -> str:
        if self.part:
            wrong = _is_plain(value)
            part = noun(self.part, article=True)
            return f"{written_name} must be {part}, not {value!r}" if wrong else ""
        if self.choices and self.type is not bool:
            wrong = value not in self.choices
            return f"{written_name} must be {_either(self.choices)}, not '{value}'" if wrong else ""
        number = type(value) in (int, float)
        fits = number if self.type is float else type(value) is self.type
        if not fits or (number and math.isnan(value)):
            return f"{written_name} must be {WORDS.get(self.type, 'text')}, not {value!r}"
        return self._bounds(written_name, value) if number else ""

    def _bounds(self, written_name: str, value: float) -> str:
        """The bounds that the value breaks, in words."""
        low = (self.least is not None and value < self.least) or (
            self.above is not None and value <= self.above
        )
        high = (self.most is not None and value > self.most) or (
            self.below is not None and value >= self.below
        )
        return (
            f"{written_name} must be {self.range}, not {self.shown(value)}" if low or high else ""
        )

    @property
    def range(self) -> str:
        """The bounds in words, to follow "must be"."""
        if self.least is not None and self.most is not None:
            return f"between {self.shown(self.least)} and {self.shown(self.most)}"
        words = (("above", self.above), ("at least", self.least))
        more = (("below", self.below), ("at most", self.most))
        return " and ".join(
            f"{word} {self.shown(bound)}" for word, bound in words + more if bound is not None
        )

    def shown(self, value: Any) -> str:
        """A value as a reader expects it: a number of bytes with its unit."""
        if self.size:
            powers = [(power, sign) for power, sign in ((30, "GB"), (20, "MB"), (10, "KB"))]
            unit = next((u for u in powers if value >> u[0] << u[0] == value and value), (0, ""))
            return f"{int(value) >> unit[0]}{unit[1]}"
        return str(value)


def option(default: Any, help: str, **facts: Any) -> Any:
    """A field of a dataclass that is an option; the facts are those of `Option`.

    Where its value is a part, ``usual`` is the text of the default, and ``default`` is not used.
    """
    metadata = {KEY: {"help": help, **facts}}
    if facts.get("usual"):
        factory = partial(make, facts["part"], facts["usual"])
        return dataclasses.field(default_factory=factory, metadata=metadata)
    return dataclasses.field(default=default, metadata=metadata)


def options_of(cls: type[Any]) -> dict[str, Option]:
    """The options of a class in order, by name."""
    key: Any = cls
    return _options_of(key)


@cache
def _options_of(cls: Any) -> dict[str, Option]:
    hints = typing.get_type_hints(cls)
    return {
        field.name: _option(field, hints[field.name])
        for field in dataclasses.fields(cls)
        if KEY in field.metadata
    }


def _option(field: dataclasses.Field[Any], hint: Any) -> Option:
    default = None if field.default is dataclasses.MISSING else field.default
    facts = dict(field.metadata[KEY])
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        hint = next(kind for kind in typing.get_args(hint) if kind is not type(None))
    if typing.get_origin(hint) is tuple:
        hint, facts["many"] = typing.get_args(hint)[0], True
    return Option(field.name, facts.pop("help"), hint, default, **facts)


def faults_of(part: Any, *, inside: bool = True) -> list[str]:
    """What is wrong with the options of a part, all of it, as sentences.

    Parts ``inside`` it are looked at, too.
    """
    known = options_of(type(part))
    faults = [fault for name, o in known.items() if (fault := o.fault(getattr(part, name)))]
    inner = (each for o in known.values() if o.part and inside for each in parts_in(part, o))
    faults += [fault for each in inner for fault in faults_of(each)]
    # What a class checks by itself may rely on the types and bounds that its fields state.
    own = getattr(part, "faults", None)
    return faults or (own() if own else [])


def checked_values(part: P) -> P:
    """The part with values of Python's own types; `PlanError` names all that do not fit."""
    values = {name: getattr(part, name) for name in options_of(type(part))}
    plain = {name: plain_value(value) for name, value in values.items()}
    changes = {name: value for name, value in plain.items() if value is not values[name]}
    part = dataclasses.replace(part, **changes) if changes else part  # type: ignore[type-var]
    if faults := faults_of(part):
        raise PlanError(faults)
    return part


def parts_in(part: Any, option: Option) -> tuple[Any, ...]:
    """The parts that an option of a part holds: none, one or several."""
    value = getattr(part, option.name)
    return tuple(value) if option.many else () if value is None else (value,)


def _either(choices: tuple[str, ...]) -> str:
    return " or ".join(filter(None, [", ".join(choices[:-1]), choices[-1]]))


def _is_plain(value: Any) -> bool:
    return isinstance(value, str | int | float | list | tuple | dict)


SPECIAL = '",[]'
_BRACKETED = re.compile(r"[^\s\",\[\]]+\[[^\",\[\]]*\]")  # local[2] is one value as it stands
SPECIAL_FORMS = ("keep",)  # kinds with a class that reads a form of its own: date:max


def make(kind: str, text: str) -> Any:
    """The part that a text describes, checked; all faults are reported together."""
    return checked(kind, parse(kind, text)[0])


def parse(kind: str, text: str) -> tuple[Any, dict[str, Any]]:
    """The part that a text describes, and the options that the text gives, not yet checked."""
    name, colon, rest = text.strip().partition(":")
    cls, special = _class_of(kind, name, rest if colon else None)
    if special is not None:
        return special, {field: getattr(special, field) for field in options_of(cls)}
    written: dict[str, str] = {}
    repeated: list[str] = []
    for number, item in enumerate(_items(rest)):
        key, equals, value = item.partition("=")
        if not equals and number == 0 and options_of(cls):
            key, value = _first(cls), item
        key = key.strip().replace("-", "_")
        if key in written:
            repeated.append(f"{noun(kind)} '{name}': {key} is given twice; leave one out")
        written[key] = value.strip()
    given, faults = _given(kind, name, cls, written)
    if faults := list(dict.fromkeys(repeated)) + faults:
        raise PlanError(faults)
    return _built(cls, given), given


def compose(name: str, values: Mapping[str, str], parts: Mapping[str, str] | None = None) -> str:
    """The text of a part: its name, its options as people write them, and the texts of its parts.

    ``compose("minhash", {"shingle": "3"}, {"image": "oph:size=64"})`` is
    ``minhash:shingle=3,image=[oph:size=64]``. Whatever a value holds, it stays one value.
    """
    items = [f"{option}={_enclosed(text)}" for option, text in values.items()]
    items += [f"{option}=[{text}]" for option, text in (parts or {}).items()]
    return ":".join(filter(None, (name, ",".join(items))))


def name_in(text: str) -> str:
    """The name of the part that a text describes."""
    return text.strip().partition(":")[0]


def several(text: str) -> list[str]:
    """Texts of parts separated by commas: ``tf,minhash:shingle=3,offset=2,md5`` are three."""
    texts: list[str] = []
    for item in _items(text):
        is_option = "=" in item and ":" not in item.partition("=")[0] and texts
        if is_option and ":" in texts[-1]:
            texts[-1] += f",{item}"
        else:
            texts.append(item.strip())
    return texts


def checked(kind: str, part: Any) -> Any:
    """The part itself, if nothing is wrong with its options."""
    if faults := faults_of(part):
        raise PlanError([f"{noun(kind)} {name_of(kind, part)}: {fault}" for fault in faults])
    return part


def fitted(
    part: Any, values: Mapping[str, Any], taken: set[str] | frozenset[str] = frozenset()
) -> tuple[Any, set[str]]:
    """The part with these values where it has such options, and the names that it has.

    Parts inside take them, too. Options in ``taken`` stay as they are.
    """
    own = options_of(type(part))
    used = set(values) & set(own)
    changes = {name: values[name] for name in used - taken}
    for name, inner in own.items():
        if inner.part and name not in changes and getattr(part, name) is not None:
            changed, also = fitted(getattr(part, name), values, taken)
            used |= also
            if changed != getattr(part, name):
                changes[name] = changed
    return (dataclasses.replace(part, **changes) if changes else part), used


def spell(kind: str, part: Any, *, full: bool = False) -> str:
    """The text that describes a part: the options that differ from the defaults, or all of them."""
    special = getattr(part, "as_text", None)
    if special is not None and special():
        return str(special())
    items = [
        f"{name}={_written(option, getattr(part, name), full)}"
        for name, option in options_of(type(part)).items()
        if full or getattr(part, name) != default_of(option)
    ]
    return ":".join(filter(None, (name_of(kind, part), ",".join(items))))


def bytes_in(text: str) -> int:
    """``2GB``, ``500MB``, ``1.5g`` or a plain number of bytes."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)i?b?\s*", text.lower())
    if not match:
        raise ValueError(f"'{text}' is not an amount of memory: write 500MB or 2GB")
    power = " kmgt".index(match[2]) if match[2] else 0
    return int(float(match[1]) * 1024**power)


def default_of(option: Option) -> Any:
    """The value that an option has when it is not given."""
    return make(option.part, option.usual) if option.usual else option.default


def as_value(option: Option, value: Any) -> Any:
    """A value of an option from a form, a plan file or the command line; faults as `ValueError`.

    What has the right type already is taken as it is, also a part that was made before.
    """
    if option.many:
        values = value if isinstance(value, list | tuple) else [value]
        single = dataclasses.replace(option, many=False)
        return tuple(as_value(single, each) for each in values)
    if option.part and isinstance(value, str):
        return make(option.part, value)
    value = plain_value(value)
    return _converted(option, value) if isinstance(value, str) else value


def _class_of(kind: str, name: str, rest: str | None) -> tuple[type[Any], Any]:
    """The class of a name; and the part, where a class of this kind reads a form of its own."""
    for known in names(kind) if rest is not None and kind in SPECIAL_FORMS else ():
        read = getattr(load(kind, known), "from_text", None)
        part = read(f"{name}:{rest}") if read is not None else None
        if part is not None:
            return type(part), part
    if kind == "keep" and name not in TABLE[kind] and name not in names(kind):
        raise PlanError([_no_policy(name)])
    return load(kind, name), None


def _no_policy(name: str) -> str:
    """What to write in place of a keep policy that there is none of."""
    known = [policy for policy in names("keep") if policy != "field"]
    meant = did_you_mean(name, known)
    by_field = "" if meant else f"; by a field of the input: {name}:max or {name}:min"
    return f"there is no keep policy '{name}'; {meant}known: {', '.join(known)}{by_field}"


def _items(text: str) -> list[str]:
    """The text cut at its commas, but for those in quotes and brackets."""
    items, depth, quoted, start, escaped = [], 0, False, 0, False
    for place, sign in enumerate(text):
        if quoted:
            quoted = escaped or sign != '"'
            escaped = sign == "\\" and not escaped
        elif sign == '"':
            quoted = True
        elif sign in "[]":
            depth += 1 if sign == "[" else -1
        elif sign == "," and depth <= 0:
            items.append(text[start:place])
            start = place + 1
    items.append(text[start:])
    return [item for item in items if item.strip()]


def _given(
    kind: str,
    name: str,
    cls: type[Any],
    written: Mapping[str, str],
) -> tuple[dict[str, Any], list[str]]:
    """The values of the options of a class and of the parts inside it, and what is wrong."""
    own, given = options_of(cls), dict[str, Any]()
    faults: list[str] = []
    for key, text in written.items():
        option = own.get(key) or _inner(own, key)
        if option is None:
            known = suggestion(key, own) if own else "it takes none"
            faults.append(f"{noun(kind)} '{name}' has no option '{key}'; {known}")
            continue
        try:
            given[key] = _value(option, text)
        except ValueError as fault:
            faults.append(f"{noun(kind)} '{name}', option '{key}': {fault}")
        except PlanError as fault:
            faults += fault.faults
    return given, faults


def _inner(known: Mapping[str, Option], key: str) -> Option | None:
    """An option of the parts inside a part."""
    for option in known.values():
        inside = options_of(type(default_of(option))) if option.usual else {}
        if key in inside:
            return inside[key]
    return None


def _first(cls: type[Any]) -> str:
    """The option that may be given by its value alone."""
    own = options_of(cls)
    return next((name for name, option in own.items() if option.first), next(iter(own)))


def _built(cls: type[Any], given: Mapping[str, Any]) -> Any:
    own = {key: value for key, value in given.items() if key in options_of(cls)}
    rest = {key: value for key, value in given.items() if key not in own}
    part = cls(**own)
    if not rest:
        return part
    part, used = fitted(part, rest)
    if missing := sorted(set(rest) - used):
        raise PlanError([f"no part of '{cls.__name__}' has an option '{key}'" for key in missing])
    return part


def _value(option: Option, written: str) -> Any:
    """The value of an option as it stands in a text, in quotes, in brackets or bare."""
    if written.startswith('"'):
        try:
            text = str(json.loads(written))
        except ValueError:
            raise ValueError(f"{written} is not a text in double quotes") from None
        # In quotes the word none is a text, and not a missing value.
        return text if option.type is str else as_value(option, text)
    if written.startswith("[") and written.endswith("]"):
        written = written[1:-1]
    if _may_be_missing(option) and written.lower() in ("", "none"):
        is_name = option.part and written in names(option.part)
        if not is_name:
            return None
    return as_value(option, written)


def _written(option: Option, value: Any, full: bool) -> str:
    """A value as it stands in a text."""
    if value is None:
        return "none"
    if option.part:
        inner = spell(option.part, value, full=full)
        return f"[{inner}]" if any(sign in inner for sign in SPECIAL) else inner
    text = as_text(option, value)
    reads_as_missing = _may_be_missing(option) and text.lower() in ("", "none")
    return json.dumps(text) if reads_as_missing else _enclosed(text)


def as_text(option: Option, value: Any) -> str:
    """A value as a person writes it; nothing for a missing one. `as_value` reads it again."""
    if value is None:
        return ""
    if option.many:
        single = dataclasses.replace(option, many=False)
        return ", ".join(as_text(single, each) for each in value)
    if option.part:
        return spell(option.part, value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return spelt(value)
    return option.shown(value)


def _enclosed(text: str) -> str:
    """A text in double quotes where it would not be read as one value without them."""
    plain = text == text.strip() and not any(sign in text for sign in SPECIAL)
    return text if plain or _BRACKETED.fullmatch(text) else json.dumps(text)


def _may_be_missing(option: Option) -> bool:
    return option.default is None and not option.usual


def _converted(option: Option, text: str) -> Any:
    """A text as a value of the option's type."""
    if option.type is bool:
        if text.lower() not in ("yes", "no", "true", "false", "1", "0"):
            raise ValueError(f"'{text}' is neither yes nor no")
        return text.lower() in ("yes", "true", "1")
    if option.choices and text not in option.choices:
        meant = did_you_mean(text, option.choices)
        raise ValueError(
            f"'{text}' is not one of {', '.join(option.choices)}; {meant}".rstrip("; ")
        )
    if option.type not in (int, float):
        return text
    if option.size:
        return bytes_in(text)
    number = text.removesuffix("%").strip() if option.percent else text
    return whole(number) if option.type is int else decimal(number)
