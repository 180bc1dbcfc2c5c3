"""The experiments of the papers: the printed figures are those of the papers, and they all run."""

from __future__ import annotations

import dataclasses
import itertools
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import twinset
from tests.manual.test_pages import load
from twinset.errors import PlanError
from twinset.lab.description import Description, open_description, shipped_names
from twinset.lab.experiment_result import ExperimentResult

pytestmark = pytest.mark.usefixtures("runs_here")
ROOT = Path(__file__).resolve().parents[3]
PAPERS = ROOT.parent / "shared" / "papers"
TEXT_OF = {"ignatov": "000", "kuznetsov": "001", "raveena": "003", "zelenkov": "004"}
LICENCES = ROOT / "examples" / "collection" / "licenses.jsonl"
FIVE = ("reference", "found", "only_in_reference", "only_in_found", "common")


def printed(name: str) -> list[dict[str, Any]]:
    quoted = open_description(name).printed
    return [dict(zip(quoted["columns"], row, strict=True)) for row in quoted.get("rows", [])]


def with_printed() -> list[str]:
    return [name for name in shipped_names() if printed(name)]


@pytest.mark.parametrize("name", with_printed())
def test_the_printed_figures_agree_with_each_other(name: str) -> None:
    for row in printed(name):
        if set(FIVE) <= set(row):
            assert row["only_in_reference"] + row["common"] == row["reference"]
            assert row["only_in_found"] + row["common"] == row["found"]
        if {"recall", "precision", "f1"} <= set(row):
            f1 = 2 * row["recall"] * row["precision"] / (row["recall"] + row["precision"])
            assert row["f1"] == pytest.approx(f1, abs=0.011)


@pytest.mark.shared
@pytest.mark.parametrize("name", with_printed())
def test_the_printed_figures_stand_in_the_paper(name: str) -> None:
    texts = list(PAPERS.glob(f"{TEXT_OF[name.partition('-')[0]]}_*.txt"))
    if not texts:
        pytest.skip("needs the papers beside the repository (../shared/papers)")
    numbers = set(re.findall(r"\d+(?:\.\d+)?", texts[0].read_text().replace(",", ".")))
    numbers |= set(re.findall(r"\d+", re.sub(r"(?<=\d) (?=\d{3})", "", texts[0].read_text())))
    figures = {
        value for row in printed(name) for value in row.values() if isinstance(value, int | float)
    }
    assert {float(number) for number in numbers} >= figures


def shortened(name: str) -> Description:
    """The experiment with few rows: all of them would take minutes."""
    described = open_description(name)
    return dataclasses.replace(
        described,
        sweep={key: values[:1] for key, values in described.sweep.items()},
        blocks=tuple(
            {key: values[:1] for key, values in block.items()} for block in described.blocks[:3]
        ),
    )


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Path]:
    """Documents in the papers' form, their truth, and a folder for the rows of all experiments."""
    folder = tmp_path_factory.mktemp("papers")
    twinset.generate(LICENCES, folder / "made", ops=["replace-words:1%"], limit=30, variants=2)
    made = folder / "made"
    return made / "documents.jsonl", made / "truth.csv", folder / "result"


@pytest.mark.parametrize("name", shipped_names())
def test_every_experiment_runs(name: str, sample: tuple[Path, Path, Path]) -> None:
    documents, truth, folder = sample
    options = {} if name.startswith("zelenkov") else {"truth": truth}
    result = twinset.experiment(documents, shortened(name), folder=folder, **options)
    assert result.table["fault"].null_count == result.table.num_rows
    assert result.manifest["documents"] == 90
    assert set(result.derived) == set(open_description(name).tables)
    for table in result.derived.values():
        assert table.num_rows > 0
    if "printed" in result.derived:
        assert_beside(result)


def assert_beside(result: ExperimentResult) -> None:
    """Each printed figure stands beside the figure of our row with the same keys."""
    quoted = result.description.printed
    ours = result.derived[quoted["table"]] if "table" in quoted else result.table
    by = quoted["by"]
    beside = result.derived["printed"].to_pylist()
    assert len(beside) == len(quoted["rows"])
    compared = [name for name in quoted["columns"] if f"printed_{name}" in beside[0]]
    assert compared
    matched = 0
    for line, values in zip(beside, quoted["rows"], strict=True):
        keys = {name: values[quoted["columns"].index(name)] for name in by}
        rows = [r for r in ours.to_pylist() if all(r[n] == value for n, value in keys.items())]
        for name in compared:
            shown = values[quoted["columns"].index(name)]
            assert line[f"printed_{name}"] == (None if shown == "" else str(shown))
            assert line[name] == (rows[0][name] if rows else None)
        matched += bool(rows)
    if "printed_common" in beside[0]:  # counts of another collection: their shares are beside ours
        first = beside[0]
        share = int(first["printed_common"]) / int(first["printed_reference"])
        assert float(first["printed_recall"]) == pytest.approx(share, abs=1e-4)
        assert f"Recall was {min(float(b['printed_recall']) for b in beside):.2f}" in result.page()
    assert matched or result.description.name in ("kuznetsov-table6", "zelenkov-table7")


@pytest.mark.parametrize(
    ("name", "method"), [("ignatov-table2", "bottom"), ("ignatov-table3", "minwise")]
)
def test_the_five_numbers_are_those_of_brute_force(name: str, method: str) -> None:
    described = open_description(name)
    block = {key: values[:2] for key, values in described.blocks[0].items()} | {"k": [95, 85]}
    result = twinset.experiment(
        LICENCES,
        dataclasses.replace(described, blocks=(block,)),
        truth=ROOT / "examples" / "truth.csv",
    )
    image = f"{method}:size={block['image.size'][0]}"
    findings = twinset.find(LICENCES, clusters="closed", k=1, image=image, shingle=20)
    assert findings.image_clusters is not None
    context: Any = findings.image_clusters.context  # type: ignore[attr-defined]
    images = [set(context[number].tolist()) for number in range(len(context))]
    true = result.truth.side.pairs
    for row, k in zip(result.table.to_pylist(), (95, 85), strict=True):
        similar = [
            pair
            for pair in itertools.combinations(range(len(images)), 2)
            if len(images[pair[0]] & images[pair[1]]) >= k
        ]
        left, right = np.array(similar).T
        common = int(true.contains(left, right).sum())
        assert (row["found"], row["common"]) == (len(similar), common)
        assert row["found"] > 0


def test_faults_of_printed_figures_are_named() -> None:
    values: dict[str, Any] = {
        "sweep": {"k": [1]},
        "printed": {"by": ["key"], "columns": ["k", "found"], "rows": [[1]]},
    }
    with pytest.raises(PlanError) as fault:
        Description.from_values(values)
    text = str(fault.value)
    assert "by names 'key', which is no column" in text
    assert "row 1 has 1 values for 2 columns" in text
    values["printed"] |= {"titel": ""}
    with pytest.raises(PlanError, match="no 'titel'"):
        Description.from_values(values)


def test_the_outputs_of_the_notebook_are_fresh() -> None:
    maker = load(ROOT / "docs" / "make_notebook.py")
    path = maker.NOTEBOOKS[1]
    kept, made = (shown(notebook) for notebook in (maker.read(path), maker.fresh(path)))
    assert kept == made, "run docs/make_notebook.py"
    assert any(kept)


def shown(notebook: dict[str, Any]) -> list[list[dict[str, Any]]]:
    """The outputs of the cells, but for seconds."""
    outputs = [cell["outputs"] for cell in notebook["cells"] if cell["cell_type"] == "code"]
    return [cell for cell in outputs if "seconds" not in json.dumps(cell)]
