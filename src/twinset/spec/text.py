"""Parts as text: ``name:option=value,option=value``, read and written here and nowhere else.

A value with a comma, a bracket or a quote stands in double quotes as in JSON; a part inside a part
stands in brackets: ``minhash:shingle=3,image=[oph:size=64,seed=2]``. The first option may be given
by its value alone (``edit:0.8``). An option that the part does not have itself is looked for in the
parts inside it: ``minhash:size=64``.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from twinset.errors import PlanError, did_you_mean
from twinset.spec.numerals import decimal, plain_value, spelt, whole
from twinset.spec.option import Option, faults_of, options_of
from twinset.spec.table import FORMER, TABLE, load, name_of, names, noun, suggestion

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
    given, faults = _given(kind, name, cls, written, _value)
    if faults := list(dict.fromkeys(repeated)) + faults:
        raise PlanError(faults)
    return _built(cls, given), given


def without_former_options(text: str) -> str:
    """The text of a part as a manifest holds it, less the options that parts have lost."""
    for name, lost in FORMER.items():
        option = rf"(?:{'|'.join(lost)})=[^],]*"
        text = re.sub(rf"\b{name}:{option}(?:,{option})*", name, text)
    return text


def from_values(kind: str, name: str, values: Mapping[str, Any]) -> Any:
    """The part of a name with options by name, as text or as values of their types, checked."""
    cls = load(kind, name)
    given, faults = _given(kind, name, cls, values, as_value)
    if faults:
        raise PlanError(faults)
    return checked(kind, _built(cls, given))


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
    values: Mapping[str, Any],
    read: Callable[[Option, Any], Any],
) -> tuple[dict[str, Any], list[str]]:
    """The values of the options of a class and of the parts inside it, and what is wrong."""
    own, given = options_of(cls), dict[str, Any]()
    faults: list[str] = []
    for key, value in values.items():
        option = own.get(key) or _inner(own, key)
        if option is None:
            known = suggestion(key, own) if own else "it takes none"
            faults.append(f"{noun(kind)} '{name}' has no option '{key}'; {known}")
            continue
        try:
            given[key] = read(option, value)
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
