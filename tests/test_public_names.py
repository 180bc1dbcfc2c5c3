"""The public door: the names that are offered, each with its docstring and examples that run."""

from __future__ import annotations

import doctest
import inspect
from pathlib import Path
from typing import Any

import pytest

import twinset

PUBLIC: dict[str, Any] = {name: getattr(twinset, name) for name in twinset.__all__}
FUNCTIONS = {n: v for n, v in PUBLIC.items() if inspect.isfunction(v)}


def test_only_public_names_are_offered() -> None:
    assert dir(twinset) == sorted([*twinset.__all__, "__version__"])


def test_every_offered_name_leads_somewhere() -> None:
    for name in dir(twinset):
        assert getattr(twinset, name) is not None
    missing = "finds"
    with pytest.raises(AttributeError, match="module 'twinset' has no attribute 'finds'"):
        getattr(twinset, missing)


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_every_public_name_has_a_docstring_of_its_own(name: str) -> None:
    value = PUBLIC[name]
    # An inherited docstring would describe something else, a dataclass's own only its fields.
    docstring = value.__doc__ or ""
    assert docstring.strip()
    assert not docstring.startswith(f"{name}(")


@pytest.mark.usefixtures("runs_here")
@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_the_example_of_a_function_runs(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    function = FUNCTIONS[name]
    example = doctest.DocTestParser().get_doctest(
        inspect.getdoc(function) or "", dict(inspect.unwrap(function).__globals__), name, None, None
    )
    assert example.examples, f"{name} has no example"
    runner = doctest.DocTestRunner()
    lines: list[str] = []
    runner.run(example, out=lines.append)
    assert runner.summarize().failed == 0, "".join(lines)
