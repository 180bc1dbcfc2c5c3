"""Options of a plan as fields of a form, and a filled form as options of a plan.

What is drawn comes from the options themselves (`twinset.plan.spec`), so that a new option needs
nothing here but its translation. A field has the name of its option. The field of an
option of a part begins with the part, as in ``method.minhash.shingle``, so that what was filled in
for one part is never read as an option of another.

Of a filled form, values become the texts that the command line takes, so that they are checked in
one place; an empty field means the default.
"""

from __future__ import annotations

import os
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from twinset.errors import PlanError
from twinset.pages.language import say, sentences
from twinset.plan import options as plan_options
from twinset.plan import spec
from twinset.plan.catalogue import described, paper_name, without_marks
from twinset.plan.spec import Option

CONTROLS: dict[str, dict[str, Any]] = {
    "threshold": {"control": "range", "slides": ("0.05", "1", "0.01")},
    "recall": {"control": "range", "slides": ("0.8", "0.999", "0.001")},
    "clusters": {"control": "radio"},
}
"""Fields of a plan that need another control than their type suggests."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A value that a field offers."""

    value: str
    label: str
    help: str = ""


@dataclass(frozen=True, slots=True)
class FormField:
    """An option as a form shows it.

    ``inner`` are the options of the part that is chosen, ``slides`` the least value, the most and
    the step of a slider.
    """

    name: str
    option: str
    control: str
    label: str
    help: str
    value: str
    default: str
    group: str = ""
    slides: tuple[str, str, str] = ("", "", "")
    fault: str = ""
    choices: tuple[Choice, ...] = ()
    inner: tuple[FormField, ...] = ()

    @property
    def id(self) -> str:
        """The name as an identifier of HTML."""
        return self.name.replace(".", "-").replace("_", "-")

    @property
    def is_changed(self) -> bool:
        """Whether it, or an option inside, differs from the default or has a fault."""
        changed = self.value != self.default or bool(self.fault)
        return changed or any(each.is_changed for each in self.inner)


@dataclass(frozen=True, slots=True)
class Form:
    """Fields in two parts: those that most people need, and all others in groups."""

    first: list[FormField]
    groups: dict[str, list[FormField]]
    is_open: bool = False


@dataclass(frozen=True, slots=True)
class Drawing:
    """Draws options in a language, with the ``values`` of fields by name."""

    language: str
    values: Mapping[str, str]
    fixed: Mapping[str, str] = field(default_factory=dict)

    def form(self, options: Mapping[str, Option], first: Sequence[str]) -> Form:
        """All fields; ``first`` names the options to show at once, of a plan or of its parts.

        An option of the parts of one option only is named after that, as ``level.size``. The others
        are shown where one of them was changed.
        """
        shown: dict[int, FormField] = {}
        groups: dict[str, list[FormField]] = {}
        for option in options.values():
            drawn = self.field(option, option.name, spec.default_of(option))
            if option.name not in first:
                groups.setdefault(self._group(option.group), []).append(drawn)
                continue
            ranks = [_rank(drawn, each, options, first) for each in drawn.inner]
            shown[first.index(option.name)] = replace(drawn, inner=())
            shown |= {r: each for r, each in zip(ranks, drawn.inner, strict=True) if r is not None}
            rest = [each for r, each in zip(ranks, drawn.inner, strict=True) if r is None]
            if rest:
                groups[say(self.language, "wizard.options_of", name=drawn.value)] = rest
        is_open = any(each.is_changed for fields in groups.values() for each in fields)
        return Form([shown[rank] for rank in sorted(shown)], groups, is_open)

    def field(self, option: Option, name: str, default: Any, part: str = "") -> FormField:
        """One option; ``part`` is "kind.name" of the part that has it."""
        if option.part and not option.many:
            return self._part(option, name, default, part)
        usual = spec.as_text(option, default)
        value = self.values.get(name, usual)
        drawn = FormField(
            name,
            option.name,
            _control(option),
            label_of(self.language, option.name, part),
            help_of(self.language, option, part),
            self.fixed.get(name, value),
            usual,
            option.group,
            fault=fault_of(option, value),
            choices=tuple(self._choice(option, each) for each in _values(option)),
        )
        if name in self.fixed:
            return replace(drawn, control="fixed", default=drawn.value)
        return self._with_own_control(drawn)

    def _part(self, option: Option, name: str, default: Any, part: str) -> FormField:
        kind = option.part
        usual = "" if default is None else spec.name_of(kind, default)
        value = self.values.get(name, usual)
        inner: tuple[FormField, ...] = ()
        fault = ""
        try:
            known = spec.options_of(spec.load(kind, value)) if value else {}
            # The default of a plan may set options of its part otherwise than the part does.
            own = {n: getattr(default, n) for n in known} if value == usual and value else {}
            inner = tuple(
                self.field(
                    each,
                    f"{name}.{value}.{each.name}",
                    own[each.name] if own else spec.default_of(each),
                    f"{kind}.{value}",
                )
                for each in known.values()
            )
        except (ImportError, PlanError) as error:
            fault = str(error)
        about = parts_of(self.language, kind)
        labels = labels_of(self.language, kind)
        none = [] if usual else [self._unset(option)]
        # A part that does what happens without one is not offered beside that.
        is_same = {each.label for each in none}
        choices = [Choice(n, labels[n], about[n]) for n in about if labels[n] not in is_same]
        drawn = FormField(
            name,
            option.name,
            "part",
            label_of(self.language, option.name, part),
            about.get(value) or help_of(self.language, option, part),
            value,
            usual,
            option.group,
            fault=fault,
            choices=(*none, *choices),
            inner=inner,
        )
        return self._with_own_control(drawn)

    def _with_own_control(self, drawn: FormField) -> FormField:
        control = CONTROLS.get(drawn.name)
        is_count = drawn.name == "threshold" and not self._threshold_is_a_share()
        # A slider could not show a value that is out of bounds.
        if control is None or is_count or (control["control"] == "range" and drawn.fault):
            return drawn
        return replace(drawn, **control)

    def _threshold_is_a_share(self) -> bool:
        try:
            measure = spec.load("measure", self.values.get("measure", "jaccard"))
        except PlanError:
            return True
        return bool(getattr(measure, "most", 1.0) == 1)

    def _choice(self, option: Option, value: str) -> Choice:
        if not value:
            return self._unset(option)
        names = [f"choice.{option.name}.{value}", f"choice.{value}"]
        return Choice(value, _first(self.language, names) or value)

    def _unset(self, option: Option) -> Choice:
        names = [f"choice.{option.name}.unset", "wizard.no_choice"]
        return Choice("", _first(self.language, names))

    def _group(self, name: str) -> str:
        return sentences(self.language).get(f"group.{name.lower() or 'other'}", name)


