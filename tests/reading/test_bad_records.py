"""Damaged records: CSV, ROMIP, WARC, JSON lines, Parquet; the rest of the file is read."""

from __future__ import annotations

import base64
import re
from pathlib import Path

import numpy as np
import pytest

from tests.reading.helpers import read, split
from tests.reading.samples import RUSSIAN, http, romip, warc_record, write
from twinset.errors import ReadError
from twinset.plan import ReadOptions
from twinset.reading import open_inputs, warc
from twinset.reading.romip import cut


@pytest.mark.parametrize("reader", ["csv", "warc", "romip"])
def test_a_record_beyond_the_limit(tmp_path: Path, reader: str) -> None:
    docs = [("a", "first one"), ("b", "much, " * 2000), ("c", "third"), ("d", "more" * 3000)]
    path = write(tmp_path, reader, docs)
    for batch_bytes in (10, 700, 1 << 20):
        found = read(path, batch_bytes=batch_bytes, max_document_bytes=5000)
        assert found.texts == ["first one", None, "third", None]
        assert [kind for _, kind in found.kinds] == ["too-long", "too-long"]
        inputs = open_inputs([path], ReadOptions(max_document_bytes=5000), batch_bytes=batch_bytes)
        made = split(inputs, np.ones(4, bool), tmp_path)
        assert made.kept.read_bytes() == path.read_bytes()


def test_csv_rows_that_end_early_and_quotes_that_do_not(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text('\ufeffid,text\n1,"a\nb"\n2\n\n3,c,extra\n4,\n5,"open\n6,x\n', encoding="utf-8")
    found = read(path)
    assert found.ids == ["1", "2", "3", "4", "5"]
    assert found.texts == ["a\nb", None, "c", "", None]
    assert found.places == [2, 4, 6, 7, 8]
    assert found.kinds == [(4, "missing"), (8, "syntax"), (6, "columns")]


def test_csv_in_windows_1251_with_semicolons(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(f"id;text\n1;{RUSSIAN}\n".encode("cp1251"))
    assert read(path).texts == [RUSSIAN]
    path.write_bytes(b"id;text\n1;" + RUSSIAN.encode() + b"\xff\n")
    found = read(path)
    assert found.texts == [RUSSIAN + "\ufffd"]
    assert found.kinds == [(2, "encoding")]


def test_romip_truncated_and_with_bad_urls(tmp_path: Path) -> None:
    data = romip([("1", "first"), ("2", "second " * 30), ("3", "third " * 30)])
    cut = data.replace(base64.b64encode(b"http://example.org/1"), b"http://x/?a=1&b=2")
    cut = cut[: cut.rindex(b"</content>") - 40]
    path = tmp_path / "x.xml"
    path.write_bytes(cut)
    for batch_bytes in (1, 1 << 20):
        found = read(path, batch_bytes=batch_bytes)
        assert found.ids == ["1", "2", "3"]
        assert found.kinds == [(1, "syntax"), (3, "truncated")]
        assert found.texts[0] == "first"
        assert (found.texts[2] or "").startswith("third third third")
    keep = np.array([True, False, True])
    made = split(open_inputs([path]), keep, tmp_path)
    assert made.kept.read_bytes() == cut.replace(second_document(cut), b"")


def test_romip_base64_without_the_attribute_is_told_and_counted(tmp_path: Path) -> None:
    """Text, a long word of base64's letters, and what decodes to no text are no base64."""
    others = [("3", "word " * 40), ("4", "x" * 80), ("5", "short"), ("6", "ab/+" * 30)]
    data = romip([("1", "first " * 20), ("2", "second " * 30), *others])
    bare = data.replace(b' encoding="base64"', b"")
    contents = re.findall(rb"<content>(.*?)</content>", bare, re.DOTALL)
    for content, (_, text) in zip(contents[2:], others, strict=True):
        bare = bare.replace(content, text.encode())
    path = tmp_path / "x.xml"
    path.write_bytes(bare)
    found = read(path)
    assert found.ids == ["1", "2", "3", "4", "5", "6"]
    assert found.kinds == [(1, "encoding"), (2, "encoding")]
    assert [" ".join((text or "").split()) for text in found.texts] == [
        *(" ".join(content.decode().split()) for content in contents[:2]),
        *(text.strip() for _, text in others),
    ]
    with pytest.raises(ReadError, match=r"looks like base64.*write it into the tag"):
        read(path, on_error="stop")


def second_document(data: bytes) -> bytes:
    first = data.index(b"</document>") + len(b"</document>")
    return data[first : data.index(b"</document>", first) + len(b"</document>")]


def test_warc_with_junk_binary_and_a_cut_off_end(tmp_path: Path) -> None:
    page = http("<p>да".encode("cp1251"), "text/html; charset=windows-1251")
    binary = http(b"\0\1\2", "text/html")
    path = tmp_path / "x.warc"
    data = (
        warc_record("response", "http://a/1", page, "application/http")
        + b"junk between\r\n\r\n"
        + warc_record("response", "http://a/2", binary, "application/http")
        + b"WARC/1.0\r\nno length\r\n\r\n"
        + warc_record("conversion", "http://a/3", b"text " * 20, "text/plain")[:-40]
    )
    path.write_bytes(data)
    for batch_bytes in (1, 1 << 20):
        found = read(path, batch_bytes=batch_bytes)
        assert found.ids == ["http://a/1", "http://a/2", "http://a/3"]
        assert found.texts[:2] == ["да", None]
        assert set((found.texts[2] or "").split()) <= {"text", "te", "t"}
        kinds = [kind for _, kind in found.kinds]
        assert kinds == ["syntax", "binary", "syntax", "truncated"]
    made = split(open_inputs([path]), np.ones(3, bool), tmp_path)
    assert made.kept.read_bytes() == data


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ('{"text": "a" "b": 1}', "a comma is missing at character 14"),
        ('{"text" "a"}', "a colon is missing at character 9"),
        ("{text: 1}", "a name in double quotes is missing at character 2"),
        ('{"text": }', "a value is missing at character 10"),
        ('{"text": "a', "a quote is opened and never closed at character 10"),
        ('{"text": "a\tb"}', "a text holds a control character at character 12"),
        ('{"text": "\\q"}', "a backslash begins no escape that JSON knows at character 11"),
        ('{"text": "a"} x', "more follows after the end at character 15"),
        ('{"text": ' + "1" * 5000 + "}", "a number has too many digits"),
        ('[{"text": "a"},', "the line begins a list; write one object per line"),
    ],
)
def test_a_line_that_is_not_json_says_where_and_why(tmp_path: Path, line: str, fault: str) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"text": "good"}\n' + line + "\n")
    with pytest.raises(ReadError, match=r"x\.jsonl:2: the line ") as error:
        read(path, on_error="stop")
    assert f"{fault}; correct the record, or read on with --on-error skip" in str(error.value)


