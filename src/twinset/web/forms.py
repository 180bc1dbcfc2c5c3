"""Options of a plan as fields of a form; ``filled`` reads them again.

What is drawn comes from the options themselves (`twinset.spec`), so that a new option needs nothing
here but its translation. A field has the name of its option. The field of an
option of a part begins with the part, as in ``method.minhash.shingle``, so that what was filled in
for one part is never read as an option of another.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from twinset import spec
from twinset.errors import PlanError
from twinset.pages.language import sentences
from twinset.spec import Option
from twinset.spec.catalogue import described, paper_name, without_marks

CONTROLS: dict[str, dict[str, Any]] = {
    "threshold": {"control": "range", "least": "0.05", "most": "1", "step": "0.01"},
    "recall": {"control": "range", "least": "0.8", "most": "0.999", "step": "0.001"},
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
    """An option as a form shows it; ``inner`` are the options of the part that is chosen,
    ``offers`` values that a text may have."""

    name: str
    option: str
    control: str
    label: str
    help: str
    value: str
    default: str
    group: str = ""
    least: str = ""
    most: str = ""
    step: str = ""
    fault: str = ""
    choices: tuple[Choice, ...] = ()
    inner: tuple[FormField, ...] = ()
    offers: tuple[str, ...] = ()

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
    offers: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def form(
        self, options: Mapping[str, Option], first: Sequence[str], triggered_by: str = ""
    ) -> Form:
        """All fields; ``first`` names the options to show at once, of a plan or of its parts.

        An option of the parts of one option only is named after that, as ``level.size``.

        ``triggered_by`` is the field whose change redraws the form: its group stays open.
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
                groups[self._sentence("wizard.options_of", name=drawn.value)] = rest
        hidden = [each for fields in groups.values() for each in fields]
        changed = any(each.is_changed for each in hidden)
        is_open = changed or triggered_by in {each.name for each in _walk(hidden)}
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
            self.label(option, part),
            self.help(option, part),
            self.fixed.get(name, value),
            usual,
            option.group,
            least=_bound(option, option.least, option.above),
            most=_bound(option, option.most, option.below),
            step="1" if option.type is int else "any",
            fault=fault_of(option, value),
            choices=tuple(self._choice(option, each) for each in _values(option)),
            offers=tuple(self.offers.get(name, ())),
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
            self.label(option, part),
            about.get(value) or self.help(option, part),
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

    def label(self, option: Option, part: str = "") -> str:
        """What an option is called."""
        return label_of(self.language, option.name, part)

    def help(self, option: Option, part: str = "") -> str:
        """What an option means: in English its own help, if there is nothing better."""
        return translated(self.language, "help", option.name, part) or option.help

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

    def _sentence(self, key: str, **values: str) -> str:
        return sentences(self.language)[key].format(**values)


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


def _walk(fields: Sequence[FormField]) -> list[FormField]:
    return [each for field in fields for each in (field, *_walk(field.inner))]


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


def _bound(option: Option, inclusive: float | None, exclusive: float | None) -> str:
    bound = inclusive if inclusive is not None else exclusive
    if bound is None or option.size:
        return ""
    return str(int(bound)) if float(bound).is_integer() else repr(bound)


def fault_of(option: Option, text: str) -> str:
    """What is wrong with the text of a field, in the words of the command line."""
    if not text.strip():
        return ""
    try:
        value = spec.as_value(option, text.splitlines() if option.many else text.strip())
    except (ValueError, PlanError) as fault:
        return f"{option.name.replace('_', '-')}: {fault}"
    return option.fault(value)
