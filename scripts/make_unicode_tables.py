"""Write ``src/twinset/_kernels/unicode_tables.hpp`` from Python's ``unicodedata``.

The generated header is committed, so that the words of a text never depend on the Python that built
the kernels. Scripts are not in ``unicodedata``; names and blocks stand in for them.

    python scripts/make_unicode_tables.py            writes the header
    python scripts/make_unicode_tables.py --check    exits 1 if the committed header differs
"""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Iterable, Sequence
from pathlib import Path

HEADER = Path(__file__).parent.parent / "src" / "twinset" / "_kernels" / "unicode_tables.hpp"

SEPARATOR, WORD, SOLO, MARK, DROPPED = range(5)
FAST, SLOW = 0, 1
Property = tuple[int, int, int, int]  # class, combining class, slow, distance to the lower case

# Written without spaces between words: every base character is a word of its own.
SOLO_NAMES = (
    "CJK UNIFIED IDEOGRAPH",
    "CJK COMPATIBILITY IDEOGRAPH",
    "CJK RADICAL",
    "KANGXI RADICAL",
    "IDEOGRAPHIC ITERATION MARK",
    "IDEOGRAPHIC CLOSING MARK",
    "IDEOGRAPHIC NUMBER ZERO",
    "VERTICAL IDEOGRAPHIC ITERATION MARK",
    "OLD CHINESE ITERATION MARK",
    "VERTICAL KANA REPEAT",
    "HANGZHOU NUMERAL",
    "HIRAGANA",
    "HENTAIGANA",
    "KATAKANA",
    "HALFWIDTH KATAKANA",
    "THAI",
    "LAO",
    "KHMER",
    "MYANMAR",
)
RADICALS = range(0x2E80, 0x2FD6)
# Pictographs, of which only those of category So count (skin tones are Sk: they are ignored).
EMOJI = (
    range(0x231A, 0x231C),
    range(0x2328, 0x2329),
    range(0x23CF, 0x23D0),
    range(0x23E9, 0x23FB),
    range(0x2600, 0x27C0),
    range(0x2B1B, 0x2B1D),
    range(0x2B50, 0x2B51),
    range(0x2B55, 0x2B56),
    range(0x1F000, 0x1FB00),
)
# Invisible: they neither break a word nor belong to it. Soft hyphen, the zero-width (non-)joiners,
# variation selectors.
INVISIBLE = (
    range(0x00AD, 0x00AE),
    range(0x200C, 0x200E),
    range(0x180B, 0x180E),
    range(0x180F, 0x1810),
    range(0xFE00, 0xFE10),
    range(0xE0100, 0xE01F0),
)
SELECTORS_TOP = 0xE0100
HANGUL = range(0xAC00, 0xD7A4)
FINAL_SIGMA, SIGMA = "\u03c2", "\u03c3"
BLOCK = 128


def inside(code: int, ranges: Iterable[range]) -> bool:
    """Whether one of the ranges holds the code point."""
    return any(code in one for one in ranges)


def is_solo(code: int, category: str) -> bool:
    """Whether the character is a word of its own."""
    if category == "So":
        return code in RADICALS or inside(code, EMOJI)
    if category == "Nd" or category[0] not in "LN":
        return False
    name = unicodedata.name(chr(code), "")
    return any(name == one or name.startswith((one + " ", one + "-")) for one in SOLO_NAMES)


def class_of(code: int) -> int:
    """What the character does to a word: break, build, stand alone, follow, vanish."""
    category = unicodedata.category(chr(code))
    if inside(code, INVISIBLE):
        return DROPPED
    if is_solo(code, category):
        return SOLO
    if category[0] in "LN":
        return WORD
    return MARK if category[0] == "M" else SEPARATOR


def lower(char: str) -> str:
    """Lower case without context; a final sigma is a sigma."""
    return SIGMA if char == FINAL_SIGMA else char.lower()


def expansion(code: int) -> str:
    """The canonical decomposition, in lower case."""
    return "".join(lower(char) for char in unicodedata.normalize("NFD", chr(code)))


def may_change(char: str) -> bool:
    """Whether NFC may alter the character or join it to the one before."""
    return not unicodedata.is_normalized("NFC", char) or char in composing()


_composing: set[str] = set()


def composing() -> set[str]:
    """Characters that can be the second half of a composition (NFC_Quick_Check = Maybe)."""
    if not _composing:
        _composing.update(chr(second) for _, second, _ in compositions())
        _composing.update(chr(code) for code in range(0x1161, 0x1176))
        _composing.update(chr(code) for code in range(0x11A8, 0x11C3))
    return _composing


