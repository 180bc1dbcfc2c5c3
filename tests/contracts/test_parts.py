"""One contract for every registered class of every kind: it is its options, and they explain it."""

from __future__ import annotations

import dataclasses
import re
from typing import Any

import pytest

from twinset.plan import spec
from twinset.plan.spec import TABLE, faults_of, load, make, name_of, options_of, spell

# Each class under its first name: the others are synonyms.
FIRST = {(kind, load(kind, name)): name for kind in TABLE for name in reversed(TABLE[kind])}
PARTS = sorted((kind, name) for (kind, _), name in FIRST.items())
OPTIONS = [(*part, option) for part in PARTS for option in options_of(load(*part))]
# What these lack has no default that suits everybody.
NEEDS: dict[tuple[str, str], dict[str, Any]] = {
    ("clusters", "closed"): {"k": 3},
    ("keep", "field"): {"field": "date"},
    ("keep", "folder"): {"order": "A/B"},
    ("method", "learned"): {"model": "model.json"},
    ("method", "vectors"): {"field": "embedding"},
    ("method", "asked"): {"experts": "1.0 lcs -4.0 3.0"},
}
LONGEST_HELP = 120
# A help stands alone, in a table or beside a form: there is nothing that these could refer to.
DANGLING = re.compile(r"\b(so many|of (them|these|both)|their|two that)\b")


def usual(kind: str, name: str) -> Any:
    """The part of a name with its defaults, and with what it needs."""
    return load(kind, name)(**NEEDS.get((kind, name), {}))


@pytest.mark.parametrize(("kind", "name"), PARTS)
def test_a_part_is_a_frozen_dataclass(kind: str, name: str) -> None:
    cls: Any = load(kind, name)
    # A class inherits the marks of a dataclass without being one.
    assert "__dataclass_params__" in vars(cls)
    assert cls.__dataclass_params__.frozen
    assert hash(usual(kind, name)) == hash(usual(kind, name))


@pytest.mark.parametrize(("kind", "name"), PARTS)
def test_a_part_has_a_docstring(kind: str, name: str) -> None:
    cls = load(kind, name)
    docstring = vars(cls).get("__doc__") or ""
    assert docstring.strip()
    assert not docstring.startswith(f"{cls.__name__}("), "it is the one that dataclass makes"


@pytest.mark.parametrize(("kind", "name"), PARTS)
def test_every_field_is_an_option_with_a_default(kind: str, name: str) -> None:
    fields = dataclasses.fields(load(kind, name))
    assert [field.name for field in fields] == list(options_of(load(kind, name)))
    missing = dataclasses.MISSING
    assert [f.name for f in fields if f.default is missing and f.default_factory is missing] == []


@pytest.mark.parametrize(("kind", "name", "option"), OPTIONS)
def test_the_help_of_an_option_is_a_sentence(kind: str, name: str, option: str) -> None:
    text = options_of(load(kind, name))[option].help
    assert re.fullmatch(r"[A-Z][^\n]*\.", text)
    assert len(text) <= LONGEST_HELP
    words = re.findall(r"\w+", text.lower())
    assert words != option.split("_"), "it says no more than the name"
    assert len(words) > 1
    assert not DANGLING.search(text)


@pytest.mark.parametrize(("kind", "name", "option"), OPTIONS)
def test_the_help_of_an_option_names_no_field_by_its_identifier(
    kind: str, name: str, option: str
) -> None:
    # Users write options with dashes or inside a spec; an identifier is a riddle to them.
    known = {field for _, _, field in OPTIONS if "_" in field}
    text = options_of(load(kind, name))[option].help
    assert known.isdisjoint(re.findall(r"\w+", text))


@pytest.mark.parametrize(("kind", "name"), PARTS)
def test_defaults_are_within_their_own_bounds(kind: str, name: str) -> None:
    part = load(kind, name)()
    faults = {n: o.fault(getattr(part, n)) for n, o in options_of(type(part)).items()}
    assert {option: fault for option, fault in faults.items() if fault} == {}


@pytest.mark.parametrize(("kind", "name"), PARTS)
def test_only_what_has_no_default_is_missing(kind: str, name: str) -> None:
    assert faults_of(usual(kind, name)) == []
    assert bool(faults_of(load(kind, name)())) == ((kind, name) in NEEDS)


@pytest.mark.parametrize("full", [False, True], ids=["changes", "all options"])
@pytest.mark.parametrize(("kind", "name"), PARTS)
def test_a_part_comes_back_from_its_text(kind: str, name: str, full: bool) -> None:
    part = usual(kind, name)
    text = spell(kind, part, full=full)
    assert make(kind, text) == part
    if (kind, name) not in NEEDS and not full:
        assert text == name_of(kind, part)


def test_every_kind_of_part_inside_a_part_is_registered() -> None:
    kinds = {options_of(load(kind, name))[option].part for kind, name, option in OPTIONS}
    assert kinds - {""} <= set(spec.TABLE)
