"""A pass can go on behind any batch of an earlier one, whatever the format."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.reading.samples import write
from twinset.model import Batch, Position
from twinset.plan import ReadOptions, spec
from twinset.reading import Inputs, open_inputs
from twinset.reading.inputs import Earlier

READERS = sorted(spec.names("reader"))


def opened(paths: list[Path], batch_bytes: int = 100) -> Inputs:
    return open_inputs(paths, ReadOptions(repeated="keep"), batch_bytes=batch_bytes, threads=1)


def rows(batches: list[Batch]) -> list[object]:
    return [
        (
            (batch.source, batch.ids.to_pylist(), batch.texts.to_pylist(), batch.places.tolist()),
            (batch.faults, dict(batch.counts), batch.end.source, batch.end.batches),
        )
        for batch in batches
    ]


def behind(inputs: Inputs, batches: list[Batch], last: int) -> Earlier:
    """What a pass knows that has ended behind one of its batches."""
    earlier = Earlier(batches[last].end)
    over = {source.name for source in inputs.sources[: batches[last].end.source]}
    earlier.digests = {name: each for name, each in inputs.digests().items() if name in over}
    earlier.batches = batches[: last + 1]
    return earlier


@pytest.mark.parametrize("packing", [None, "gz"])
@pytest.mark.parametrize("reader", READERS)
def test_a_pass_goes_on_behind_every_batch(
    tmp_path: Path, reader: str, packing: str | None
) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    paths = [write(tmp_path / name, reader, packing=packing) for name in ("one", "two")]
    inputs = opened(paths)
    batches = list(inputs.batches())
    whole, digests = inputs.tally, inputs.digests()
    assert len(batches) > 3
    for last, batch in enumerate(batches):
        if len(batch):
            again = opened(paths)
            rest = list(again.batches(earlier=behind(inputs, batches, last)))
            assert rows(rest) == rows(batches)
            assert again.tally == whole
            assert again.digests() == digests


def test_sources_that_are_over_are_not_opened(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    paths = [write(tmp_path / name, "jsonl") for name in ("one", "two")]
    inputs = opened(paths)
    batches = list(inputs.batches())
    last = next(number for number, batch in enumerate(batches) if batch.end.source == 1)
    again = opened(paths)
    paths[0].unlink()
    rest = list(again.batches(earlier=behind(inputs, batches, last)))
    assert rows(rest) == rows(batches)


def test_faults_come_once(tmp_path: Path) -> None:
    path = tmp_path / "corpus.jsonl"
    path.write_text('{"text": "one two"}\nbad\n{"text": "three"}\n[]\n{"text": "four"}\n')
    inputs = opened([path], batch_bytes=24)
    batches = list(inputs.batches())
    for last, batch in enumerate(batches):
        if len(batch):
            earlier = behind(inputs, batches, last)
            rest = opened([path], batch_bytes=24).batches(earlier=earlier)
            faults = [fault for batch in rest for fault in batch.faults]
            assert faults == [fault for batch in batches for fault in batch.faults]


LINES = b"".join(b'{"id": "%d", "text": "%s"}\n' % (i, b"word " * (9 * i)) for i in range(9))


@pytest.mark.parametrize(
    "content",
    [
        LINES,
        b"\xef\xbb\xbf" + LINES,
        LINES.decode().encode("utf-16"),
        LINES.replace(b"\n", b"\n\n  \n" + b"\n" * 200),
        LINES + b'{"text": "no end of line"}',
    ],
    ids=["plain", "mark", "utf-16", "blank", "unended"],
)
def test_lines_go_on_behind_every_block(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "corpus.jsonl"
    path.write_bytes(content)
    options = ReadOptions(max_document_bytes=300)  # the last lines are longer
    inputs = open_inputs([path], options, batch_bytes=120, threads=1)
    batches = list(inputs.batches())
    assert len(batches) > 4
    for last, batch in enumerate(batches):
        if len(batch):
            again = open_inputs([path], options, batch_bytes=120, threads=1)
            rest = list(again.batches(earlier=behind(inputs, batches, last)))
            assert rows(rest) == rows(batches)
            assert again.digests() == inputs.digests()
            if batch.end.offset is not None:
                assert again.bytes_read == inputs.total_bytes, "what is over is not read again"


def test_a_position_without_an_offset_is_read_up_to(tmp_path: Path) -> None:
    inputs = opened([write(tmp_path, "jsonl")])
    batches = list(inputs.batches())
    plain = replace(Position(), source=0, batches=2)
    assert rows(list(inputs.batches(earlier=Earlier(plain)))) == rows(batches[2:])
