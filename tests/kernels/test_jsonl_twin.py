"""The JSON-lines kernel against Python's json: whatever it does not call odd must agree."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.kernels.examples import examples
from twinset import _kernels

TEXT = st.text(st.characters(codec="utf-8"), max_size=60) | st.text('aб"\\/\n\t <😀', max_size=200)
KEYS = st.sampled_from(["id", "text", "order", "meta", "a", "b", "", "a.b"]) | TEXT
NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
SCALARS = st.none() | st.booleans() | NUMBERS | TEXT
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=8,
)
RECORDS = st.fixed_dictionaries(
    {}, optional={"id": SCALARS, "text": TEXT, "order": SCALARS, "meta": VALUES, "a": VALUES}
)
PIECES = [b"", b'"', b"\\", b"{", b"}", b"[", b"]", b",", b":", b"\xff", b"\xed\xa0\x80", b"\\u"]
PIECES += [b"\\ud800", b"0", b"-", b".", b"e", b" ", b"\t", b"\x00", b"NaN", b"nul"]
PATHS = st.sampled_from([("id", "text", "order"), ("meta.id", "a.b", "a.a"), ("a", "a", "a.b")])


def twin(line: bytes, path: str) -> Any:
    """The value under a dotted name as Python's json sees it."""
    value = json.loads(line.decode())
    for key in path.split("."):
        value = value.get(key) if isinstance(value, dict) else None
    return value


def check(line: bytes, paths: tuple[str, str, str]) -> bool:
    """Compares one line; True when the kernel took it."""
    block = np.frombuffer(line + b"\n", dtype=np.uint8)
    found = _kernels.jsonl_rows(block, *paths, 1)
    if not line.strip(b" \t\r\n"):
        assert len(found["odd"]) == 0
        return False
    assert len(found["odd"]) == 1
    if found["odd"][0]:
        assert len(found["texts"]) == 0
        return False
    assert isinstance(json.loads(line.decode()), dict)
    text = twin(line, paths[1])
    assert isinstance(text, str)
    wanted = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    assert found["texts"].tobytes().decode() == wanted
    id = twin(line, paths[0])
    assert bool(found["has_id"][0]) == (id is not None and id != "")
    if found["has_id"][0]:
        clean = str(id).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        assert found["ids"].tobytes().decode() == clean
    order = twin(line, paths[2])
    if order is None:
        assert math.isnan(found["order"][0])
    else:
        assert not isinstance(order, (bool, str))
        assert found["order"][0] == float(order)
    return True


@examples(300)
@given(RECORDS, st.booleans(), st.sampled_from([None, 1]), PATHS)
def test_generated_records(record: Any, ascii: bool, indent: int | None, paths: Any) -> None:
    line = json.dumps(record, ensure_ascii=ascii, indent=indent).replace("\n", " ").encode()
    check(line, paths)


@examples(200)
@given(TEXT, st.integers(-(10**17), 10**17), st.booleans())
def test_ordinary_records_are_taken(text: str, id: int, ascii: bool) -> None:
    line = json.dumps({"id": id, "x": [1, {"y": None}], "text": text}, ensure_ascii=ascii)
    assert check(line.encode(), ("id", "text", "order"))


@examples(600)
@example({}, [(600, b"\xff", 0)])
@example({}, [(600, b"\xed\xa0\x80", 0)])
@given(
    RECORDS,
    st.lists(
        st.tuples(
            st.integers(0, 1000),
            st.sampled_from(PIECES),
            st.integers(0, 3),
        ),
        min_size=1,
        max_size=3,
    ),
)
def test_mutated_lines_are_never_silently_accepted(record: Any, cuts: Any) -> None:
    line = json.dumps({"id": 1, "text": "some text", **record}, ensure_ascii=False).encode()
    for at, piece, gone in cuts:
        at = at * len(line) // 1000
        line = line[:at] + piece + line[at + gone :]
    if b"\n" in line:
        return
    try:
        json.loads(line.decode())
    except (ValueError, RecursionError):
        assert not check_odd_or_fails(line)
        return
    check(line, ("id", "text", "order"))


PART = st.tuples(KEYS, st.none() | st.just({}) | st.dictionaries(KEYS, TEXT, max_size=2) | TEXT)


@examples(300)
@example([("a", {"b": "x"}), ("a", {})], ("id", "a.b", "order"))
@given(st.lists(PART, max_size=5), PATHS)
def test_repeated_keys(parts: list[tuple[str, Any]], paths: Any) -> None:
    pairs = (f"{json.dumps(key)}: {json.dumps(value)}" for key, value in parts)
    check(f"{{{', '.join(pairs)}}}".encode(), paths)


def check_odd_or_fails(line: bytes) -> bool:
    """True when the kernel took a line that json does not take."""
    found = _kernels.jsonl_rows(
        np.frombuffer(line + b"\n", dtype=np.uint8), "id", "text", "order", 1
    )
    return any(not odd for odd in found["odd"])


@examples(100)
@given(
    st.lists(st.binary(max_size=30) | RECORDS.map(lambda r: json.dumps(r).encode()), max_size=20)
)
@example([b"", b" ", b'{"text": "a"}'])
def test_threads_and_lines_agree(lines: list[bytes]) -> None:
    data = b"\n".join(lines)
    block = np.frombuffer(data, dtype=np.uint8)
    one = _kernels.jsonl_rows(block, "id", "text", "order", 1)
    two = _kernels.jsonl_rows(block, "id", "text", "order", 2)
    room = np.full(len(data) + 1, 255, np.uint8)
    inside = _kernels.jsonl_rows(block, "id", "text", "order", 1, room)
    inside["texts"] = room[: inside["text_offsets"][-1]]
    for name, values in one.items():
        np.testing.assert_array_equal(values, two[name], name)
        np.testing.assert_array_equal(values, inside[name], name)
    assert room[-1] == 255
    pieces = data.split(b"\n")
    pieces = pieces[:-1] if pieces[-1] == b"" else pieces
    assert one["lines"] == len(pieces)
    numbers = [i for i, piece in enumerate(pieces, 1) if piece.strip(b" \t\r")]
    assert one["line"].tolist() == numbers
    ends = _kernels.line_ends(block, 2)
    assert [data[b:e].rstrip(b"\n") for b, e in zip([0, *ends], ends, strict=False)] == [
        piece.rstrip(b"\n") for piece in pieces
    ]


def test_a_room_is_large_enough_and_for_one_thread() -> None:
    block = np.frombuffer(b'{"text": "a"}\n', np.uint8)
    with pytest.raises(ValueError, match="as large as the block"):
        _kernels.jsonl_rows(block, "id", "text", "", 1, np.empty(len(block) - 1, np.uint8))
    with pytest.raises(ValueError, match="only one thread"):
        _kernels.jsonl_rows(block, "id", "text", "", 2, np.empty(len(block), np.uint8))