def translated(language: str, table: str, option: str, part: str = "") -> str:
    """The sentence about an option of a part ("kind.name") or, without one, of a plan.

    The most exact one counts: of this part, of this kind of parts, of this name wherever it is.
    """
    kind = part.partition(".")[0]
    exact = [f"{table}.{each}.{option}" for each in (part, kind) if each]
    return _first(language, [*exact, f"{table}.{option}"])


def label_of(language: str, option: str, part: str = "") -> str:
    """What an option is called: in English by its name, if there is nothing better."""
    plain = option.replace("_", " ").capitalize()
    return translated(language, "label", option, part) or plain


def help_of(language: str, option: Option, part: str = "") -> str:
    """What an option means: in English its own help, if there is nothing better."""
    return translated(language, "help", option.name, part) or option.help


def parts_of(language: str, kind: str) -> dict[str, str]:
    """Name -> sentence about it, in the reader's language where we have one."""
    known = sentences(language)
    return {
        name: known.get(f"about_{kind}.{name}", without_marks(entry["is"]))
        for name, entry in described()[kind].items()
    }


def labels_of(language: str, kind: str) -> dict[str, str]:
    """Name -> what it is called where it is chosen: "A4 · longsent (Long Sent)" for a method that
    a paper numbers."""
    known = sentences(language)
    labels = {}
    for name, entry in described()[kind].items():
        named = known.get(f"named_{kind}.{name}", paper_name(name, entry))
        plain = f"{name} ({named})" if named else name
        numbered = " · ".join([*entry["also"], plain])
        labels[name] = known.get(f"choice.{kind}.{name}", numbered)
    return labels


def _rank(
    outer: FormField, inner: FormField, options: Container[str], first: Sequence[str]
) -> int | None:
    """The place of an option of a part among those that are shown at once, None of any other.

    A name that an option of the plan has, too, is meant for that.
    """
    names = [f"{outer.option}.{inner.option}"]
    names += [inner.option] if inner.option not in options else []
    return next((rank for rank, name in enumerate(first) if name in names), None)


def _first(language: str, names: Sequence[str]) -> str:
    known = sentences(language)
    return next((known[name] for name in names if name in known), "")


def _control(option: Option) -> str:
    if option.many:
        return "lines"
    if option.choices:
        return "select"
    is_number = option.type in (int, float) and not option.size and not option.percent
    return "number" if is_number else "text"


def _values(option: Option) -> tuple[str, ...]:
    missing = ("",) if option.choices and option.default is None else ()
    return (*missing, *option.choices)


