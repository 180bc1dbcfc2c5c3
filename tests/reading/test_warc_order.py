"""Records of a web archive are ordered by the time of their capture, or by a field of a header."""

from __future__ import annotations

from pathlib import Path

import pytest

import twinset
from tests.reading.samples import warc_record

TEXT = b"the same words stand on this page in every year that it was captured"


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """Three captures of the same text."""
    records = []
    for year in (2020, 2027, 2026):
        answer = f"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nAge: {2030 - year}\r\n\r\n"
        record = warc_record(
            "response",
            f"http://example.org/{year}",
            answer.encode() + TEXT,
            "application/http; msgtype=response",
        )
        records.append(record.replace(b"2020-01-01", f"{year}-01-01".encode()))
    path = tmp_path / "a.warc"
    path.write_bytes(b"".join(records))
    return path


@pytest.mark.parametrize(
    ("keep", "year"),
    [
        ("date:max", 2027),
        ("date:min", 2020),
        ("warc_headers.WARC-Date:max", 2027),
        ("http_headers.Age:max", 2020),
        ("http_headers.age:min", 2027),
    ],
)
def test_the_copy_that_a_field_prefers_stays(archive: Path, keep: str, year: int) -> None:
    found = twinset.dedup(archive, keep=keep)
    (kept,) = found.documents.filter(found.keep)["id"].to_pylist()
    assert kept == f"http://example.org/{year}"
