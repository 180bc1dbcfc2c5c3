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
from twinset.reading.ledger import FileState
from twinset.run.parts import _DIGESTS, Chain, _digest, packed, unpacked


def again(value: Any) -> Any:
    return unpacked(packed(value))


@given(st.lists(st.none() | st.text()), st.integers(0, 5))
def test_columns_come_back_without_what_lies_around_them(texts: list[str | None], cut: int) -> None:
    for kind in (pa.string(), pa.large_string()):
        column = pa.array(texts, kind).slice(min(cut, len(texts)))
        assert again(column).equals(column)
    around = pa.array(["x" * 100_000, "y"]).slice(1)
    assert len(packed(around)) < 2000


def test_dataclasses_come_back_field_by_field() -> None:
    batch = Batch(
        pa.array(["a", None]),
        pa.array(["text", None], pa.large_string()),
        "file.jsonl",
        np.array([1, 2]),
        order=np.array([1.5, math.nan]),
        faults=(Fault("file.jsonl", 2, "bad", "why"),),
        counts=Counter(bad=1),
        end=Position(1, 0, 1, 99, 2),
    )
    new = again(batch)
    assert new.texts.equals(batch.texts)
    assert (new.source, new.faults, new.counts) == (batch.source, batch.faults, batch.counts)
    assert new.end == batch.end
    assert new.order.tobytes() == np.array([1.5, math.nan]).tobytes()
    assert again(Ragged(np.arange(4), np.array([0, 1, 4]))) == Ragged(
        np.arange(4), np.array([0, 1, 4])
    )
    state = FileState(1, 2)
    assert again(state) == state
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
            chain.add(packed({"file": number, "value": value}))
        chain.end_file(f"end {number}", wait=True)
    return chain


def numbers(chain: Chain) -> list[Any]:
    return [(value["file"], value["value"]) for value in chain.values()]


def test_a_chain_is_read_and_goes_on(tmp_path: Path) -> None:
    written(tmp_path)
    chain = Chain(tmp_path, "pass")
    assert chain.ends() == ["end 0", "end 1", "end 2"]
    assert numbers(chain) == [(file, value) for file in range(3) for value in range(3)]
    chain.add(packed({"file": 3, "value": 0}))
    chain.end_file("end 3", wait=True)
    chain = Chain(tmp_path, "pass")
    assert chain.ends()[-1] == "end 3"
    assert numbers(chain)[-1] == (3, 0)
    chain.forget()
    assert list(tmp_path.iterdir()) == []


@given(st.data())
def test_a_changed_byte_or_a_cut_is_noticed(tmp_path_factory: Any, data: Any) -> None:
    folder = tmp_path_factory.mktemp("chain")
    written(folder)
    files = sorted(folder.iterdir())
    file = data.draw(st.sampled_from(files))
    content = bytearray(file.read_bytes())
    place = data.draw(st.integers(0, len(content) - 1))
    if data.draw(st.booleans()):
        del content[place:]
    else:
        content[place] ^= data.draw(st.integers(1, 255))
    file.write_bytes(content)
    chain = Chain(folder, "pass")
    whole = files.index(file) // 2
    assert chain.ends() == [f"end {number}" for number in range(whole)]
    assert numbers(chain) == [(number, value) for number in range(whole) for value in range(3)]
    assert len(list(folder.iterdir())) == 2 * whole


def test_values_of_other_code_are_no_traceback(tmp_path: Path) -> None:
    chain = Chain(tmp_path, "pass")
    chain.add(packed(Position()).replace(b"Position", b"Positioo"))
    chain.end_file("end", wait=True)
    with pytest.raises(ReportError, match="give --force to begin again"):
        list(chain.values())
    end = packed(Position()).replace(b"Position", b"Positioo")
    (tmp_path / "more-000001.end").write_bytes(_DIGESTS.pack(_digest(end), 0) + end)
    assert Chain(tmp_path, "more").ends() == []


def test_a_file_that_is_not_ended_does_not_count(tmp_path: Path) -> None:
    chain = written(tmp_path, 1)
    chain.add(packed({"file": 1, "value": 0}))
    assert chain.drafted
    again = Chain(tmp_path, "pass")
    assert again.ends() == ["end 0"]
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "pass-000001.end",
        "pass-000001.part",
    ]
