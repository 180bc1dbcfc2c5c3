"""Bytes to text: byte order marks, UTF-8, what HTTP or the page declares, then detection."""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple

from twinset.plan.spec import counted

# Longest first: the mark of UTF-32 begins with that of UTF-16.
BOMS: tuple[tuple[bytes, str], ...] = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_NAME = rb"\s*=\s*(?:[\"']\s*)?([A-Za-z0-9_:.-]+)"
# A tag without end reaches to the end: what is not in it need not be looked for in its parts.
_META = re.compile(rb"<(?:meta\b|\?xml)([^>]*)", re.I)
_IN_META = re.compile(rb"(?:charset|encoding)" + _NAME, re.I)
# HTTP header lines that were stored before the page.
_HEADER = re.compile(rb"^content-type:[^\r\n]*?charset" + _NAME, re.I | re.M)
_META_WITHIN = 16_384
_WIDE = ("utf-16", "utf-32")
_WIDE_WITHIN = 4096  # bytes
_LEAST_ZEROS = 0.02  # of the bytes: one character in 25 is a blank, a digit or ASCII
_CONTROLS = re.compile("[\0-\x08\x0e-\x1a\x1c-\x1f\x7f\ue000-\uf8ff\ufdd0-\ufdef]")
_SEVEN_BIT = ("iso2022", "hz", *_WIDE)  # what is valid UTF-8 may be text in one of these
_MOST_BROKEN = 0.01  # of the characters; a declaration that breaks more of them is wrong
_SURROGATES = re.compile("[\ud800-\udfff]")
REPLACEMENT = "\ufffd"
_ASCII = bytes(range(0x80))
_OF_ADDRESSES = {"idna", "punycode"}  # of names of hosts: these take no bytes that are broken
_FEW = 2  # bytes beyond ASCII: too few to guess an encoding
_NO_LEADS = bytes(range(0xC0))  # every character beyond ASCII has one byte that is not among these


class Decoded(NamedTuple):
    """A text, the encoding it was in, and how many places had to be replaced by U+FFFD."""

    text: str
    encoding: str
    broken: int


def decode(raw: bytes, hint: str | None = None, html: bool = False) -> Decoded:
    """The text of one document; ``hint`` is an encoding declared elsewhere (by HTTP, say)."""
    mark = byte_order_mark(raw)
    if mark:
        bom, encoding = mark
        return _replacing(raw[len(bom) :], encoding)
    if wide := utf16_without_mark(raw):
        return _replacing(raw, wide)
    declared = _known(hint) or (_declared(raw) if html else None)
    if declared and declared.startswith(_WIDE) and b"\0" not in raw[:_META_WITHIN]:
        declared = None  # in these, tags have zeros between their letters
    if declared is None or not declared.startswith(_SEVEN_BIT):
        try:
            return Decoded(raw.decode("utf-8"), "utf-8", 0)
        except UnicodeDecodeError:
            pass
    if declared and declared != "utf-8":
        as_declared = _replacing(raw, declared)
        if as_declared.broken <= _MOST_BROKEN * len(as_declared.text):
            return as_declared
    as_utf8 = _replacing(raw, "utf-8")
    return as_utf8 if is_mostly_utf8(as_utf8) else _replacing(raw, detect(raw))


def decode_utf8_by_definition(raw: bytes) -> tuple[str, str | None]:
    """The text of what has to be UTF-8, and what is wrong with it where it is not.

    A few odd bytes are damage and are replaced; many are another encoding, which is guessed.
    """
    try:
        return raw.decode("utf-8"), None
    except UnicodeDecodeError:
        pass
    beyond_ascii = len(raw.translate(None, _ASCII))
    decoded = _replacing(raw, "utf-8") if beyond_ascii <= _FEW else decode(raw)
    if decoded.encoding == "utf-8":
        return decoded.text, broken_characters(max(decoded.broken, 1))
    return decoded.text, f"the line is not UTF-8; it is read as {decoded.encoding}"


def broken_characters(count: int) -> str:
    """The message for a text in which this many characters were replaced."""
    return f"{counted(count, 'broken character')} replaced"


def byte_order_mark(raw: bytes) -> tuple[bytes, str] | None:
    """The byte order mark that the bytes begin with, and its encoding."""
    return next(((bom, encoding) for bom, encoding in BOMS if raw.startswith(bom)), None)


def utf16_without_mark(raw: bytes) -> str | None:
    """The encoding of UTF-16 without a byte order mark; None where these bytes are none.

    Blanks, digits and line ends of every script have a zero as their upper byte, and no text has a
    zero as a lower one. Binary data has zeros in both places, or control characters.
    """
    head = raw[: min(len(raw), _WIDE_WITHIN) // 2 * 2]
    first, second = head[::2].count(0), head[1::2].count(0)
    if min(first, second) or max(first, second) < max(4, _LEAST_ZEROS * len(head)):
        return None
    encoding = "utf-16-le" if second else "utf-16-be"
    text = head.decode(encoding, "replace")[:-1]  # half of a character may be at the end
    is_text = REPLACEMENT not in text and not _CONTROLS.search(text)
    return encoding if is_text else None


def is_mostly_utf8(decoded: Decoded) -> bool:
    """Whether broken places are the exception among the characters beyond ASCII."""
    beyond = len(decoded.text.encode("utf-8").translate(None, _NO_LEADS))
    broken = decoded.text.count(REPLACEMENT)
    return beyond - broken >= broken


def detect(raw: bytes) -> str:
    """The likeliest encoding of bytes that are not UTF-8; windows-1252 when unknown."""
    from resiliparse.parse.encoding import detect_encoding

    encoding = _known(detect_encoding(raw))
    return encoding if encoding and encoding != "utf-8" else "cp1252"


def encoding_of(records: bytes) -> str | None:
    """The encoding of records that lie one behind another; None where all of them are ASCII."""
    return None if records.isascii() else decode(records).encoding


HALF = "half of a surrogate pair, which no UTF-8 can hold: write the whole character"


def has_half(text: str) -> bool:
    """Whether there is half of a surrogate pair in a text; U+FFFD would make all halves equal."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def without_surrogates(text: str) -> str:
    """The text with lone surrogates, which no UTF-8 can hold, replaced by U+FFFD."""
    return text if text.isascii() else _SURROGATES.sub(REPLACEMENT, text)


def _declared(raw: bytes) -> str | None:
    head = raw[:_META_WITHIN]
    tags = (_IN_META.search(tag.group(1)) for tag in _META.finditer(head))
    match = _HEADER.search(head) or next(filter(None, tags), None)
    return _known(match.group(1).decode("ascii")) if match else None


def _known(name: str | None) -> str | None:
    if not name:
        return None
    from resiliparse.parse.encoding import map_encoding_to_html5

    try:
        known = codecs.lookup(map_encoding_to_html5(name, fallback_utf8=False) or name).name
        b"a".decode(known)  # or it is no encoding of texts, as base64
    except (LookupError, ValueError):  # a name with a zero is none
        return None
    return None if known in _OF_ADDRESSES else known


def _replacing(raw: bytes, encoding: str) -> Decoded:
    text = raw.decode(encoding, "replace")
    if encoding.startswith("utf"):
        text = without_surrogates(text)
    broken = text.count(REPLACEMENT) - _own_replacements(raw, encoding)
    return Decoded(text, encoding, max(broken, 0))


def _own_replacements(raw: bytes, encoding: str) -> int:
    """How often the input itself holds U+FFFD."""
    return raw.count(REPLACEMENT.encode(encoding)) if encoding.startswith("utf") else 0
