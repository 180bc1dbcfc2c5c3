"""An option is stated once, as a field: every place that offers, keeps or explains it has it.

The first test adds a field to the plan and one to a method, and looks for both; the others look for
every field that there is. What an option still needs by hand is its Russian label and help.
"""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
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
from twinset.web.laboratory import learn_options
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
LIBRARY = """
import importlib.machinery, sys

EDITS = {
    "twinset.plan.plan": (
        "    read: ReadOptions = field(",
        '    sharpness: int = option(7, "How sharp it is.", group="Similarity", least=1)\\n',
    ),
    "twinset.finding.methods.minhash": (
        "    bands: int = option(",
        '    colour: Literal["red", "blue"] = option("red", "Which colour it has.")\\n',
    ),
}


class Edited(importlib.machinery.SourceFileLoader):
    def get_code(self, name):
        before, line = EDITS[name]
        source = self.get_data(self.path).decode()
        assert source.count(before) == 1
        source = source.replace("from typing import ", "from typing import Literal, ", 1)
        return compile(source.replace(before, line + before), self.path, "exec")


class Finder:
    def find_spec(self, name, path=None, target=None):
        if name not in EDITS:
            return None
        found = (f.find_spec(name, path, target) for f in sys.meta_path if f is not self)
        spec = next(each for each in found if each is not None)
        spec.loader = Edited(name, spec.origin)
        return spec


sys.meta_path.insert(0, Finder())
"""
USE = """
import json
from twinset.plan import Plan
from twinset.errors import PlanError
from twinset.web.forms import read_form
from twinset.web.forms import Drawing
from twinset.web.wizard import FIRST, options_at
from twinset.cli import app
from click.testing import CliRunner
import importlib.util, pathlib

plan = Plan.make(sharpness="9", method="minhash:colour=blue")


def faults(**options):
    try:
        Plan.make(**options)
    except PlanError as fault:
        return str(fault)


def run(*words):
    return CliRunner().invoke(app, list(words), env={"COLUMNS": "200"}).output


def fields(language):
    form = Drawing(language, {}).form(options_at("image"), FIRST["image"])
    return {f.name: [f.label, f.help] for group in form.groups.values() for f in group}


page = importlib.util.spec_from_file_location("page", DOCS / "make_command_line.py")
docs = importlib.util.module_from_spec(page)
page.loader.exec_module(docs)
filled = {"sharpness": "9", "method.minhash.colour": "blue"}
print(json.dumps({
    "help": run("find", "--help-all"),
    "methods": run("list", "parts", "minhash"),
    "form": fields("en"),
    "posted": Plan.make(**read_form(filled, {})) == plan,
    "toml": plan.as_toml(),
    "manifest": plan.as_dict(),
    "kept": Plan.from_dict(plan.as_dict()) == plan,
    "arguments": plan.arguments(),
    "docs": docs.page(),
    "misspelt": faults(sharpnes=9),
    "low": faults(sharpness=0),
    "misspelt inside": faults(method="minhash:color=blue"),
    "wrong inside": faults(method="minhash:colour=green"),
}))
"""


def test_a_new_field_is_everywhere_at_once() -> None:
    program = f"{LIBRARY}\nimport pathlib\nDOCS = pathlib.Path({str(DOCS)!r})\n{USE}"
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    seen: dict[str, Any] = json.loads(done.stdout)
    assert re.search(r"--sharpness .*How sharp it is\. \[7\]", seen["help"])
    assert "colour=red  (red|blue)  Which colour it has." in seen["methods"]
    assert seen["form"]["sharpness"] == ["Sharpness", "How sharp it is."]
    assert seen["form"]["method.minhash.colour"] == ["Colour", "Which colour it has."]
    assert seen["posted"]
    assert seen["toml"] == 'method = "minhash:colour=blue"\nsharpness = 9\n'
    assert seen["manifest"]["sharpness"] == 9
    assert "colour=blue" in seen["manifest"]["method"]
    assert seen["kept"]
    assert seen["arguments"] == ["--method", "minhash:colour=blue", "--sharpness", "9"]
    assert "- `--sharpness VALUE` (7): How sharp it is." in seen["docs"]
    assert "there is no option 'sharpnes'; did you mean 'sharpness'?" in seen["misspelt"]
    assert seen["low"] == "sharpness must be at least 1, not 0"
    assert "method 'minhash' has no option 'color'; did you mean" in seen["misspelt inside"]
    assert "colour" in seen["misspelt inside"]
    wrong = "method 'minhash', option 'colour': 'green' is not one of red, blue"
    assert seen["wrong inside"] == wrong


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
        unfit = (option.usual, "learned", "asked", "overlap")  # which cannot stand alone
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
    special = {"clusters": "closed:share=0.5", "measure": "dice"}
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
    alone = [(name,) for name in (*OF_PLAN, *options_of(OutputForm), *learn_options())]
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
    alive = set(plan_options()) | {option for _, _, option in OF_PARTS} | set(learn_options())
    alive |= set(options_of(OutputForm))
    alive |= {f"{kind}.{option}" for kind, _, option in OF_PARTS}
    alive |= {f"{kind}.{name}.{option}" for kind, name, option in OF_PARTS}
    tables = [key.partition(".") for key in sentences(language)]
    assert [
        key for table, _, key in tables if table in ("label", "help") and key not in alive
    ] == []
