"""Records of a web archive are ordered by the time of their capture, or by a field of a header."""

from __future__ import annotations

from pathlib import Path

import pytest

import twinset
from tests.reading.samples import warc_record
from twinset.errors import PlanError

TEXT = b"the same words stand on this page in every year that it was captured"


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """Three captures of the same text."""
    records = []
    for year in (2020, 2027, 2026):
        answer = (
            f"HTTP/1.1 {404 if year == 2027 else 200} OK\r\nContent-Type: text/plain\r\n"
            f"Age: {2030 - year}\r\nLast-Modified: Fri, 01 May {4000 - year} 12:00:00 GMT\r\n\r\n"
        )
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
        ("http_headers.Last-Modified:max", 2020),
        ("http_status:max", 2027),
        ("http_status:min", 2020),
    ],
)
def test_the_copy_that_a_field_prefers_stays(archive: Path, keep: str, year: int) -> None:
    found = twinset.dedup(archive, keep=keep)
    (kept,) = found.documents.filter(found.keep)["id"].to_pylist()
    assert kept == f"http://example.org/{year}"


def test_a_field_that_no_record_has_is_answered_with_those_there_are(archive: Path) -> None:
    with pytest.raises(PlanError, match="of a web archive, name date, http_status"):
        twinset.dedup(archive, keep="nosuch:max")
