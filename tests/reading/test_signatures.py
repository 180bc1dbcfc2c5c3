"""Formats that are not read are refused by name and never taken for text."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from tests.reading.helpers import read
from twinset.errors import ReadError

NOTE = "The council met on Tuesday and agreed to repair the bridge before the winter comes. " * 3
FONTS = "".join(f"{{\\f{n}\\fswiss\\fcharset0 Liberation Sans {n};}}" for n in range(40))


def rtf(text: str) -> bytes:
    return f"{{\\rtf1\\ansi\\deff0{{\\fonttbl{FONTS}}}\\pard {text}\\par}}".encode()


def eml(text: str) -> bytes:
    received = "".join(f"Received: from mx{n}.example.org by mail; Mon\r\n" for n in range(30))
    return (
        f"{received}From: Ann <a@example.org>\r\nTo: Ben <b@example.org>\r\n"
        f"Subject: Bridge\r\nMIME-Version: 1.0\r\nContent-Type: text/plain\r\n\r\n{text}"
    ).encode()


def zipped(**files: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in files.items():
            packed.writestr(name.replace("__", "/").replace("_DOT_", "."), content)
    return out.getvalue()


REFUSED = {
    "print.ps": (b"%!PS-Adobe-3.0\n(words) show\n", "PostScript"),
    "paper.dvi": (b"\xf7\x02\x01\x83\x92\xc0words", "DVI"),
    "old.doc": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1words", "old Office"),
    "drawing.vsdx": (zipped(visio__document_DOT_xml=b"<v/>"), "Visio"),
    "drawing.csv": (zipped(visio__document_DOT_xml=b"<v/>"), "Visio"),
    "some.jar": (zipped(a_DOT_txt=b"words"), "ZIP archive"),
    # A workbook inside an archive does not make a workbook of it.
    "more.jar": (zipped(a_DOT_xlsx=zipped(xl__workbook_DOT_xml=b"<w/>")), "ZIP archive"),
    "pixel.png": (b"\x89PNG\r\n\x1a\nwords", "PNG"),
    "photo.jpg": (b"\xff\xd8\xff\xe0words", "JPEG"),
    "drawing.svg": (
        b'<?xml version="1.0"?>\n<!-- a -->\n<svg xmlns="x"><text>words</text></svg>',
        "SVG",
    ),
    "flat.xml": (b'<?xml version="1.0"?>\n<?mso-application progid="Word.Document"?>', "Office"),
    "program": (b"\x7fELFwords", "program"),
    "old.exe": (b"MZ\x90\0words", "program"),
    "pages.7z": (b"7z\xbc\xaf\x27\x1cwords", "7z"),
    "pages.old": (b"a.txt".ljust(257, b"\0") + b"ustar\x0000words", "tar"),
    "rows.avro": (b"Obj\x01words", "Avro"),
    "rows.jsonl": (b"SQLite format 3\0words", "SQLite"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_format_that_is_not_read_is_refused_by_name(tmp_path: Path, name: str) -> None:
    content, format = REFUSED[name]
    (tmp_path / name).write_bytes(content)
    assert read(tmp_path).faults == []  # in a folder it takes part by its bytes
    found = read(tmp_path / name)
    assert found.texts == [None]
    (fault,) = found.faults
    assert fault.kind == "format"
    assert format in fault.detail
    assert "which is not read: it is compared byte for byte alone" in fault.detail
    assert fault.source == str(tmp_path / name)


def test_the_remedy_is_named_and_stop_stops(tmp_path: Path) -> None:
    (tmp_path / "a.ps").write_bytes(REFUSED["print.ps"][0])
    assert read(tmp_path / "a.ps").faults[0].detail.endswith("save it as .docx, .pdf or .txt")
    match = r"a\.ps: .*PostScript.*save it as \.docx.*--on-error skip"
    with pytest.raises(ReadError, match=match):
        read(tmp_path / "a.ps", on_error="stop")


@pytest.mark.parametrize(
    "text",
    [
        "From: the beginning\nSubject: to change\n\nis what this essay is about.",
        "MZ is the mark of a program, BM that of a picture.",
        "GIF89a is a format, and RIFF another.",
        "PKZIP was written in 1989.",
        "{\\r is not how RTF begins}",
        "% !PS with a blank is a comment",
        "Note: a\nFrom: b\n\nheader lines, but none that a mail server writes",
    ],
)
def test_texts_that_begin_a_little_like_a_format_are_texts(tmp_path: Path, text: str) -> None:
    (tmp_path / "a").write_text(text)
    found = read(tmp_path)
    assert (found.texts, found.faults) == ([text], [])
