"""What goes wrong on the way is tried again, then reported, and the rest is read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import twinset
from tests.remote.web import Site, serving
from twinset.cli import app
from twinset.errors import MissingFileError, ReadError
from twinset.reading import open_inputs
from twinset.system import fetching, remote_faults
from twinset.system.places import open_place
from twinset.system.remote import RemotePath
from twinset.system.threads import BackgroundIterator

LINES = b"".join(b'{"id": "%d", "text": "%s"}\n' % (n, b"words " * 100) for n in range(4000))
"""More than two megabytes."""


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Servers of this machine need no time."""
    monkeypatch.setattr(remote_faults, "WAIT", 0.0)
    monkeypatch.setattr(fetching, "PIECE", 1 << 18)


def documents(address: str | list[str]) -> tuple[int, list[str]]:
    """How many documents there are, and what is said of faults."""
    count, faults = 0, []
    for batch in open_inputs(address).batches():
        count += len(batch)
        faults += [f"{fault.source}: {fault.detail}" for fault in batch.faults]
    return count, faults


def test_a_connection_that_is_cut_is_taken_up_again() -> None:
    site = Site({"/a.jsonl": LINES})
    with serving(site):
        opened = open_inputs(f"{site.address}/a.jsonl")
        site.cuts = 3
        batches = list(opened.batches())
    assert sum(map(len, batches)) == 4000
    assert not any(batch.faults for batch in batches)
    assert site.cuts == 0


@pytest.mark.parametrize("has_length", [True, False])
def test_without_ranges_a_cut_is_a_fault(has_length: bool) -> None:
    site = Site({"/a.jsonl": LINES}, has_ranges=False, has_length=has_length)
    with serving(site):
        opened = open_inputs(f"{site.address}/a.jsonl")
        site.cuts = 3
        faults = [fault.detail for batch in opened.batches() for fault in batch.faults]
    assert "the connection was cut off" in faults[-1]


def test_after_a_few_cuts_the_rest_is_read(tmp_path: Path) -> None:
    site = Site({"/a.jsonl": LINES, "/b.jsonl": b'{"id": "b", "text": "one"}\n'}, cuts=1000)
    with serving(site):
        addresses = [f"{site.address}/{name}" for name in ("a.jsonl", "b.jsonl")]
        count, faults = documents(addresses)
    assert count >= 1
    sentence = "cannot be read (the connection was cut off; try later)"
    assert faults == [f"{addresses[0]}: {sentence}"]


@pytest.mark.parametrize(
    ("status", "sentence"),
    [
        (403, "access is denied"),
        (401, "access is denied"),
        (503, "the server answers with the status 503; try later"),
    ],
)
def test_what_a_server_answers_is_said(status: int, sentence: str) -> None:
    with serving(Site({"/a.jsonl": LINES}, status=status)) as site:
        opened = open_inputs(f"{site.address}/a.jsonl")
    (fault,) = opened.opening_faults
    assert sentence in fault.detail
    assert (fault.kind, fault.source) == ("unreadable", f"{site.address}/a.jsonl")


def test_a_missing_page_and_a_missing_bucket_are_errors(bucket: str) -> None:
    with (
        serving(Site({})) as site,
        pytest.raises(MissingFileError, match=r"there is no such file or folder; check the addr"),
    ):
        open_inputs(f"{site.address}/a.jsonl")
    for name in ("x.jsonl", "*.jsonl"):
        with pytest.raises(MissingFileError, match="there is no such file"):
            open_inputs(f"{bucket}-none/{name}")


def test_a_file_that_changes_while_it_is_read_is_reported() -> None:
    file = RemotePath.of(f"memory://{uuid4().hex}/a.jsonl")
    file.write_bytes(LINES)
    opened = open_inputs(str(file), batch_bytes=1 << 18)
    faults: list[str] = []
    for number, batch in enumerate(opened.batches()):
        faults += [fault.detail for fault in batch.faults]
        if number == 0:
            file.write_bytes(LINES[::-1])
    assert faults
    assert "it was changed while it was read" in faults[-1]


def test_columns_that_are_not_read_are_not_fetched() -> None:
    rows = 3000
    table = pa.table(
        {
            "id": [str(n) for n in range(rows)],
            "text": [f"text of {n}" for n in range(rows)],
            "blob": pa.array([uuid4().bytes * 64 for _ in range(rows)], pa.binary()),
        }
    )
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, row_group_size=1000, compression="none", use_dictionary=False)
    content = sink.getvalue().to_pybytes()
    with serving(Site({"/a.parquet": content})) as site:
        findings = twinset.find(f"{site.address}/a.parquet")
    assert len(findings.documents) == rows
    assert site.sent["/a.parquet"] < len(content) / 3


