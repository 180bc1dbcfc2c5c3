"""Plans as TOML files: written, read back, and what is wrong with them."""

from __future__ import annotations

import pytest

import twinset
from twinset.plan import Plan


def write(tmp_path, text):
    path = tmp_path / "plan.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_plan_survives_its_file(tmp_path):
    plan = Plan.make(threshold=0.3, unit="char", shingle=5, keep="longest", html="no", id="näme")
    assert Plan.make(plan=write(tmp_path, plan.as_toml())) == plan
    assert Plan().as_toml() == ""


def test_options_beside_the_file_come_first(tmp_path):
    path = write(tmp_path, 'threshold = 0.3\nmethod = "exact"\n')
    assert Plan.make(plan=path, threshold=0.9).threshold == 0.9
    texts = ["one two three four five six", "one two three four five seven"]
    assert twinset.find(texts, plan=path).manifest["plan"]["threshold"] == 0.3
    assert twinset.find(texts).manifest["plan"]["threshold"] == 0.8


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("threshold = ", "not a plan in TOML"),
        ("threshold = [0.8]", r"threshold must be a number, not \[0.8\]"),
        ("shingle = 2.5", "shingle must be a whole number, not 2.5"),
        ("method = 3", "method must be a method, not 3"),
        ("[read]\nid = 'a'", "there is no option 'read'"),
        ("thresold = 0.8", "there is no option 'thresold'"),
    ],
)
def test_faults_of_a_file(tmp_path, text, told):
    with pytest.raises(twinset.PlanError, match=told):
        Plan.make(plan=write(tmp_path, text))


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(twinset.PlanError, match="there is no such file; check the path"):
        Plan.make(plan=tmp_path / "none.toml")


@pytest.mark.parametrize(
    ("line", "advice"),
    [
        ("exact = true", 'write method = "exact"'),
        ('memory = "1GB"', "give it to the run"),
        ("threads = 2", "give it to the run"),
    ],
)
def test_what_belongs_elsewhere_is_named(tmp_path, line, advice):
    with pytest.raises(twinset.TwinsetError, match=advice):
        Plan.make(plan=write(tmp_path, line + "\n"))
