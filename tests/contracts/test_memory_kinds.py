"""Every kind of data in memory: read as documents, and handed back in the same type."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import twinset
from tests.reading.helpers import gather
from tests.reading.kinds import IDS, KINDS, MASK, TEXTS, KindCase
from twinset.errors import TwinsetError
from twinset.plan import ReadOptions
from twinset.reading.memory import from_memory
from twinset.reading.memory.tables import MemoryTable

each_kind = pytest.mark.parametrize("case", KINDS, ids=lambda case: case.name)


@each_kind
def test_documents_are_read_any_number_of_times(case: KindCase) -> None:
    case.skip_without_library()
    documents = from_memory(case.make())
    for _ in range(2):
        rows = gather(documents)
        assert rows.ids == list(case.ids)
        assert rows.texts == TEXTS
        assert not rows.faults


@each_kind
def test_kept_and_removed_have_the_type_that_was_handed_over(case: KindCase) -> None:
    case.skip_without_library()
    data = case.make()
    kept_type = case.kept_type or type(data)
    if case.name == "Arrow dataset":
        kept_type = type(case.filtered(data, MASK))
    findings = twinset.dedup(data)
    assert findings.mask.tolist() == MASK
    assert findings.kept_indices.tolist() == [0, 1, 3]
    assert findings.removed_indices.tolist() == [2, 4]
    for selected, mask in (
        (findings.kept, MASK),
        (findings.removed, [not keep for keep in MASK]),
        (findings.kept, MASK),  # as often as one likes
    ):
        assert type(selected) is kept_type
        assert case.plain(selected) == case.plain(case.filtered(case.make(), mask))


@each_kind
def test_nothing_and_everything_can_be_selected(case: KindCase) -> None:
    case.skip_without_library()
    documents = from_memory(case.make())
    gather(documents)
    for mask in ([False] * 5, [True] * 5):
        selected = documents.select(np.array(mask))
        assert case.plain(selected) == case.plain(case.filtered(case.make(), mask))


@each_kind
def test_only_the_columns_that_are_needed_are_converted(case: KindCase) -> None:
    case.skip_without_library()
    for part in from_memory(case.make()).parts.values():
        if isinstance(part, MemoryTable):
            assert set(part.columns()) > {"id", "text"}
            assert [table.schema.names for table in part.arrow(["text"])] in (
                [["text"]],
                [["text"]] * 2,
            )


def test_after_find_nothing_is_kept() -> None:
    findings = twinset.find(TEXTS)
    for name in ("kept", "removed", "mask", "kept_indices", "removed_indices"):
        with pytest.raises(TwinsetError, match=r"call twinset\.dedup"):
            getattr(findings, name)
    assert findings.to_polars()["keep"].null_count() == 5


def test_the_decisions_as_frames() -> None:
    findings = twinset.dedup(dict(zip(IDS, TEXTS, strict=True)))
    rows = [
        {"id": "7", "cluster": 0, "keep": True, "kept_id": None, "score": None, "status": "ok"},
        {"id": "8", "cluster": 1, "keep": True, "kept_id": None, "score": None, "status": "ok"},
        {"id": "9", "cluster": 0, "keep": False, "kept_id": "7", "score": 1.0, "status": "ok"},
        {"id": "10", "cluster": None, "keep": True, "kept_id": None, "score": None, "status": "ok"},
        {"id": "11", "cluster": 1, "keep": False, "kept_id": "8", "score": 1.0, "status": "ok"},
    ]
    assert findings.to_polars().to_dicts() == rows
    frame = findings.to_pandas()
    assert frame["keep"].dtype == bool
    assert str(frame["cluster"].dtype) == "Int64"
    assert frame["id"].tolist() == IDS


@pytest.mark.parametrize("case", [c for c in KINDS if c.name in ("list of dicts", "splits")])
def test_data_that_has_changed_is_refused(case: KindCase) -> None:
    case.skip_without_library()
    documents = from_memory(case.make())
    gather(documents)
    with pytest.raises(TwinsetError, match="run again"):
        documents.select(np.array([True] * 4))


def test_no_library_is_imported_to_tell_kinds_apart() -> None:
    code = (
        "import sys, twinset\n"
        "assert twinset.dedup(['one two three'] * 2).kept == ['one two three']\n"
        "loaded = {'pandas', 'polars', 'datasets', 'duckdb'} & set(sys.modules)\n"
        "assert not loaded, loaded\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_splits_that_are_only_compared_with() -> None:
    case = next(case for case in KINDS if case.name == "splits")
    case.skip_without_library()
    findings = twinset.dedup(case.make(), reference=["test"])
    assert findings.mask.tolist() == [True, False, False, True, True]
    assert {name: len(part) for name, part in findings.kept.items()} == {"train": 1, "test": 2}
    assert findings.documents["source"].to_pylist() == ["train"] * 3 + ["test"] * 2
    assert findings.manifest["inputs"] == [
        {"source": "train", "documents": 3},
        {"source": "test", "documents": 2, "reference": True},
    ]
    assert findings.texts(["10"]) == {"10": TEXTS[3]}
    with pytest.raises(TwinsetError, match="no split 'tset'; did you mean 'test'"):
        twinset.dedup(case.make(), reference=["tset"])
    with pytest.raises(TwinsetError, match="list has no splits"):
        twinset.dedup(TEXTS, reference=["test"])


def test_documents_of_splits_without_ids_are_named_by_both() -> None:
    case = next(case for case in KINDS if case.name == "splits")
    case.skip_without_library()
    documents = from_memory(case.make().remove_columns("id"), ReadOptions())
    assert gather(documents).ids == ["train:0", "train:1", "train:2", "test:0", "test:1"]