def test_a_cut_in_a_table_is_taken_up_again() -> None:
    table = pa.table({"text": [f"{n} {uuid4().hex * 20}" for n in range(4000)]})
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="none", use_dictionary=False)
    for cuts, expected in ((2, 4000), (1000, 0)):
        site = Site({"/a.parquet": sink.getvalue().to_pybytes()}, cuts=cuts)
        with serving(site):
            count, faults = documents(f"{site.address}/a.parquet")
        assert count == expected
        assert ["cut off" in fault for fault in faults] == [True] * (expected == 0)


def test_a_file_is_read_at_any_place(random_reads: Iterator[tuple[int, int]]) -> None:
    file = RemotePath.of(f"memory://{uuid4().hex}/a")
    file.write_bytes(LINES)
    with open_place(file) as opened:
        for at, size in random_reads:
            assert opened.seek(at) == at
            assert opened.read(size) == LINES[at : at + size]
            assert opened.tell() == min(at + size, max(at, len(LINES)))
    with open_place(file, ahead=True) as opened:
        assert opened.read() == LINES


@pytest.fixture
def random_reads() -> Iterator[tuple[int, int]]:
    """Places and sizes, some in order, some beyond the end."""
    import random

    chosen, at = random.Random(5), 0
    reads: list[Any] = []
    for _ in range(300):
        at = at if chosen.random() < 0.6 else chosen.randrange(len(LINES) + 1000)
        size = chosen.choice([0, 1, 1000, 1 << 16, 1 << 18, (1 << 20) + 7])
        reads.append((at, size))
        at += size
    return iter(reads)


def test_work_that_nobody_waits_for_ends_while_a_server_is_slow() -> None:
    import asyncio
    import threading
    import time

    from fsspec.asyn import get_loop

    waiting = threading.Event()

    class SlowSystem:
        async_impl, loop = True, get_loop()

        async def _cat_file(self, path: str, start: int, end: int) -> bytes:
            waiting.set()
            await asyncio.sleep(30)
            return bytes(end - start)

    path = RemotePath("slow", "file", SlowSystem(), {"size": 1 << 20})
    lines = BackgroundIterator(iter(open_place(path, ahead=True).readline, b""), 1)
    assert waiting.wait(5)
    begun = time.monotonic()
    lines.close()
    assert time.monotonic() - begun < 10


def test_what_is_gone_when_documents_are_written_is_named(tmp_path: Path) -> None:
    file = RemotePath.of(f"memory://{uuid4().hex}/a.jsonl")
    file.write_bytes(LINES)
    other = file.with_name("b.jsonl")
    other.write_bytes(LINES[:900])
    findings = twinset.dedup([str(file), str(other)])
    site = Site({"/a.jsonl": LINES})
    with serving(site):
        cut = twinset.dedup(f"{site.address}/a.jsonl")
        site.cuts = 1000
        with pytest.raises(ReadError, match=r"a.jsonl: cannot be read again \(the connection was"):
            cut.save(tmp_path / "cut")
    assert not (tmp_path / "cut").exists()
    file.write_bytes(LINES[:800])
    with pytest.raises(ReadError, match=r"changed|cannot be read again"):
        findings.save(tmp_path / "changed")
    assert not (tmp_path / "changed").exists()


SIGNED = [
    "X-Amz-Credential=SECRET&X-Amz-Date=2026&X-Amz-Security-Token=SECRET&X-Amz-Signature=SECRET",
    "sv=2024&sig=SECRET%2B",
    "alt=media&key=SECRETSECRETSECRET",
    "access_token=SECRET#top",
]


@pytest.mark.parametrize("query", SIGNED)
def test_what_signs_an_address_is_shown_nowhere(
    query: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = b'{"id": "a", "text": "some words here"}\nno JSON\n'
    with serving(Site({"/a.jsonl": lines, "/b.jsonl": lines.replace(b'"a"', b'"b"')})) as site:
        inputs = [f"{site.address}/{name}.jsonl?{query}" for name in "ab"]
        done = [
            CliRunner().invoke(app, [*command, "-o", out])
            for out, command in (
                ("report", ["dedup", *inputs, "--verbose"]),
                ("json", ["find", inputs[0], "--reference", inputs[1], "--json"]),
                ("absent", ["find", f"{site.address}/absent.jsonl?{query}"]),
            )
        ]
        texts = twinset.open_report("report").texts(["a"])
    assert [each.exit_code for each in done] == [0, 0, 2]
    assert "***" in done[2].stderr
    report = twinset.open_report("report")
    tables = [getattr(report, name).to_pylist() for name in ("documents", "pairs", "clusters")]
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    files = b"".join(path.read_bytes() for path in written if path.suffix != ".parquet")
    assert [report.documents["id"][row].as_py() for row in (0, 2)] == ["a", "b"]
    assert "***" in report.documents["source"][0].as_py()
    shown = "".join([*(each.output for each in done), str((tables, written)), files.decode()])
    assert "SECRET" not in shown
    assert texts == {}  # the address is not known any more
