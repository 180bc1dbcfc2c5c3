"""What a record of a web archive holds, coded as its header says, otherwise or not at all."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from twinset.reading import open_inputs

PAGE = b"<html><body><p>One page that says enough to be compared with another.</p></body></html>"
TEXT = "One page that says enough to be compared with another."


def read(folder: Path, headers: str, body: bytes) -> tuple[str | None, list[str]]:
    """The text of one record, and the kinds of its faults."""
    head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n{headers}\r\n".encode("latin-1")
    content = head + b"\r\n" + body
    record = (
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:x:1>\r\n"
        "WARC-Date: 2020-01-01T00:00:00Z\r\nWARC-Target-URI: http://x/\r\n"
        f"Content-Type: application/http\r\nContent-Length: {len(content)}\r\n\r\n"
    )
    path = folder / "pages.warc"
    path.write_bytes(record.encode() + content + b"\r\n\r\n")
    batches = list(open_inputs(path).batches())
    texts = [text for batch in batches for text in batch.texts.to_pylist()]
    assert len(texts) == 1
    return texts[0], [fault.kind for batch in batches for fault in batch.faults]


def chunked(body: bytes) -> bytes:
    """The bytes in chunks of 40."""
    pieces = [body[at : at + 40] for at in range(0, len(body), 40)] + [b""]
    return b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces)


GZIP, CHUNKS = "Content-Encoding: gzip", "Transfer-Encoding: chunked"


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        (GZIP, gzip.compress(PAGE)),
        (CHUNKS, chunked(PAGE)),
        (f"{GZIP}\r\n{CHUNKS}", chunked(gzip.compress(PAGE))),
    ],
    ids=["gzip", "chunks", "both"],
)
def test_codings_are_undone(tmp_path: Path, headers: str, body: bytes) -> None:
    assert read(tmp_path, headers, body) == (TEXT, [])


@pytest.mark.parametrize("name", ["gzip", "deflate", "br", "zstd", "gzip, gzip"])
def test_content_that_is_decoded_already_is_taken_as_it_is(tmp_path: Path, name: str) -> None:
    assert read(tmp_path, f"Content-Encoding: {name}", PAGE) == (TEXT, [])
    assert read(tmp_path, f"Transfer-Encoding: {name}", PAGE) == (TEXT, [])
    assert read(tmp_path, f"Content-Encoding: {name}\r\n{CHUNKS}", PAGE) == (TEXT, [])


def test_chunks_that_end_too_early_are_used(tmp_path: Path) -> None:
    text, faults = read(tmp_path, CHUNKS, chunked(PAGE)[:70])
    assert text is not None
    assert "says enough" in text
    assert faults == ["truncated"]


@pytest.mark.parametrize("name", ["gzip", "br", "zstd"])
def test_damaged_content_is_refused(tmp_path: Path, name: str) -> None:
    packed = bytearray(gzip.compress(PAGE * 20))
    packed[14:20] = b"\x07\x03\x01\x02\x05\x06"
    assert read(tmp_path, f"Content-Encoding: {name}", bytes(packed)) == (None, ["truncated"])
