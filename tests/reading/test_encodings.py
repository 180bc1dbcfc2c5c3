"""Charsets of pages: byte order mark, HTTP header, meta element, then detection."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reading.helpers import read
from twinset.text.encoding import decode, utf16_without_mark

RUSSIAN = (
    "Съешь ещё этих мягких французских булок, да выпей чаю. Широкая электрификация южных губерний "
    "даст мощный толчок подъёму сельского хозяйства."
)
JAPANESE = "これは日本語の文章です。文字コードの判定を試します。東京都の天気は晴れです。"
TEXTS = {
    "windows-1251": RUSSIAN,
    "koi8-r": RUSSIAN,
    "utf-16": RUSSIAN,
    "utf-8": RUSSIAN,
    "shift_jis": JAPANESE,
    "euc-jp": JAPANESE,
    "iso-2022-jp": JAPANESE,
}


def page(text: str, meta: str = "") -> str:
    return f"<html><head>{meta}<title>t</title></head><body><p>{text}</p></body></html>"


@pytest.mark.parametrize("encoding", TEXTS)
@pytest.mark.parametrize("said_by", ["meta", "http", "header lines"])
def test_what_is_declared_is_used(encoding: str, said_by: str) -> None:
    meta = f'<meta charset="{encoding}">' if said_by == "meta" else ""
    before = f"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset={encoding}\r\n\r\n"
    written = (before if said_by == "header lines" else "") + page(TEXTS[encoding], meta)
    hint = encoding if said_by == "http" else None
    assert decode(written.encode(encoding), hint, html=True).text == written


@pytest.mark.parametrize(
    "name", ["base64", "hex", "rot13", "zip", "undefined", "idna", "punycode", "\0utf-8", "\ud800"]
)
@pytest.mark.parametrize("raw", [bytes(range(256)), b"plain", b""])
def test_what_is_no_encoding_of_texts_is_not_used(name: str, raw: bytes) -> None:
    assert decode(raw, name) == decode(raw)


def test_a_byte_order_mark_comes_before_everything() -> None:
    written = page(RUSSIAN, '<meta charset="koi8-r">')
    assert decode(written.encode("utf-8-sig"), "windows-1251", html=True).text == written


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize(
    "text",
    [
        "Plain words, and 12 numbers.\n",
        "Слова на русском языке, и числа.\r\n",
        "汉字 也有 空格 和 数字 2024\n",
    ],
)
def test_utf_16_without_a_mark_is_guessed_and_said(
    tmp_path: Path, encoding: str, text: str
) -> None:
    path = tmp_path / "text.txt"
    path.write_bytes((text * 40).encode(encoding))
    documents = read(path)
    assert documents.texts == [text * 40]
    assert [fault.detail for fault in documents.faults] == [
        f"the file has no byte order mark; it is read as {encoding}"
    ]


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"a\0",
        b"plain ascii text " * 50,
        bytes(range(256)) * 20,
        b"\1\0\2\0\3\0\4\0" * 100,  # whole numbers of two bytes
        b"name\0\0\0\0value\0\0\0" * 100,
        b"\0\0\0a\0\0\0b" * 100,  # UTF-32
    ],
)
def test_other_bytes_are_not_taken_for_utf_16(raw: bytes) -> None:
    assert utf16_without_mark(raw) is None


@pytest.mark.parametrize(
    "head",
    [
        b"<meta " * 3_000,
        b"<meta charset=" + b" " * 16_000,
        b"<meta " * 1_000 + b"charset=" + b" " * 8_000,
        b"<meta " * 1_000 + b'charset= "' + b" " * 8_000,
        b"content-type: text/html; charset=" + b" " * 16_000,
    ],
)
def test_a_declaration_without_end_declares_nothing(head: bytes) -> None:
    page = head + b"\n<p>" + RUSSIAN.encode("koi8-r")
    for _ in range(100):
        assert decode(page, html=True).encoding == "koi8-r"
