"""Values kept in files: they come back as they were, and what was damaged is noticed."""

from __future__ import annotations

import math
import os
import pickle
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from twinset.errors import ReportError
from twinset.model import Batch, Fault, Position, Ragged
from twinset.reading.ledger import FileFact
from twinset.run import parts
from twinset.run.parts import PartsFolder, load, packed, unpacked


def again(value: Any) -> Any:
    return unpacked(packed(value))


def test_dataclasses_come_back_field_by_field() -> None:
    batch = Batch(
        pa.array(["a", None]),
        pa.array(["text", None], pa.large_string()),
        "file.jsonl",
        np.array([1, 2]),
        order=np.array([1.5, math.nan]),
        faults=(Fault("file.jsonl", 2, "bad", "why"),),
        counts=Counter(bad=1),
        end=Position(0, 1, 99, 2),
    )
    new = again(batch)
    assert new.texts.equals(batch.texts)
    assert (new.source, new.faults, new.counts) == (batch.source, batch.faults, batch.counts)
    assert new.end == batch.end
    assert new.order.tobytes() == np.array([1.5, math.nan]).tobytes()
    lists = Ragged(np.arange(4), np.array([0, 1, 4]))
    assert again(lists) == lists
    fact = FileFact(b"a", None, None, 1, 2)
    assert again(fact) == fact
    assert type(again(np.uint64(7))) is np.uint64


def test_no_other_class_is_made() -> None:
    class Evil:
        def __reduce__(self) -> Any:
            return os.system, ("true",)

    for content in (pickle.dumps(Evil()), b"ctwinset.system.temporary\nremove\n."):
        with pytest.raises(pickle.UnpicklingError, match="no class of values"):
            unpacked(content)


def kept(path: Path, numbers: range) -> PartsFolder:
    folder = PartsFolder(path)
    for number in numbers:
        folder.keep("pass", number, {"value": number})
    return folder


def values(folder: PartsFolder) -> list[int]:
    return [load(path)["value"] for path in folder.whole("pass")]


@given(st.data())
def test_a_changed_byte_or_a_cut_is_noticed_and_the_rest_goes_on(
    tmp_path_factory: Any, data: Any
) -> None:
    path = tmp_path_factory.mktemp("parts")
    folder = kept(path, range(1, 4))
    assert values(folder) == [1, 2, 3]
    damaged = data.draw(st.integers(1, 3))
    file = sorted(path.iterdir())[damaged - 1]
    content = bytearray(file.read_bytes())
    place = data.draw(st.integers(0, len(content) - 1))
    if data.draw(st.booleans()):
        del content[place:]
    else:
        content[place] ^= data.draw(st.integers(1, 255))
    file.write_bytes(content)
    assert values(folder) == [*range(1, damaged)]
    assert len(list(path.iterdir())) == damaged - 1
    assert values(kept(path, range(damaged, 5))) == [1, 2, 3, 4]


def test_values_of_other_code_are_no_traceback(tmp_path: Path, monkeypatch: Any) -> None:
    def of_other_code(value: Any) -> bytes:
        return packed(value).replace(b"Position", b"Positioo")

    monkeypatch.setattr(parts, "packed", of_other_code)
    folder = PartsFolder(tmp_path)
    folder.keep("pass", 1, Position())
    with pytest.raises(ReportError, match="give --force to begin again"):
        load(folder.whole("pass")[0])