def fault_of(option: Option, text: str) -> str:
    """What is wrong with the text of a field, in the words of the command line."""
    if not text.strip():
        return ""
    try:
        value = spec.as_value(option, text.splitlines() if option.many else text.strip())
    except (ValueError, PlanError) as fault:
        return f"{option.name.replace('_', '-')}: {fault}"
    return option.fault(value)


SUGGESTED = {"clusters.closed.share": "0.85"}
"""What a form fills in for options that are required and have no default."""
DECIDED_BY_PAGE = ("within",)
"""Options that a visitor cannot change: the page itself keeps to its folders."""


def values_of(options: Mapping[str, Any]) -> dict[str, str]:
    """The fields that show the options of a plan, by name."""
    values: dict[str, str] = {}
    for name, value in options.items():
        option = plan_options()[name]
        if option.part and not option.many:
            part = spec.parse(option.part, value)[0] if isinstance(value, str) else value
            values |= _values_of_part(name, option.part, part)
        else:
            values[name] = _lines(option, value)
    return values


def filled_in(form: Mapping[str, str], options: Mapping[str, Any]) -> dict[str, str]:
    """The fields of a form over those of the options, with what is suggested for a new part."""
    values = values_of(options) | dict(form)
    for name, value in SUGGESTED.items():
        part = name.rpartition(".")[0]
        if not any(each.startswith(f"{part}.") for each in values):
            values[name] = value
    return values


def read_form(form: Mapping[str, str], options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a plan as they are after a form, as texts that are not checked yet."""
    ensure_printable(form)
    roots = dict.fromkeys(name.partition(".")[0] for name in form)
    known = plan_options()
    # Plan.make has parameters beside the options, which a visitor must not reach: a file to read.
    faults = [
        f"there is no option '{name}'; {spec.suggestion(name, known)}"
        for name in roots
        if name not in known
    ]
    if faults:
        raise PlanError(faults)
    values = filled_in(form, options)
    changed = dict(options)
    for name in roots:
        if name in DECIDED_BY_PAGE:
            continue
        option = known[name]
        is_part = option.part and not option.many
        text = _composed(option, name, values) if is_part else values.get(name, "").strip()
        changed[name] = text.splitlines() if option.many else text
        if not text:
            del changed[name]
    return changed


def ensure_printable(form: Mapping[str, str]) -> None:
    """Raise with the fields that hold a character that cannot be written."""
    faults = [
        f"{name}: {text!r:.60} holds a character that cannot be written; leave it out"
        for name, text in form.items()
        if not text.replace("\r\n", "").isprintable()
    ]
    if faults:
        raise PlanError(faults)


def files_named(options: Mapping[str, Any]) -> list[str]:
    """The files that options name, or texts that could be names of files: a server opens them."""
    names: list[str] = []
    for name, value in options.items():
        option = plan_options().get(name)
        if option is None or option.part == "keep":
            continue
        if option.part and isinstance(value, str):
            names += _texts_of(spec.parse(option.part, value)[0])
        elif option.metavar == "FILE":
            names.append(str(value))
    return [name for name in names if os.sep in name or os.path.exists(name)]


def _texts_of(part: Any) -> list[str]:
    texts: list[str] = []
    if not getattr(type(part), "names_files", True):
        return texts
    for name, option in spec.options_of(type(part)).items():
        value = getattr(part, name)
        if option.part and value is not None:
            texts += _texts_of(value)
        elif isinstance(value, str) and not option.choices:
            texts.append(value)
    return texts


def _composed(option: Option, path: str, values: Mapping[str, str]) -> str:
    """The text of the part that the fields below ``path`` describe."""
    name = values.get(path, option.usual.partition(":")[0]).strip()
    if not name:
        return ""
    known = spec.options_of(spec.load(option.part, name))
    plain: dict[str, str] = {}
    parts: dict[str, str] = {}
    below = f"{path}.{name}."
    for field_name, value in values.items():
        key, _, _ = field_name.removeprefix(below).partition(".")
        if not field_name.startswith(below) or key in parts:
            continue
        if key in known and known[key].part:
            if text := _composed(known[key], below + key, values):
                parts[key] = text
        elif value.strip():
            plain[key] = value.strip()
    return spec.compose(name, plain, parts)


def _values_of_part(path: str, kind: str, part: Any) -> dict[str, str]:
    name = spec.name_of(kind, part)
    values = {path: name}
    for option in spec.options_of(type(part)).values():
        value, below = getattr(part, option.name), f"{path}.{name}.{option.name}"
        if option.part and value is not None:
            values |= _values_of_part(below, option.part, value)
        elif not option.part:
            values[below] = spec.as_text(option, value)
    return values


def _lines(option: Option, value: Any) -> str:
    if not option.many:
        return spec.as_text(option, spec.as_value(option, value))
    values = spec.as_value(option, value)
    single = replace(option, many=False)
    return "\n".join(spec.as_text(single, each) for each in values)
