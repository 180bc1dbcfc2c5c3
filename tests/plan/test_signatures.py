"""Signatures and plan belong together: what a plan has as an option, the functions take."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import twinset
from twinset import read
from twinset.plan import (
    CopyKind,
    Html,
    Keep,
    Kinds,
    Match,
    Method,
    OnError,
    PageText,
    Plan,
    ReadOptions,
    Repeated,
    Unit,
    options,
)
from twinset.plan.spec import Option, options_of
from twinset.reading import Inputs
from twinset.run import Progress
from twinset.run.parts import PartsFolder

READING = options_of(ReadOptions)
BESIDE = {"documents", "exact", "plan", "preset", "threads", "memory", "resume", "progress"} | {
    "engine",
    "against",
}
RUNS: dict[str, Callable[..., Any]] = {"find": twinset.find, "dedup": twinset.dedup}
READERS: dict[str, Callable[..., Any]] = RUNS | {
    "compare": twinset.compare,
    "experiment": twinset.experiment,
    "tune": twinset.tune,
    "ask": twinset.ask,
    "learn": twinset.learn,
    "generate": twinset.generate,
    "read": read,
}
PARTS: dict[str, Any] = {"method": Method, "keep": Keep}
# Names of annotations that modules import for type checkers alone.
ANNOTATIONS = {
    "Findings": twinset.Findings,
    "Html": Html,
    "Inputs": Inputs,
    "Keep": Keep,
    "Method": Method,
    "OnError": OnError,
    "PageText": PageText,
    "PartsFolder": PartsFolder,
    "CopyKind": CopyKind,
    "Kinds": Kinds,
    "Match": Match,
    "Repeated": Repeated,
    "Plan": Plan,
    "Progress": Progress,
    "Unit": Unit,
}


def parameters(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    return dict(inspect.signature(function).parameters)


def expected_type(option: Option) -> Any:
    """The type that the parameter of an option has; None stands for the default."""
    if option.many and option.part:
        part = PARTS[option.name]
        return str | part | Sequence[str | part] | None
    if option.many:
        return Sequence[str]
    if option.part:
        part = PARTS.get(option.name)
        return str | part | None if part else str | Any
    return int | str | None if option.size or option.name == "target" else option.type | None


@pytest.mark.parametrize("name", RUNS)
def test_a_run_takes_the_options_of_a_plan_and_no_others(name: str) -> None:
    assert set(parameters(RUNS[name])) == set(options()) | BESIDE


@pytest.mark.parametrize("name", READERS)
def test_what_reads_takes_all_options_of_reading(name: str) -> None:
    assert [o for o in parameters(READERS[name]) if o in READING] == list(READING)


@pytest.mark.parametrize(
    ("function", "option"),
    [(f, o) for f in READERS for o in (options() if f in RUNS else READING)],
)
def test_a_parameter_has_the_type_of_its_option(function: str, option: str) -> None:
    hints = typing.get_type_hints(READERS[function], localns=ANNOTATIONS)
    assert hints[option] == expected_type(options()[option])


@pytest.mark.parametrize(
    ("function", "option"),
    [(f, o) for f in READERS for o in (options() if f in RUNS else READING)],
)
def test_a_parameter_that_is_not_given_leaves_the_default(function: str, option: str) -> None:
    default = parameters(READERS[function])[option].default
    assert Plan.make(**{option: default}) == Plan()


@pytest.mark.parametrize("name", READERS)
def test_no_function_takes_options_that_its_signature_does_not_show(name: str) -> None:
    kinds = {parameter.kind for parameter in parameters(READERS[name]).values()}
    assert inspect.Parameter.VAR_KEYWORD not in kinds


def test_reading_options_are_taken_as_text_and_checked(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one two", encoding="utf-8")
    inputs = twinset.read(tmp_path, max_document_bytes="2MB", within=[str(tmp_path)])
    assert inputs.options == ReadOptions(max_document_bytes=2 << 20, within=(str(tmp_path),))
    wrong: dict[str, Any] = {"on_error": "retry", "max_unread": 2}
    for function in (twinset.read, twinset.find):
        with pytest.raises(twinset.PlanError) as caught:
            function(tmp_path, **wrong)
        assert caught.value.faults == [
            "on-error: 'retry' is not one of skip, stop",
            "max-unread must be between 0 and 1, not 2",
        ]
