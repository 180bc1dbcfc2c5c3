"""What the edit similarity compares: all words, cleaned words, or the raw text."""

from __future__ import annotations

import gc
import re
import tempfile
import warnings
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import twinset
from tests.kernels.examples import examples
from twinset.errors import PlanError
from twinset.finding.verify.texts import TextStore
from twinset.lab.experiment import Yardstick
from twinset.lab.truth import TruthOptions
from twinset.text.stopwords import stop_words

LEFT = "The committee, with all its members, approved the report."
RIGHT = "COMMITTEE members approved this (long) report!"


def cleaned(text: str) -> str:
    """Without stop words and words of up to three letters, as in section 5 of the paper."""
    stop = set(stop_words("en+ru"))
    every = re.findall(r"\w+", text.lower())
    return " ".join(word for word in every if len(word) > 3 and word not in stop)


PLAIN = {
    "words": lambda text: " ".join(re.findall(r"\w+", text.lower())),
    "cleaned": cleaned,
    "raw": lambda text: text,
}


def similarity(a: str, b: str) -> float:
    row = [0] * (len(b) + 1)
    for x in a:
        before = 0
        for j, y in enumerate(b):
            before, row[j + 1] = row[j + 1], before + 1 if x == y else max(row[j], row[j + 1])
    return 2 * row[-1] / (len(a) + len(b))


@pytest.mark.parametrize("kind", PLAIN)
def test_the_check_compares_the_text_that_it_names(kind: str) -> None:
    expected = similarity(PLAIN[kind](LEFT), PLAIN[kind](RIGHT))
    verify = f"edit:threshold=0.1,text={kind}"
    texts = {"a": LEFT, "b": RIGHT}
    findings = twinset.find(texts, 0.1, method="exact:shingle=1", verify=verify)
    assert findings.pairs["score"].to_pylist() == [pytest.approx(expected, abs=1e-12)]
    assert f"text={kind}" in findings.manifest["plan"]["verify"]


def test_the_three_texts_are_not_alike() -> None:
    assert len({similarity(make(LEFT), make(RIGHT)) for make in PLAIN.values()}) == 3


@given(st.lists(st.text("aB é漢.\n 😀", max_size=12), max_size=4))
@examples(100)
def test_raw_texts_come_back_as_they_are(texts: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = TextStore(folder, "raw")
        for begin in range(0, len(texts), 2):
            store.add(texts[begin : begin + 2], 1)
        store.finish()
        assert [store.text(number) for number in range(len(texts))] == texts
        assert store.characters.tolist() == [len(text) for text in texts]


@pytest.mark.parametrize(
    ("judge", "least", "kind"),
    [
        (0.8, 0.8, "words"),
        ("0.7", 0.7, "words"),
        ("edit:0.6", 0.6, "words"),
        ("edit:text=cleaned", 0.8, "cleaned"),
        ("edit:0.9,text=raw", 0.9, "raw"),
    ],
)
def test_the_judge_is_a_number_or_a_check(judge: Any, least: float, kind: str) -> None:
    yardstick = Yardstick(TruthOptions(None), judge=judge)
    assert (yardstick.least, yardstick.check.text) == (least, kind)
    assert yardstick.faults() == []


@pytest.mark.parametrize("judge", ["jaccard:0.8", "none", "edit:0.8,text=clean", "edit:7", "much"])
def test_a_judge_that_is_none_is_refused(judge: str) -> None:
    with pytest.raises(PlanError, match="judge: "):
        twinset.compare({"a": LEFT, "b": RIGHT}, "md5,tf", judge=judge)


@pytest.mark.usefixtures("runs_here")
def test_the_pool_is_judged_on_cleaned_texts() -> None:
    texts = {"a": LEFT, "b": "The committee members approved all of it: a report"}
    shares = {}
    for kind in PLAIN:
        result = twinset.compare(
            texts, ["md5", "exact:shingle=1"], threshold=0.2, judge=f"edit:0.9,text={kind}"
        )
        assert result.manifest["judged_text"] == kind
        shares[kind] = dict(
            zip(*(result.table[name].to_pylist() for name in ("name", "precision")), strict=True)
        )["exact:shingle=1"]
    assert shares == {"words": 0.0, "cleaned": 1.0, "raw": 0.0}


def test_a_run_closes_the_file_of_its_texts() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ResourceWarning)
        twinset.dedup([LEFT, LEFT, RIGHT])
        twinset.find([LEFT, LEFT, RIGHT], verify="edit")
        gc.collect()
    assert [str(each.message) for each in caught if each.category is ResourceWarning] == []
