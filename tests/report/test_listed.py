"""Documents and pairs found by id: equal ones count as one, and unknown ids name the closest."""

from __future__ import annotations

import pyarrow as pa
import pytest

import twinset
from twinset.errors import ReportError
from twinset.pages.shown import LONG
from twinset.result.texts import listed_pair, number_of

TEXT = "The footbridge over the Arrow will stay closed until the end of August, said the county."
TEXTS = {
    "note-1": TEXT,
    "note-2": TEXT,
    "late": TEXT.replace("August", "September"),
    "poem": "Twice a day the harbour empties itself and fills again without a word.",
}


@pytest.fixture(scope="module", params=[1000, 1], ids=["all pairs", "implied pairs"])
def findings(request: pytest.FixtureRequest) -> twinset.Findings:
    return twinset.dedup(TEXTS, threshold=0.4, max_pairs=request.param)


def test_a_pair_has_its_row_whichever_comes_first(findings: twinset.Findings) -> None:
    rows = {(row["left"], row["right"]): row["score"] for row in findings.pairs.to_pylist()}
    there, back = (listed_pair(findings, *ids) for ids in (("note-1", "late"), ("late", "note-1")))
    assert there is not None
    assert there == back
    assert there["score"] == rows["note-1", "late"]


def test_equal_documents_are_held_as_one(findings: twinset.Findings) -> None:
    first, second = (listed_pair(findings, id, "late") for id in ("note-1", "note-2"))
    assert first is not None
    assert second is not None
    assert first["score"] == second["score"]
    assert {second["left"], second["right"]} == {"note-2", "late"}
    copies = listed_pair(findings, "note-1", "note-2")
    assert copies is not None
    assert copies["score"] == 1


def test_documents_that_are_not_alike_have_no_row(findings: twinset.Findings) -> None:
    assert listed_pair(findings, "poem", "late") is None
    assert listed_pair(findings, "poem", "poem") is None


def test_an_unknown_id_names_the_closest_one(findings: twinset.Findings) -> None:
    with pytest.raises(ReportError, match=r"no document 'Note2' in .*did you mean 'note-2'\?"):
        number_of(findings.documents["id"], "Note2")
    with pytest.raises(ReportError, match=r"no document 'zzzzzz' in this report; ids are"):
        number_of(findings.documents["id"], "zzzzzz")


def test_a_very_long_id_is_cut_in_the_message() -> None:
    ids = pa.chunked_array([pa.array(["a" * 1_000_000, "b"])])
    assert number_of(ids, "a" * 1_000_000) == 0
    with pytest.raises(ReportError) as fault:
        number_of(ids, "a" * 999_999)
    assert len(str(fault.value)) < 2 * LONG
