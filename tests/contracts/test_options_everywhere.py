"""An option is stated once, as a field: every place that offers, keeps or explains it has it.

What an option still needs by hand is its Russian label and help.
"""

from __future__ import annotations

import importlib.util
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from twinset.errors import PlanError
from twinset.pages.language import sentences
from twinset.plan import OutputForm, Plan, ReadOptions, spec
from twinset.plan import options as plan_options
from twinset.plan.catalogue import described
from twinset.plan.spec import Option, options_of
from twinset.web.forms import Drawing, FormField, translated
from twinset.web.wizard import FIRST, options_at

DOCS = Path(__file__).resolve().parents[2] / "docs"
KINDS = ("method", "image", "measure", "forms", "level", "clusters", "keep", "check")
OF_PLAN = options_of(Plan) | options_of(ReadOptions)
OF_PARTS = [
    (kind, name, option)
    for kind in KINDS
    for name in described()[kind]
    for option in options_of(spec.load(kind, name))
]


@cache
def drawn(language: str, kind: str = "", name: str = "") -> dict[str, FormField]:
    """The fields of all steps by name, with this part chosen."""
    values = {
        "method": "minhash",
        "clusters": "anchored",
        **({{"check": "verify"}.get(kind, kind): name} if kind and kind != "image" else {}),
        **({"method.minhash.image": name} if kind == "image" else {}),
    }
    fields: dict[str, FormField] = {}
    for step in FIRST:
        form = Drawing(language, values).form(options_at(step), FIRST[step])
        for group in (form.first, *form.groups.values()):
            fields |= {each.name: each for each in _with_inner(group)}
    return fields


def _with_inner(fields: Any) -> list[FormField]:
    return [each for field in fields for each in (field, *_with_inner(field.inner))]


def other_value(option: Option) -> Any:
    """A value that an option allows and that is not its default."""
    if option.part:
        unfit = (option.usual, "learned", "asked", "vectors", "overlap")  # which cannot stand alone
        names = [name for name in described()[option.part] if name not in unfit]
        return "date:min" if option.part == "keep" else names[-1]
    if option.type is bool:
        return not option.default
    if option.choices:
        return next(value for value in option.choices if value != option.default)
    if option.type is str:
        return ["x"] if option.many else "x"
    candidates = (1, 2, 3, 0.5, 0.25, option.least, option.most)
    return next(
        option.type(value)
        for value in candidates
        if value is not None
        and option.type(value) == value
        and value != option.default
        and not option.fault(option.type(value))
    )


@cache
def command_line_page() -> str:
    place = importlib.util.spec_from_file_location("page", DOCS / "make_command_line.py")
    assert place is not None
    assert place.loader is not None
    made = importlib.util.module_from_spec(place)
    place.loader.exec_module(made)
    text: str = made.page()
    return text


@pytest.mark.parametrize("name", OF_PLAN)
def test_an_option_of_a_plan_is_everywhere(name: str, tmp_path: Path) -> None:
    option = OF_PLAN[name]
    assert drawn("en")[name].option == name
    assert f"`{option.flag}" in command_line_page()
    # What these would be by rule needs another option beside it.
    special = {"clusters": "closed:share=0.5", "measure": "dice", "target": "40%"}
    written = special.get(name) or other_value(option)
    plan = Plan.make(**{name: written})
    assert re.search(rf"^{name} = ", plan.as_toml(), re.MULTILINE)
    file = tmp_path / "plan.toml"
    file.write_text(plan.as_toml(), encoding="utf-8")
    assert Plan.make(plan=file) == plan == Plan.from_dict(json.loads(json.dumps(plan.as_dict())))
    kept = plan.as_dict()
    assert name in (kept["read"] if name in options_of(ReadOptions) else kept)
    assert option.flag in " ".join(plan.arguments())
    with pytest.raises(PlanError, match=f"there is no option '{name}z'; did you mean '{name}'"):
        Plan.make(**{f"{name}z": written})


@pytest.mark.parametrize(("kind", "name", "option"), OF_PARTS)
def test_an_option_of_a_part_is_everywhere(kind: str, name: str, option: str) -> None:
    cls = spec.load(kind, name)
    known = options_of(cls)[option]
    (entry,) = described(name)[kind].values()
    assert (option, known.help) in [(o["name"], o["meaning"]) for o in entry["options"]]
    path = {"check": "verify", "image": "method.minhash.image"}.get(kind, kind)
    if kind != "keep":  # several policies are lines of text
        field = drawn("en", kind, name)[f"{path}.{name}.{option}"]
        assert field.default == spec.as_text(known, spec.default_of(known)) or known.part
        # In English no sentence about another option of the same name takes the place of its own.
        exact = {f"help.{kind}.{name}.{option}", f"help.{kind}.{option}"} & set(sentences("en"))
        assert exact or known.part or field.help == known.help
    part = cls(**{option: spec.as_value(known, other_value(known))})
    assert spec.parse(kind, spec.spell(kind, part))[0] == part
    assert f"{option}=" in spec.spell(kind, part, full=True) or kind == "keep"
    with pytest.raises(PlanError, match=f"no option '{option}zz'"):
        spec.parse(kind, f"{name}:{option}zz=1")


def test_every_option_has_russian_words() -> None:
    alone = [(name,) for name in (*OF_PLAN, *options_of(OutputForm))]
    of_parts = [(option, f"{kind}.{name}") for kind, name, option in OF_PARTS]
    lacking = [
        (table, *words)
        for words in (*alone, *of_parts)
        for table in ("label", "help")
        if not re.search("[а-яё]", translated("ru", table, *words))
    ]
    assert lacking == []


@pytest.mark.parametrize("language", ["en", "ru"])
def test_no_words_are_kept_for_options_that_are_gone(language: str) -> None:
    alive = set(plan_options()) | {option for _, _, option in OF_PARTS}
    alive |= set(options_of(OutputForm))
    alive |= {f"{kind}.{option}" for kind, _, option in OF_PARTS}
    alive |= {f"{kind}.{name}.{option}" for kind, name, option in OF_PARTS}
    tables = [key.partition(".") for key in sentences(language)]
    assert [
        key for table, _, key in tables if table in ("label", "help") and key not in alive
    ] == []
