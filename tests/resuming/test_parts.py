"""Values kept in files: they come back as they were, and what was damaged is noticed."""

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

from twinset.errors import ReportError
from twinset.model import Batch, Fault, Position, Ragged
from twinset.reading.ledger import FileFact
from twinset.run import parts
from twinset.run.parts import Chain, packed, unpacked


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
    assert again(Ragged(np.arange(4), np.array([0, 1, 4]))) == Ragged(
        np.arange(4), np.array([0, 1, 4])
    )
    fact = FileFact(b"a", None, None, 1, 2)
    assert again(fact) == fact
    assert type(again(np.uint64(7))) is np.uint64


def test_no_other_class_is_made() -> None:
    import os
    import pickle

    class Evil:
        def __reduce__(self) -> Any:
            return os.system, ("true",)

    with pytest.raises(pickle.UnpicklingError, match="no class of values"):
        unpacked(pickle.dumps(Evil()))
    with pytest.raises(pickle.UnpicklingError, match="no class of values"):
        unpacked(b"ctwinset.system.temporary\nremove\n.")


def written(folder: Path, files: int = 3) -> Chain:
    chain = Chain(folder, "pass")
    for number in range(files):
        for value in range(3):
            chain.add((number, value))
        chain.end_file(f"end {number}")
    chain.wait()
    return chain


def test_a_chain_is_read_and_goes_on(tmp_path: Path) -> None:
    written(tmp_path).add("not ended: does not count")
    chain = Chain(tmp_path, "pass")
    assert chain.ends() == ["end 0", "end 1", "end 2"]
    assert list(chain.values()) == [(file, value) for file in range(3) for value in range(3)]
    chain.add((3, 0))
    chain.end_file("end 3")
    chain.wait()
    chain = Chain(tmp_path, "pass")
    assert chain.ends()[-1] == "end 3"
    assert list(chain.values())[-1] == (3, 0)
    assert len(list(tmp_path.iterdir())) == 4


@given(st.data())
def test_a_changed_byte_or_a_cut_is_noticed(tmp_path_factory: Any, data: Any) -> None:
    folder = tmp_path_factory.mktemp("chain")
    written(folder)
    whole = data.draw(st.integers(0, 2))
    file = sorted(folder.iterdir())[whole]
    content = bytearray(file.read_bytes())
    place = data.draw(st.integers(0, len(content) - 1))
    if data.draw(st.booleans()):
        del content[place:]
    else:
        content[place] ^= data.draw(st.integers(1, 255))
    file.write_bytes(content)
    chain = Chain(folder, "pass")
    assert chain.ends() == [f"end {number}" for number in range(whole)]
    assert list(chain.values()) == [
        (number, value) for number in range(whole) for value in range(3)
    ]
    assert len(list(folder.iterdir())) == whole


def test_values_of_other_code_are_no_traceback(tmp_path: Path, monkeypatch: Any) -> None:
    def of_other_code(value: Any) -> bytes:
        return packed(value).replace(b"Position", b"Positioo")

    monkeypatch.setattr(parts, "packed", of_other_code)
    chain = Chain(tmp_path, "pass")
    chain.add(Position())
    chain.end_file("end")
    chain.wait()
    with pytest.raises(ReportError, match="give --force to begin again"):
        list(chain.values())
    more = Chain(tmp_path, "more")
    more.end_file(Position())
    more.wait()
    assert Chain(tmp_path, "more").ends() == []
