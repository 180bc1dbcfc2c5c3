"""An option is stated once: a dataclass field with its help, choices, bounds and group.

The command line, the page's forms, plan files, error messages and the tables of the docs are made
from `options_of`; nothing else lists options.
"""

from __future__ import annotations

import dataclasses
import math
import types
import typing
from functools import cache
from typing import Any, TypeVar

from twinset.errors import PlanError
from twinset.lazy_dataclass import dataclass
from twinset.spec.numerals import plain_value
from twinset.spec.table import noun

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
