"""Signals as components of similarity vectors: the same numbers in training and in find."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import twinset
from tests.contracts.models import labelled_collection
from twinset.errors import PlanError
from twinset.finding.methods.profiles import ViewProfiles
from twinset.finding.methods.similarity_model import read_model
from twinset.finding.signals import Profiles, signal_table
from twinset.lab.learn import Learning

TEXTS, LABELS = labelled_collection()
FEATURES = ("signals.lcs", "words.cosine", "signals.numbers")


@pytest.fixture(scope="module")
def model() -> twinset.Model:
    return twinset.learn(TEXTS, LABELS, features=FEATURES, kernel="linear", c=1)


def test_components_are_those_of_the_signals() -> None:
    texts = ["one two 3 four five", "one two 4 four six", "seven 3 eight nine", ""]
    left, right = np.triu_indices(len(texts), 1)
    options = Learning.make(["signals.lcs", "words.jaccard", "signals.numbers", "signals.covered3"])
    profiles = ViewProfiles(options.views, {"word": _frequencies(texts)}, None, signals=True)
    for begin in (0, 2):  # in batches
        profiles.add(pa.array(texts[begin : begin + 2]), 1)
    ends = left.astype(np.uint32), right.astype(np.uint32)
    vectors = profiles.vectors(options.features, *ends, 1)
    names = ["lcs", "numbers", "covered3"]
    expected = signal_table(Profiles.of([pa.array(texts)]), left, right, names)
    assert np.array_equal(vectors[:, [0, 2, 3]], expected)
    assert np.array_equal(vectors[:, [1]], profiles.vectors(["words.jaccard"], *ends, 1))


def _frequencies(texts: list[str]) -> object:
    from twinset.text.terms import TermSurvey

    survey = TermSurvey(["word"], 1)
    survey.add(pa.array(texts))
    return survey.finish()["word"]


def test_a_saved_model_asks_for_its_signals_again(model: twinset.Model, tmp_path) -> None:
    path = model.save(tmp_path / "model.json")
    assert read_model(path).features == FEATURES
    findings = twinset.find(TEXTS, method=f"learned:model={path}", threads=2)
    assert findings.pairs.num_rows
    assert {"signals_lcs", "signals_numbers"} <= set(findings.pairs.column_names)
    first = findings.pairs["left"][0].as_py()
    rows = findings.pairs.to_pylist()
    lcs = findings.signals(first, rows[0]["right"])["lcs"]
    assert rows[0]["signals_lcs"] == lcs


def test_signals_that_depend_on_the_collection_are_refused() -> None:
    with pytest.raises(
        PlanError, match=r"'signals\.z5c' depends on the other documents.*lcs_short"
    ):
        Learning.make(["words.cosine", "signals.z5c"])
    with pytest.raises(
        PlanError, match=r"no feature 'signals\.cosine'.*or signals\.NAME, with jacc"
    ):
        Learning.make(["signals.cosine"])
