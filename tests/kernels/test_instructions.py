"""Every set of vector instructions that the processor has gives what plain loops give."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st
from text_strategies import document, pack

from tests.kernels.examples import examples
from twinset import _kernels

MARKS = "“quoted” – and… no\u00a0break "
LONG = st.lists(
    document | st.sampled_from([b"Word 12, ", b"a" * 200, b"A " * 40, MARKS.encode()]),
    min_size=1,
    max_size=6,
).map(lambda parts: b"".join(part * 7 for part in parts))


def same_at_all_levels(call: Callable[[], Any]) -> Any:
    """What the call returns, made sure to be the same whatever the instructions."""
    usual = _kernels.instructions()
    try:
        _kernels.use_instructions("plain")
        plain = call()
        for level in _kernels.instructions_here():
            _kernels.use_instructions(level)
            assert call() == plain, level
    finally:
        _kernels.use_instructions(usual)
    return plain


@examples(100)
@given(st.lists(LONG, min_size=1, max_size=3), st.sampled_from([b"", b"x", b"y" * 100]))
def test_words_and_shingles_do_not_depend_on_instructions(texts: list[bytes], after: bytes) -> None:
    packed = pack(texts, b"", after)

    def results() -> tuple[list[bytes], list[bytes]]:
        words = [array.tobytes() for array in _kernels.words(*packed, 1)]
        return words, [array.tobytes() for array in _kernels.shingles(*packed, 3, 1, 0, 1)]

    words, _ = same_at_all_levels(results)
    assert words == [array.tobytes() for array in _kernels.words(*packed, 1, plain=True)]


@examples(100)
@given(
    st.lists(st.text('aб"\\/\n\t <😀') | LONG.map(lambda raw: raw.decode("utf-8", "replace"))),
    st.booleans(),
    st.lists(st.tuples(st.integers(0), st.sampled_from([b"\xff", b'"', b"\\", b"\n", b"\x01"]))),
    st.booleans(),
)
@example(["a" * 100, 'b\\"' * 50, "ж" * 90], False, [], False)
def test_json_lines_do_not_depend_on_instructions(
    texts: list[str], ascii_only: bool, damage: list[tuple[int, bytes]], ended: bool
) -> None:
    lines = [json.dumps({"id": i, "text": t}, ensure_ascii=ascii_only) for i, t in enumerate(texts)]
    raw = bytearray("\n".join(lines).encode() + b"\n" * ended)
    for place, byte in damage if raw else ():
        raw[place % len(raw) : place % len(raw) + 1] = byte
    block = np.frombuffer(bytes(raw), np.uint8)

    def results(threads: int) -> list[bytes]:
        rows = _kernels.jsonl_rows(block, "id", "text", "", threads)
        return [np.asarray(rows[name]).tobytes() for name in sorted(rows)]

    assert same_at_all_levels(lambda: results(1)) == same_at_all_levels(lambda: results(3))
    if not damage:
        rows = _kernels.jsonl_rows(block, "id", "text", "", 1)
        assert rows["texts"].tobytes() == "".join(texts).encode()


@examples(50)
@given(st.lists(st.integers(0, 2**64 - 1), max_size=600), st.integers(1, 200), st.booleans())
def test_sketches_do_not_depend_on_instructions(values: list[int], size: int, rounds: bool) -> None:
    features = np.unique(np.array(values, np.uint64))
    offsets = np.array([0, len(features)])
    same_at_all_levels(lambda: _kernels.oph(features, offsets, size, 7, False, rounds, 1).tobytes())


def test_the_best_instructions_are_used() -> None:
    assert _kernels.instructions_here()[0] == "plain"
    asked = os.environ.get("TWINSET_INSTRUCTIONS")
    assert _kernels.instructions() == (asked or _kernels.instructions_here()[-1])


def test_instructions_that_are_missing_are_named_in_a_sentence() -> None:
    name = "neon" if "sse2" in _kernels.instructions_here() else "avx2"
    program = (
        "import sys\nfrom twinset.errors import PlanError\n"
        "try:\n    import twinset._kernels\nexcept PlanError as fault:\n    sys.exit(str(fault))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "TWINSET_INSTRUCTIONS": name},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert f"TWINSET_INSTRUCTIONS={name}: this processor has plain" in done.stderr
