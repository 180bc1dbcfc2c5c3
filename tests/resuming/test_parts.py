"""Parts on the disk: values come back as they were, and damage is noticed."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from twinset.engine.parts.chain import Chain
from twinset.engine.parts.packing import DamagedPartError, packed, unpacked
from twinset.errors import ReportError
from twinset.model import Batch, Fault, Position, Ragged
from twinset.reading.ledger import FileState

PLAIN = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary()
)
KEYS = st.text() | st.integers()
VALUES = st.recursive(
    PLAIN,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(KEYS, inner, max_size=4)
        | st.sets(st.text(), max_size=4)
    ),
    max_leaves=8,
)
KINDS = st.sampled_from(["u1", "<u4", "<u8", "<i8", "<f8", "?"])
ARRAYS = arrays.arrays(KINDS, arrays.array_shapes(min_dims=0, max_dims=2, min_side=0))


def again(value: Any) -> Any:
    return unpacked(bytearray(b"".join(map(bytes, packed(value)))))


@given(VALUES)
def test_plain_values_come_back(value: Any) -> None:
    assert again(value) == value
    assert type(again(value)) is type(value)


@given(ARRAYS)
def test_arrays_come_back(value: Any) -> None:
    back = again(value)
    assert back.dtype == value.dtype
    assert back.shape == value.shape
    assert back.tobytes() == value.tobytes()


@given(st.lists(st.none() | st.text(), max_size=6), st.integers(0, 3))
def test_columns_come_back_without_what_lies_around_them(texts: list[str | None], cut: int) -> None:
    column = pa.array(texts, pa.large_string()).slice(min(cut, len(texts)))
    assert again(column).equals(column)
    assert again(pa.table({"text": column, "same": column})).num_columns == 2


def test_dataclasses_come_back_field_by_field() -> None:
    batch = Batch(
        pa.array(["1", None]),
        pa.array(["one", None], pa.large_string()),
        "file",
        np.array([1, 2]),
        faults=(Fault("file", 2, "syntax", "bad"),),
        counts=Counter(html_cleaned=2),
        end=Position(1, 0, 1, 20, 2, b"state", 30),
    )
    back = again((batch, FileState(1, 2), Ragged(np.arange(3), np.array([0, 3])), math.inf))
    assert back[0].ids.equals(batch.ids)
    assert back[0].texts.equals(batch.texts)
    assert (back[0].faults, back[0].counts) == (batch.faults, batch.counts)
    assert back[0].end == batch.end
    assert back[1:] == (FileState(1, 2), Ragged(np.arange(3), np.array([0, 3])), math.inf)


@pytest.mark.parametrize("value", [object(), np.array([object()]), pytest, lambda: None])
def test_what_is_no_value_is_refused(value: Any) -> None:
    with pytest.raises(TypeError, match="cannot be kept in a part"):
        packed(value)


def test_no_other_class_is_made(tmp_path: Path) -> None:
    text = b'{"class": "os:system", "fields": {}}'
    head = b"".join(map(bytes, packed(None)))[:0]
    content = head + len(text).to_bytes(8, "little") + bytes(8) + text
    with pytest.raises(DamagedPartError):
        unpacked(bytearray(content))


def written(folder: Path, files: int = 3) -> Chain:
    chain = Chain(folder, "pass")
    for number in range(files):
        chain.add(np.arange(number * 100))
        chain.add({"end": number})
        chain.end_file(wait=True)
    return chain


def numbers(chain: Chain) -> list[Any]:
    return [end["end"] for end in chain.ends()]


def test_a_chain_is_read_and_goes_on(tmp_path: Path) -> None:
    written(tmp_path)
    chain = Chain(tmp_path, "pass")
    assert numbers(chain) == [0, 1, 2]
    assert [len(value) for value in chain.values()] == [0, 100, 200]
    chain.add({"end": 3})
    chain.end_file(wait=True)
    assert numbers(Chain(tmp_path, "pass")) == [0, 1, 2, 3]
    assert numbers(Chain(tmp_path, "other")) == []


@given(st.data())
def test_a_changed_byte_or_a_cut_is_noticed(tmp_path_factory: Any, data: Any) -> None:
    folder = tmp_path_factory.mktemp("parts")
    written(folder)
    file = folder / "pass-000002.part"
    content = bytearray(file.read_bytes())
    at = data.draw(st.integers(0, len(content) - 1))
    if data.draw(st.booleans()):
        del content[at:]
    else:
        content[at] ^= data.draw(st.integers(1, 255))
    file.write_bytes(content)
    chain = Chain(folder, "pass")
    assert numbers(chain) == [0]
    assert [path.name for path in sorted(folder.iterdir())] == ["pass-000001.part"]


def unmade(folder: Path, value: Any, new: bytes) -> None:
    """A whole file whose ``Position`` has another name in it."""
    draft = Chain(folder, "pass")
    for each in value:
        text = b"".join(map(bytes, packed(each)))
        draft.add_packed([text.replace(b'"offset"', new)])
    draft.end_file(wait=True)


def test_values_of_other_code_are_no_traceback(tmp_path: Path) -> None:
    unmade(tmp_path, [1, Position()], b'"offend"')
    assert Chain(tmp_path, "pass").ends() == []
    unmade(tmp_path, [Position(), 1], b'"offend"')
    chain = Chain(tmp_path, "pass")
    assert chain.ends() == [1]
    with pytest.raises(ReportError, match="give --force to begin again"):
        list(chain.values())


def test_a_file_that_is_not_ended_does_not_count(tmp_path: Path) -> None:
    chain = written(tmp_path)
    chain.add({"end": 3})
    assert chain.drafted
    again = Chain(tmp_path, "pass")
    assert numbers(again) == [0, 1, 2]
    assert len(list(tmp_path.iterdir())) == 3