def property_of(code: int) -> Property:
    """Everything the tokeniser asks about one code point."""
    kind = class_of(code)
    char = chr(code)
    if kind in (SEPARATOR, DROPPED):
        return (kind, 0, FAST, 0)
    combining = unicodedata.combining(char)
    small = unicodedata.normalize("NFC", expansion(code))
    if len(small) > 1 or may_change(char) or may_change(small):
        return (kind, combining, SLOW, 0)
    return (kind, combining, FAST, ord(small) - code)


def assigned() -> Iterable[int]:
    """All code points that characters can have, surrogates left out."""
    yield from range(0xD800)
    yield from range(0xE000, 0x110000)


def compositions() -> list[tuple[int, int, int]]:
    """(first, second, composed) for every pair NFC joins, Hangul left out."""
    found = []
    for code in assigned():
        parts = unicodedata.decomposition(chr(code)).split()
        pair = len(parts) == 2 and not parts[0].startswith("<")
        if pair and unicodedata.normalize("NFC", chr(code)) == chr(code):
            found.append((int(parts[0], 16), int(parts[1], 16), code))
    return sorted(found)


def expansions() -> list[tuple[int, str]]:
    """(code, decomposed lower case) where that is not just one lower-case character."""
    return [
        (code, expansion(code))
        for code in assigned()
        if code not in HANGUL and unicodedata.normalize("NFD", chr(code)) != chr(code)
    ]


def numbers(name: str, kind: str, values: Sequence[int]) -> str:
    """A C++ array, wrapped."""
    lines, line = [], "   "
    for value in values:
        item = f" {value},"
        if len(line) + len(item) > 100:
            lines.append(line)
            line = "   "
        line += item
    lines.append(line)
    body = "\n".join(lines)
    return f"inline constexpr {kind} {name}[{len(values)}] = {{\n{body}\n}};\n"


def property_tables() -> str:
    """The two-level table: block of a code point, then the record's number inside it."""
    properties = {code: property_of(code) for code in assigned() if code < SELECTORS_TOP}
    default = (SEPARATOR, 0, FAST, 0)
    top = max(code for code, one in properties.items() if one != default) // BLOCK * BLOCK + BLOCK
    records = sorted(set(properties.values()))
    records.remove(default)
    records.insert(0, default)
    number = {record: i for i, record in enumerate(records)}
    blocks: dict[tuple[int, ...], int] = {}
    index = []
    for start in range(0, top, BLOCK):
        one = tuple(number[properties.get(code, default)] for code in range(start, start + BLOCK))
        index.append(blocks.setdefault(one, len(blocks)))
    if len(records) > 256 or len(blocks) > 256:
        raise SystemExit("the property tables outgrew one byte: widen kBlockOf or kRecordOf")
    rows = "\n".join(f"    {{{d}, {k}, {c}, {s}}}," for k, c, s, d in records)
    return "\n".join(
        [
            f"inline constexpr uint32_t kTableTop = {top};  // no character above has a record",
            numbers("kBlockOf", "uint8_t", index),
            numbers("kRecordOf", "uint8_t", [n for block in blocks for n in block]),
            f"inline constexpr Property kRecords[{len(records)}] = {{\n{rows}\n}};\n",
        ]
    )


def normalisation_tables() -> str:
    """Sorted keys for binary search; the slow path alone reads them."""
    grown = expansions()
    pool = "".join(text for _, text in grown)
    starts, total = [0], 0
    for _, text in grown:
        total += len(text)
        starts.append(total)
    pairs = compositions()
    return "\n".join(
        [
            numbers("kExpandFrom", "uint32_t", [code for code, _ in grown]),
            numbers("kExpandStart", "uint16_t", starts),
            numbers("kExpandTo", "uint32_t", [ord(char) for char in pool]),
            numbers("kComposeFirst", "uint32_t", [first for first, _, _ in pairs]),
            numbers("kComposeSecond", "uint32_t", [second for _, second, _ in pairs]),
            numbers("kComposeTo", "uint32_t", [composed for _, _, composed in pairs]),
        ]
    )


def header() -> str:
    """The whole generated file."""
    return f"""\
// Generated by scripts/make_unicode_tables.py; do not edit.
#pragma once
#include <cstdint>

namespace twinset {{

inline constexpr char kUnicodeVersion[] = "{unicodedata.unidata_version}";

enum CharClass : uint8_t {{ kSeparator, kWord, kSolo, kMark, kDropped }};

struct Property {{
    int32_t to_lower;   // distance to the canonical lower-case character
    uint8_t kind;       // CharClass
    uint8_t combining;  // canonical combining class
    uint8_t slow;       // its word has to be normalised
}};

{property_tables()}
{normalisation_tables()}
}}  // namespace twinset
"""


def main() -> None:
    """Write or check the header."""
    text = header()
    if "--check" in sys.argv[1:]:
        sys.exit(HEADER.read_text(encoding="utf-8") != text)
    HEADER.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
