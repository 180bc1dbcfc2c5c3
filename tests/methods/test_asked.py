"""The method made of answers: what its numbers decide, and what the answers override."""

from __future__ import annotations

from pathlib import Path

import pytest

import twinset
from tests.contracts.collection import with_copies
from tests.contracts.models import EXPERTS
from twinset.errors import PlanError
from twinset.finding.methods.asked import AskedOwner
from twinset.finding.signals.experts import Expert, Judgement, read_judgement, spelt_judgement
from twinset.plan import Plan

TEXTS = {
    name: text + (" indeed" if name.startswith("b") else "") for name, text in with_copies().items()
}


def plan(answers: str = "") -> Plan:
    return Plan.make(method=AskedOwner(EXPERTS, answers))


def pairs(report: twinset.Findings) -> dict[tuple[str, str], float]:
    columns = (report.pairs[name].to_pylist() for name in ("left", "right", "score"))
    return {(left, right): score for left, right, score in zip(*columns, strict=True)}


def test_a_judgement_is_spelt_without_loss() -> None:
    judgement = Judgement((Expert(("lcs", "z5c"), (-123.4567, 2.0, 0.0001), 0.3333),))
    assert read_judgement(spelt_judgement(judgement)) == judgement


@pytest.mark.parametrize(
    "experts", ["lcs", "1 lcs 2", "x lcs 1 2", "1 lcs nan 2", "1 beauty 1 2", "1 lcs 1 2;"]
)
def test_faulty_experts_are_refused(experts: str) -> None:
    with pytest.raises(PlanError):
        Plan.make(method=AskedOwner(experts))


def test_a_denied_pair_is_never_reported_and_an_affirmed_one_is() -> None:
    before = pairs(twinset.find(TEXTS, plan=plan()))
    assert ("a05", "b05") in before
    assert ("a01", "a02") not in before
    answers = '{"yes": [["a02", "a01"], ["a01", "gone"]], "no": [["b05", "a05"]]}'
    after = pairs(twinset.find(TEXTS, plan=plan(answers)))
    assert ("a05", "b05") not in after
    assert after["a01", "a02"] == 1.0
    assert {pair: score for pair, score in after.items() if pair != ("a01", "a02")} == {
        pair: score
        for pair, score in before.items()
        # c05 has the text of a05, so the answer is about it as well
        if pair not in {("a05", "b05"), ("b05", "c05")}
    }


def test_a_removed_document_is_a_copy_of_its_keeper() -> None:
    answers = '{"yes": [], "no": [["b05", "a05"]]}'
    report = twinset.dedup(TEXTS, plan=plan(answers))
    listed = pairs(report)
    rows = report.documents.to_pylist()
    removed = [
        (row["kept_as"], row["id"]) for row in rows if row["kept_as"] not in (None, row["id"])
    ]
    assert removed
    assert all(tuple(sorted(pair)) in listed for pair in removed)
    assert ("a05", "b05") not in removed


def test_a_plan_file_is_read_again(tmp_path: Path) -> None:
    made = plan('{"yes":[["a, \\"b\\"","c\\td"]],"no":[["e","f"],["g","ж"]]}')
    file = tmp_path / "plan.toml"
    file.write_text(made.as_toml(), "utf-8")
    assert Plan.make(plan=file) == made
    assert Plan.from_dict(made.as_dict()) == made
    assert Plan.make(plan=file, threshold=None).as_toml() == made.as_toml()
