"""Small files that want to be large: every bound is met by a fault and not by the machine."""

from __future__ import annotations

import gzip
import io
import subprocess
import sys
import time
import tracemalloc
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard

from tests.reading.helpers import read
from tests.reading.pdfs import form_bomb, line_bomb
from tests.reading.samples import warc_record
from tests.reading.test_office import docx, paragraph, pdf
from twinset.documents import base as table
from twinset.reading.compression import head_of_packed
from twinset.reading.formats import detect

WORDS = "words that are kept"


def only_fault(folder: Path, name: str, content: bytes) -> tuple[str, str]:
    (folder / name).write_bytes(content)
    found = read(folder)
    assert found.texts == [None]
    (fault,) = found.faults
    return fault.kind, fault.detail


def peak_while(job: object) -> int:
    tracemalloc.start()
    try:
        job()  # type: ignore[operator]
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_docx_of_many_elements_is_read_or_given_up_soon(tmp_path: Path) -> None:
    content = docx("<w:t/>" * 2_000_000)
    assert len(content) < 30_000
    begun = time.monotonic()
    (tmp_path / "a.docx").write_bytes(content)
    read(tmp_path)
    assert time.monotonic() - begun < 60


def test_a_document_that_takes_more_memory_than_it_may(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table, "MEMORY", 64 << 20)
    kind, detail = only_fault(tmp_path, "a.docx", docx(paragraph("x" * (100 << 20))))
    assert kind == "damaged"
    assert "too much memory" in detail


def test_pages_and_time_of_a_pdf_are_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table, "MOST_SECONDS", 0.5)
    kind, detail = only_fault(tmp_path, "a.pdf", form_bomb(30))
    assert kind == "damaged"
    assert "seconds of computing" in detail
    monkeypatch.setattr(table, "MOST_SECONDS", 30)
    (tmp_path / "a.pdf").write_bytes(pdf(WORDS))
    assert (read(tmp_path).texts[0] or "").strip() == WORDS


def packed(content: bytes, kind: str) -> bytes:
    import bz2
    import lzma

    packers = {
        "gz": gzip.compress,
        "bz2": bz2.compress,
        "xz": lambda content: lzma.compress(content, preset=0),
        "zst": zstandard.compress,
    }
    return packers[kind](content)


@pytest.mark.parametrize("kind", ["gz", "bz2", "xz", "zst"])
def test_looking_at_a_packed_file_unpacks_a_little_of_it(kind: str) -> None:
    content = packed(b'{"text": "' + b"x" * (64 << 20) + b'"}', kind)
    assert detect(Path("x"), content[: 1 << 16]) == ("jsonl", kind)
    # One piece of zstd can be 16 MB, and is joined to what there was.
    assert peak_while(lambda: head_of_packed(content, kind, 1 << 16)) < 40 << 20


@pytest.mark.parametrize("kind", ["gz", "bz2", "xz", "zst"])
def test_a_packed_file_beyond_the_limit_is_a_fault(tmp_path: Path, kind: str) -> None:
    (tmp_path / "a.txt").write_bytes(packed(b"x" * (80 << 20), kind))
    peak = peak_while(lambda: read(tmp_path, max_document_bytes=1 << 20))
    assert peak < 150 << 20
    found = read(tmp_path, max_document_bytes=1 << 20)
    assert (found.texts, [fault.kind for fault in found.faults]) == ([None], ["too-long"])


def test_a_packed_record_of_an_archive_is_bounded(tmp_path: Path) -> None:
    body = gzip.compress(b"x " * (4 << 20))
    head = (
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Encoding: gzip\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    record = warc_record("response", "http://a/", head.encode() + body, "application/http")
    (tmp_path / "a.warc").write_bytes(record)
    assert [len(text or "") for text in read(tmp_path).texts] == [8 << 20]
    found = read(tmp_path, max_document_bytes=1 << 20)
    assert (found.texts, [fault.kind for fault in found.faults]) == ([None], ["too-long"])


def test_a_packed_parquet_file_fills_no_disk(tmp_path: Path) -> None:
    out = io.BytesIO()
    pq.write_table(pa.table({"text": ["x" * (40 << 20)]}), out, compression="none")
    (tmp_path / "a.parquet.gz").write_bytes(gzip.compress(out.getvalue()))
    kinds = [fault.kind for fault in read(tmp_path).faults]
    assert kinds[0] == "too-long"


def answer_of(page: bytes) -> bytes:
    """A WARC file with a packed page."""
    body = gzip.compress(page)
    head = (
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    return warc_record("response", "http://a/", head.encode() + body, "application/http")


LARGE = {
    "a.pdf": lambda: line_bomb(4_000_000),
    "a.html": lambda: b"<html><body>" + b"<b>w</b> " * 800_000,
    "a.warc": lambda: answer_of(b"<html><body>" + b"<b>word</b> " * 16_000_000),
    "a.csv": lambda: b"id,text" + b"".join(b",c%d" % n for n in range(180_000)) + b"\n1,a b c\n",
    "a.jsonl": lambda: b'{"text": "' + b" ".join(b"%d" % n for n in range(13_000_000)) + b'"}\n',
}
REPORTED = {
    "a.pdf": "too much memory",
    "a.warc": "unpacks to more than",
    "a.jsonl": "is longer than",
}
PEAK = """
import resource, subprocess, sys
ran = subprocess.run([sys.executable, "-m", "twinset", *sys.argv[1:]], capture_output=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, (ran.stdout + ran.stderr).decode())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="kilobytes, and bounds that hold")
@pytest.mark.long
@pytest.mark.parametrize("name", LARGE)
def test_a_document_takes_no_more_memory_than_is_asked_for(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(LARGE[name]())
    command = ["find", str(tmp_path / name), "--memory", "500MB", "-o", str(tmp_path / "out")]
    ran = subprocess.run([sys.executable, "-c", PEAK, *command], stdout=subprocess.PIPE, timeout=90)
    kilobytes, said = ran.stdout.decode().split(" ", 1)
    assert int(kilobytes) < 450_000
    assert REPORTED.get(name, "only document") in said
