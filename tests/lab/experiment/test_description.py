"""The description of an experiment, and the rows that it makes."""

from __future__ import annotations

from typing import Any

import pytest

import twinset
from twinset.lab.description import Description, rows_of


def rows(**tables: Any) -> list[dict[str, Any]]:
    return [dict(row.options) for row in rows_of(Description.from_values(tables), {})]


def test_a_sweep_is_every_combination_in_the_order_of_the_file() -> None:
    assert rows(sweep={"shingle": [3, 5], "threshold": [0.7, 0.8]}) == [
        {"shingle": 3, "threshold": 0.7},
        {"shingle": 3, "threshold": 0.8},
        {"shingle": 5, "threshold": 0.7},
        {"shingle": 5, "threshold": 0.8},
    ]


def test_rows_are_alternatives_with_lists_of_their_own() -> None:
    blocks = [{"method": "exact"}, {"method": "minhash", "recall": [0.9, 0.99]}]
    assert rows(sweep={"shingle": [3]}, rows=blocks) == [
        {"shingle": 3, "method": "exact"},
        {"shingle": 3, "method": "minhash", "recall": 0.9},
        {"shingle": 3, "method": "minhash", "recall": 0.99},
    ]


@pytest.mark.parametrize("nested", [{"image.size": [64]}, {"image": {"size": [64]}}])
def test_options_of_parts_have_dots_or_tables(nested: dict[str, Any]) -> None:
    (row,) = rows_of(Description.from_values({"sweep": nested}), {})
    assert row.plan == twinset.Plan.make(image="oph:size=64")


def test_a_preset_is_swept_like_a_method() -> None:
    swept = {"sweep": {"preset": ["text", "copies"]}}
    text, copies = rows_of(Description.from_values(swept), {})
    assert text.plan == twinset.Plan.make(preset="text")
    assert copies.plan == twinset.Plan.make(preset="copies")
    assert text.name == "preset=text"
    blocks = [{"preset": "text", "threshold": [0.54, 0.7]}, {"preset": "text", "method": "md5"}]
    usual, higher, clash = rows_of(Description.from_values({"rows": blocks}), {})
    assert usual.plan == text.plan
    assert higher.plan == twinset.Plan.make(preset="text", threshold=0.7)
    assert clash.fault is not None
    assert "leave one of them out" in clash.fault
    with pytest.raises(twinset.PlanError, match="no preset 'txt'; did you mean 'text'"):
        rows_of(Description.from_values({"sweep": {"preset": ["txt"]}}), {})


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ({"sweep": {"shingel": [3]}}, "no option 'shingel'; did you mean 'shingle'"),
        ({"sweep": {"image.sise": [3]}}, "no option 'image.sise'; did you mean 'image.size'"),
        ({"plan": {"treshold": 0.8}, "sweep": {"shingle": [3]}}, "did you mean 'threshold'"),
        ({"sweep": {"shingle": []}}, "shingle is an empty list"),
        ({"sweep": {"shingle": 3}}, r"shingle must be a list in brackets, as \[3\]"),
        ({"sweep": {"text": ["a"]}}, "an experiment reads them once"),
        ({"sweeps": {"shingle": [3]}}, "there is no 'sweeps'; did you mean 'sweep'"),
        ({"plan": {"shingle": 3}}, "nothing is swept"),
        ({"sweep": {"shingle": [3]}, "compare": {"bye": 1}}, "did you mean 'by'"),
        ({"sweep": {"shingle": [3]}, "compare": {"judge": "x"}}, "judge must be a number, not 'x'"),
        ({"sweep": {"shingle": [3]}, "compare": {"most_judged": True}}, "a whole number, not True"),
        ({"sweep": {"shingle": [3]}, "compare": 1}, r"compare must be a table, \[compare\], not 1"),
    ],
)
def test_a_faulty_description_is_refused(tables: dict[str, Any], message: str) -> None:
    with pytest.raises(twinset.PlanError, match=message):
        Description.from_values(tables)


def test_too_many_rows_are_refused_before_any_is_made() -> None:
    many = {"sweep": {"seed": list(range(2000)), "shingle": list(range(1, 1001))}}
    with pytest.raises(twinset.PlanError, match="more than 1,000 rows"):
        rows_of(Description.from_values(many), {})
    with pytest.raises(twinset.PlanError, match="more than 5 rows"):
        rows_of(Description.from_values({"sweep": {"seed": list(range(6))}}), {}, most=5)


def test_a_row_whose_plan_is_faulty_says_why() -> None:
    swept = {"plan": {"method": "minhash"}, "sweep": {"threshold": [0.8, 1.5]}}
    good, bad = rows_of(Description.from_values(swept), {})
    assert good.fault is None
    assert bad.plan is None
    assert bad.fault == "threshold must be above 0 and at most 1, not 1.5"


def test_swept_options_that_a_method_does_not_take_are_a_fault_of_the_row() -> None:
    swept = {"sweep": {"method": ["minhash", "md5"], "shingle": [3]}}
    _, md5 = rows_of(Description.from_values(swept), {})
    assert md5.fault == "the method md5 takes no shingle: leave it out"