def test_a_broken_parquet_file(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    path.write_bytes(b"PAR1" + b"nonsense" * 10)
    assert read(path).kinds == [(None, "damaged")]
    with pytest.raises(
        ReadError, match=r"x\.parquet: the Parquet file is cut off: .*; write or fetch"
    ):
        read(path, on_error="stop")
    path.write_bytes(b"nonsense" * 10)
    with pytest.raises(ReadError, match="it does not begin with the mark PAR1"):
        read(path, on_error="stop")


def test_documents_that_begin_one_inside_another_without_end() -> None:
    data = b"<document>" * 300_000
    assert [piece.raw for piece in cut(data)] == [b"<document>"] * 300_000
    *cut_off, whole = cut(data + b"words</document>")
    assert len(cut_off) == 299_999
    assert (whole.raw, whole.fault) == (b"<document>words</document>", None)


@pytest.mark.parametrize("line", [b"WARC/", b"WARC/1.0\r\n"])
def test_marks_of_records_that_have_no_header(line: bytes) -> None:
    record = b"WARC/1.0\r\nWARC-Type: metadata\r\nContent-Length: 5\r\n\r\nWARC/\r\n\r\n"
    pieces = list(warc.Warc().cut(line * 100_000 + b"\r\n\r\n" + record + b"WARC/"))
    assert [piece.raw for piece in pieces[:99_999]] == [line] * 99_999
    assert [piece.raw for piece in pieces[-2:]] == [record, b"WARC/"]
