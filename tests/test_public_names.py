"""The public door: the names that are offered, each with its docstring and examples that run."""

from __future__ import annotations

import doctest
import inspect
from pathlib import Path
from typing import Any

import pytest

import twinset

PUBLIC: dict[str, Any] = {name: getattr(twinset, name) for name in twinset.__all__}
CLASSES = {n: v for n, v in PUBLIC.items() if inspect.isclass(v)}
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


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """One object of each public class, by its name."""
    folder = tmp_path_factory.mktemp("made")
    same = "the same words stand here again, and so does the rest of this sentence"
    texts = {"a": same, "b": same, **{f"c{n}": f"{n} others of {n} kinds" for n in range(300)}}
    findings = twinset.dedup(texts)
    generated = twinset.generate(texts, folder / "generated", ops=["truncate:20%"], limit=1)
    labels = [(f"c{n}", f"c{n + 1}") for n in range(0, 200, 2)]
    sweep = {"plan": {"method": "minhash"}, "sweep": {"threshold": [0.6, 0.8]}}
    with twinset.Index.create(folder / "index", threshold=0.5) as index:
        added = index.add(texts)
        (answer,) = index.query({"new": same})
        objects = [
            findings,
            twinset.open_report(findings.save(folder / "report")),
            twinset.spans(texts, 5),
            twinset.reuse(texts, {"new": same}),
            twinset.contamination({"quiz": {"new": same}}, texts),
            twinset.dedup(texts, level="line"),
            twinset.Plan(),
            twinset.presets()["text"],
            twinset.StopFlag(),
            twinset.read(__file__),
            twinset.ask(texts),
            twinset.evaluate(findings, {"a": 1, "b": 1}),
            generated,
            twinset.experiment(texts, sweep, truth={"a": 1, "b": 1}),
            twinset.learn(texts, labels),
            *(index, added, answer, answer.matches[0]),
            twinset.TwinsetError("what is wrong"),
            twinset.PlanError(["what is wrong"]),
            twinset.ReportError("what is wrong"),
            twinset.ReadError("a.jsonl", 3, "what is wrong"),
            twinset.Stopped("on request"),
        ]
    return {type(one).__name__: one for one in objects}


@pytest.mark.usefixtures("runs_here")
@pytest.mark.parametrize("name", [*sorted(CLASSES), "Inputs"])
def test_an_object_says_what_it_is_in_one_line(name: str, made: dict[str, Any]) -> None:
    text = repr(made[name])
    assert text.startswith(f"{name}(")
    assert "0x" not in text
    assert "\n" not in text
    assert len(text) < 300
