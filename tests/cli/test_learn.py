"""``twinset lab learn`` as a user calls it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Twinset
from tests.contracts.models import labelled_collection

QUICK = ("--features", "paper", "--c", "10", "--gamma", "0.1", "-q")


@pytest.fixture
def inputs(tmp_path: Path) -> tuple[Path, Path]:
    """Documents and labels in files."""
    texts, labels = labelled_collection()
    documents, file = tmp_path / "corpus.jsonl", tmp_path / "labels.csv"
    lines = (json.dumps({"id": id, "text": text}) for id, text in texts.items())
    documents.write_text("\n".join(lines) + "\n", encoding="utf-8")
    rows = "".join(f"{a},{b},{label}\n" for a, b, label in labels)
    file.write_text(f"left,right,label\n{rows}", encoding="utf-8")
    return documents, file


def test_learn_tells_what_was_learnt_and_find_uses_it(
    twinset: Twinset, inputs: tuple[Path, Path]
) -> None:
    documents, labels = inputs
    done = twinset("lab", "learn", documents, "--labels", labels, "-o", "model.json", *QUICK)
    assert done.returncode == 0, done.stderr
    for part in (
        "Learnt from 80 near-duplicates and 100 other pairs.",
        "Kernel rbf with C 10 and gamma 0.1; in cross-validation of 5 folds F1 is 0.",
        "Candidates are pairs whose heaviest words have a cosine of 0.",
        "pairs that were held out:",
        "the model ",
        " alone ",
        "What F1 loses when one similarity is shuffled:",
        "  words.jaccard  ",
        "Model: model.json",
    ):
        assert part in done.stdout
    assert done.stderr == ""
    spec = "learned:model=model.json"
    found = twinset("find", documents, "-o", "report", "--method", spec, "-q")
    assert found.returncode == 0, found.stderr
    assert "the model model.json gives a score of 0.5 or more" in found.stdout


def test_learn_says_which_decision_was_saved_and_what_would_do_better(
    twinset: Twinset, tmp_path: Path
) -> None:
    examples = Path(__file__).resolve().parents[2] / "examples"
    licences = (examples / "collection" / "licenses.jsonl", "--labels", examples / "clusters.csv")
    asked = ("--kernel", "rbf", *QUICK)
    done = twinset("lab", "learn", *licences, "-o", "asked.json", *asked)
    assert done.returncode == 0, done.stderr
    assert "Saved: the machine that was asked for" in done.stdout
    assert "Advice: words.jaccard >= 0." in done.stdout
    model = json.loads((tmp_path / "asked.json").read_text(encoding="utf-8"))
    assert model["svm"]["kernel"] == "rbf"
    assert len(model["svm"]["vectors"]) > 1
    improved = twinset("lab", "learn", *licences, "-o", "improved.json", *asked, "--improve")
    assert "Saved: words.jaccard >= 0." in improved.stdout
    assert "Advice" not in improved.stdout
    model = json.loads((tmp_path / "improved.json").read_text(encoding="utf-8"))
    assert model["svm"]["kernel"] == "linear"


def test_learn_prints_weights_of_a_linear_machine(
    twinset: Twinset, inputs: tuple[Path, Path]
) -> None:
    options = ("--features", "paper,length.ratio", "--kernel", "linear", "--c", "1", "-q")
    done = twinset("lab", "learn", inputs[0], "--labels", inputs[1], "-o", "m.json", *options)
    assert "Weights (of scaled similarities):" in done.stdout
    assert "gamma" not in done.stdout


def test_degree_and_constant_of_a_kernel_are_given(
    twinset: Twinset, inputs: tuple[Path, Path], tmp_path: Path
) -> None:
    given = {"poly": ("--degree", "2", "--coef0", "0.5"), "sigmoid": ("--coef0", "-1")}
    for kernel, options in given.items():
        fixed = ("--kernel", kernel, "--c", "1", "--gamma", "0.1", *options, "-q")
        done = twinset(
            "lab", "learn", inputs[0], "--labels", inputs[1], "-o", "k.json", *fixed, "--force"
        )
        assert done.returncode == 0, done.stderr
        svm = json.loads((tmp_path / "k.json").read_text(encoding="utf-8"))["svm"]
        expected = {"poly": (2, 0.5), "sigmoid": (3, -1.0)}[kernel]
        assert (svm["kernel"], svm["degree"], svm["coef0"]) == (kernel, *expected)


def test_learn_prints_json(twinset: Twinset, inputs: tuple[Path, Path]) -> None:
    documents, labels = inputs
    done = twinset("lab", "learn", documents, "--labels", labels, "-o", "m.json", "--json", *QUICK)
    told = json.loads(done.stdout)
    assert told["model"] == "m.json"
    assert told["positive"] == 80
    assert told["held_out"]["model"]["f1"] > 0.8
    assert told["candidate_level"]["view"] == "words"
    assert set(told["held_out"]["baseline"]) >= {"feature", "threshold", "f1", "true_positive"}


def test_columns_and_grades_are_chosen(
    twinset: Twinset, inputs: tuple[Path, Path], tmp_path: Path
) -> None:
    rows = inputs[1].read_text().splitlines()[1:]
    graded = tmp_path / "graded.csv"
    lines = (f"{row.rpartition(',')[0]},x,{3 + int(row[-1])}" for row in rows)
    graded.write_text("this,that,note,mark\n" + "\n".join(lines) + "\n")
    given = ("lab", "learn", inputs[0], "--labels", graded, "-o", "m.json", *QUICK)
    columns = ("--labels-columns", "this,that,mark")
    refused = twinset(*given, *columns)
    assert refused.returncode == 2
    assert "grades from 3 to 4" in refused.stderr
    done = twinset(*given, *columns, "--grade", "4")
    assert "Learnt from 80 near-duplicates and 100 other pairs." in done.stdout
    unclear = twinset(*given, "--force")
    assert unclear.returncode == 1
    assert "--labels-columns" in unclear.stderr


def told(twinset: Twinset, *arguments: object) -> tuple[int, str]:
    done = twinset("lab", "learn", *arguments, "-o", "model.json", *QUICK)
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    return done.returncode, done.stderr


def test_faults_are_sentences_with_the_remedy(
    twinset: Twinset, inputs: tuple[Path, Path], tmp_path: Path
) -> None:
    documents, labels = inputs
    code, message = told(twinset, documents)
    assert (code, "give either labels (--labels FILE)" in message) == (2, True)
    one = tmp_path / "one.csv"
    one.write_text("left,right,label\na00,a01,1\na02,a03,1\n")
    code, message = told(twinset, documents, "--labels", one)
    assert (code, "label pairs of the other class" in message) == (1, True)
    one.write_text("left,right,label\na00,a01,1\na01,a00,0\n")
    code, message = told(twinset, documents, "--labels", one)
    assert (code, "label pairs of the other class" in message) == (1, True)
    one.write_text("left,right,label\na00,a01,1\na02,a03,0\n")
    code, message = told(twinset, documents, "--labels", one)
    assert (code, "too few for cross-validation" in message) == (2, True)
    code, message = told(twinset, documents, "--labels", tmp_path / "none.csv")
    assert (code, "there is no such file" in message) == (2, True)
    (tmp_path / "model.json").write_text("{}")
    code, message = told(twinset, documents, "--labels", labels)
    assert (code, "exists: choose another name, or --force" in message) == (1, True)
