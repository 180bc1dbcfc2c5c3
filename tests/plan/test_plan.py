"""A plan is the same in Python, in a file, in a manifest and on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

import twinset
from tests.kernels.examples import examples
from tests.plan.parts import parts, plans, values
from twinset.errors import PlanError, UnusedOption
from twinset.finding.methods.joins import Exact
from twinset.finding.methods.minhash import MinHash
from twinset.plan import Plan, options, spec, table


def from_command_line(arguments: list[str]) -> Plan:
    """The plan that ``find`` makes of its arguments."""
    from twinset.cli import app
    from twinset.cli.options import ReadingOptions, SearchOptions, given_options

    group: Any = app
    with group.make_context("twinset", ["find"], resilient_parsing=True) as outer:
        command = group.get_command(outer, "find")
    with command.make_context("find", ["in", "-o", "out", *arguments]) as context:
        values = {n: v for n, v in context.params.items() if n in {*options(), "set"}}
    return Plan.make(**given_options(SearchOptions(), ReadingOptions(**values)))


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(plans())
def test_a_plan_survives_every_way_of_writing_it(plan: Plan) -> None:
    try:
        plan = Plan.make(plan=plan)
    except twinset.PlanError:
        return  # the drawn options do not fit together
    assert Plan.from_dict(json.loads(json.dumps(plan.as_dict()))) == plan
    assert Plan.make(**spec_of(plan)) == plan
    assert from_command_line(plan.arguments()) == plan


def spec_of(plan: Plan) -> dict[str, Any]:
    import tomllib

    values: dict[str, Any] = tomllib.loads(plan.as_toml())
    return values


@pytest.mark.parametrize("name", sorted(spec.names("method")))
def test_every_option_of_every_method_survives(name: str, tmp_path: Path) -> None:
    cls = spec.load("method", name)
    for option in spec.options_of(cls):

        @examples(10)
        @given(values(spec.options_of(cls)[option]))
        def survives(value: Any) -> None:
            asked = getattr(getattr(cls, "about", None), "asks", "")
            part = cls(**{asked: "model.json"} if asked else {})
            part = spec.fitted(part, {option: value})[0]  # noqa: B023
            if spec.faults_of(part):
                return
            plan = Plan.make(method=part)
            file = tmp_path / "plan.toml"
            file.write_text(plan.as_toml(), encoding="utf-8")
            assert Plan.make(plan=file) == plan == Plan.from_dict(plan.as_dict())

        survives()


@settings(deadline=None)
@given(parts("method"))
def test_shortcuts_change_the_method_and_nothing_else(method: Any) -> None:
    if not hasattr(method, "shingle"):
        with pytest.raises(twinset.PlanError, match="takes no shingle"):
            Plan.make(method=method, shingle=3)
        return
    assert Plan.make(method=method, shingle=3).method.shingle == 3  # type: ignore[attr-defined]


def test_a_shortcut_that_the_method_says_otherwise_is_refused() -> None:
    with pytest.raises(twinset.PlanError, match="shingle is given twice"):
        Plan.make(method="minhash:shingle=3", shingle=4)


def test_exact_keeps_the_shingles_of_a_plan(tmp_path: Path) -> None:
    file = tmp_path / "plan.toml"
    file.write_text('method = "minhash:shingle=3,unit=char"\n')
    assert Plan.make(plan=file, exact=True).method == Exact(shingle=3, unit="char")
    with pytest.raises(twinset.PlanError, match="either exact or the method tf"):
        Plan.make(exact=True, method="tf")


def test_the_manifest_says_what_the_method_text_said() -> None:
    texts = ["one two three four five six", "one two three four five seven"]
    manifest = twinset.find(texts, method="minhash:shingle=3").manifest
    assert Plan.from_dict(manifest["plan"]).method == MinHash(shingle=3)
    assert "shingle" not in manifest["plan"], "one truth: the method's"


def test_a_measure_that_counts_needs_a_threshold() -> None:
    with pytest.raises(PlanError, match="overlap counts shared features: give a threshold"):
        Plan.make(exact=True, measure="overlap")
    plan = Plan.make(exact=True, measure="overlap", threshold=20)
    assert Plan.make(plan=plan, html="no").threshold == 20


@pytest.mark.parametrize(
    ("method", "name", "value"),
    [
        ("A4", "threshold", 0.5),
        ("simhash", "threshold", 0.8),
        ("tf", "measure", "dice"),
        ("tfidfcosine", "measure", "dice"),
        ("exact", "recall", 0.9),
        ("lexical", "recall", 0.9),
    ],
)
def test_what_a_method_does_not_go_by_has_no_effect_and_a_warning(
    method: str, name: str, value: Any, tmp_path: Path
) -> None:
    with pytest.warns(UnusedOption, match=f"no use of a {name}: leave {name}={value} out"):
        assert Plan.make(method=method, **{name: value}) == Plan.make(method=method)
    file = tmp_path / "plan.toml"
    file.write_text(f"method = {method!r}\n{name} = {value!r}\n")
    if value != 0.8:
        with pytest.warns(UnusedOption, match=f"no use of a {name}"):
            Plan.make(plan=file)
    assert Plan.from_dict({"method": method, name: value}) == Plan.make(method=method)


def test_a_plan_file_may_state_the_defaults_beside_any_method(tmp_path: Path) -> None:
    file = tmp_path / "plan.toml"
    file.write_text('method = "tf"\nthreshold = 0.8\nrecall = 0.99\nmeasure = "jaccard"\n')
    assert Plan.make(plan=file) == Plan.make(method="tf")
    file.write_text('method = "exact"\nthreshold = 0.8\nmeasure = "overlap"\n')
    assert Plan.make(plan=file) == Plan.make(exact=True, threshold=0.8, measure="overlap")


def test_what_a_file_says_for_its_method_goes_with_that_method(tmp_path: Path) -> None:
    file = tmp_path / "plan.toml"
    file.write_text("threshold = 0.5\nrecall = 0.9\n")
    plan = Plan.make(plan=file, method="tf")
    assert from_command_line(plan.arguments()) == plan == Plan.make(method="tf")


def test_a_check_without_a_threshold_goes_by_that_of_the_plan() -> None:
    assert Plan.make(method="tf", verify="edit", threshold=0.5).threshold == 0.5
    with pytest.warns(UnusedOption, match="makes no use of a threshold"):
        Plan.make(method="tf", verify="edit:0.6", threshold=0.5)


def test_a_check_does_not_take_a_share_for_a_count() -> None:
    with pytest.raises(PlanError, match=r"overlap cannot go by the threshold 0\.8.*overlap:20"):
        Plan.make(verify="overlap")
    with pytest.raises(PlanError, match=r"edit cannot go by the threshold 20.*edit:0\.8"):
        Plan.make(exact=True, measure="overlap", threshold=20, verify="edit")
    assert Plan.make(exact=True, measure="overlap", threshold=20, verify="overlap")


def test_a_part_of_another_package_that_cannot_be_loaded_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(table, "names", lambda kind: {"gone": "package_gone:Gone"})
    with pytest.raises(PlanError, match="method 'gone' of another package cannot be loaded"):
        table.load("method", "gone")
