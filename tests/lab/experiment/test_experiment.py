"""Experiments: rows out of a description, their figures, and what is kept of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import twinset
from twinset.lab.experiment.description import Description
from twinset.lab.experiment.rows import count_rows, rows_of

WORDS = [f"word{number}" for number in range(40)]
TEXTS = {
    f"d{number}": " ".join(
        WORDS[: 40 - number % 5] + [f"own{number}{place}" for place in range(number % 7)]
    )
    for number in range(14)
}
TRUTH = [(f"d{a}", f"d{b}") for a in range(14) for b in range(a + 1, 14) if a % 5 == b % 5]
SWEEP: dict[str, Any] = {
    "plan": {"threshold": 0.6, "method": "minhash"},
    "sweep": {"shingle": [1, 3], "image.size": [64, 128]},
}
FIVE = ("reference", "found", "only_in_reference", "only_in_found", "common")


def rows(**tables: Any) -> list[dict[str, Any]]:
    return [dict(row.options) for row in rows_of(Description.from_values(tables), {})]


def test_a_sweep_is_every_combination_in_the_order_of_the_file() -> None:
    assert rows(sweep={"shingle": [3, 5], "threshold": [0.7, 0.8]}) == [
        {"shingle": 3, "threshold": 0.7},
        {"shingle": 3, "threshold": 0.8},
        {"shingle": 5, "threshold": 0.7},
        {"shingle": 5, "threshold": 0.8},
    ]


def test_lists_of_a_zip_go_along_together() -> None:
    together = {"image.size": [64, 128], "threshold": [0.7, 0.8]}
    assert rows(sweep={"shingle": [3, 5]}, zip=[together]) == [
        {"shingle": 3, "image.size": 64, "threshold": 0.7},
        {"shingle": 3, "image.size": 128, "threshold": 0.8},
        {"shingle": 5, "image.size": 64, "threshold": 0.7},
        {"shingle": 5, "image.size": 128, "threshold": 0.8},
    ]


def test_rows_are_alternatives_with_lists_of_their_own() -> None:
    blocks = [{"method": "exact"}, {"method": "minhash", "recall": [0.9, 0.99]}]
    assert rows(sweep={"shingle": [3]}, rows=blocks) == [
        {"shingle": 3, "method": "exact"},
        {"shingle": 3, "method": "minhash", "recall": 0.9},
        {"shingle": 3, "method": "minhash", "recall": 0.99},
    ]


def test_rows_are_counted_as_they_are_made() -> None:
    tables: dict[str, Any] = {
        "sweep": {"shingle": [3, 5, 7]},
        "zip": [{"threshold": [0.7, 0.8], "seed": [1, 2]}],
        "rows": [{"name": "a", "method": "exact"}, {"image.size": [64, 128], "shingle": [2]}],
    }
    assert count_rows(Description.from_values(tables)) == len(rows(**tables)) == 3 * 2 + 2 * 2


@pytest.mark.parametrize("nested", [{"image.size": [64]}, {"image": {"size": [64]}}])
def test_options_of_parts_have_dots_or_tables(nested: dict[str, Any]) -> None:
    (row,) = rows_of(Description.from_values({"sweep": nested}), {})
    assert row.plan == twinset.Plan.make(image="oph:size=64")


def test_what_all_rows_share_goes_to_the_methods_that_take_it() -> None:
    swept = {"plan": {"shingle": 3, "threshold": 0.7}, "sweep": {"method": ["minhash", "md5"]}}
    minhash, md5 = rows_of(Description.from_values(swept), {})
    assert minhash.plan == twinset.Plan.make(method="minhash:shingle=3", threshold=0.7)
    assert md5.plan == twinset.Plan.make(method="md5")


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
        ({"zip": {"shingle": [3], "seed": [1, 2]}}, "same length: shingle has 1, seed has 2"),
        ({"sweep": {"shingle": [3]}, "compare": {"bye": 1}}, "did you mean 'by'"),
    ],
)
def test_a_faulty_description_is_refused(tables: dict[str, Any], message: str) -> None:
    with pytest.raises(twinset.PlanError, match=message):
        Description.from_values(tables)


def test_every_row_has_the_numbers_of_an_evaluation_of_its_plan(tmp_path: Path) -> None:
    result = twinset.experiment(TEXTS, SWEEP, truth=TRUTH, folder=tmp_path / "out")
    assert result.table.num_rows == 4
    for row, figures in zip(result.rows, result.table.to_pylist(), strict=True):
        shingle, size = row.options["shingle"], row.options["image.size"]
        found = twinset.find(TEXTS, 0.6, shingle=shingle, image=f"oph:size={size}")
        expected = twinset.evaluate(found, TRUTH)
        assert [figures[name] for name in FIVE] == [getattr(expected, name) for name in FIVE]
        assert figures["common"] > 0
    files = {path.name for path in (tmp_path / "out").iterdir()}
    assert files >= {"experiment.parquet", "experiment.csv", "best.toml", "rows"}
