"""PDF files made by hand: lines at their places, in Latin and Cyrillic letters, and scans."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

Placed = tuple[float, float, str]
HEIGHT = 800
SIZE = 10
WIDTH = 5.0
"""How wide every character is, in points."""
_CYRILLIC = "".join(chr(code) for code in range(0x410, 0x450)) + "ёЁ"
# Not 0xA0, which is taken for a blank.
_CODES = {letter: 0x80 + i for i, letter in enumerate(_CYRILLIC[:32])}
_CODES |= {letter: 0xB0 + i for i, letter in enumerate(_CYRILLIC[32:])}
_CODES |= {"\u00ad": 0xAD, "\ufb01": 0xF0}


def pdf_of(pages: Sequence[Sequence[Placed]], scans: Sequence[int] = (), size: int = 400) -> bytes:
    """A document whose pages have these lines (left, bottom, text); a scan has an image as well."""
    image, font, names, first = 3, 4, 5, 6
    kids = b" ".join(b"%d 0 R" % (first + 2 * i) for i in range(len(pages)))
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[%s]/Count %d>>" % (kids, len(pages)),
        _stream(
            b"\0\xff\xff\0",
            b"/Type/XObject/Subtype/Image/Width 2/Height 2/ColorSpace/DeviceGray"
            b"/BitsPerComponent 8",
        ),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/FirstChar 0/LastChar 255/Widths[%s]"
        b"/FontDescriptor<</Type/FontDescriptor/FontName/Helvetica/Flags 32/Ascent 700"
        b"/Descent -200/CapHeight 700/StemV 80/ItalicAngle 0/FontBBox[0 -200 1000 900]>>"
        b"/ToUnicode %d 0 R>>" % (b" ".join([b"%d" % (1000 * WIDTH / SIZE)] * 256), names),
        _stream(_to_unicode()),
    ]
    for number, lines in enumerate(pages):
        content = b"q %d 0 0 %d 0 0 cm /I Do Q " % (size, HEIGHT) if number in scans else b""
        content += b"".join(
            b"BT /F %d Tf 1 0 0 1 %.1f %.1f Tm <%s> Tj ET\n"
            % (SIZE, left, bottom, _encoded(text).hex().encode())
            for left, bottom, text in lines
        )
        objects.append(
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 %d %d]/Contents %d 0 R/Resources"
            b"<</Font<</F %d 0 R>>/XObject<</I %d 0 R>>>>>>"
            % (size, HEIGHT, first + 2 * number + 1, font, image)
        )
        objects.append(_stream(content))
    return assembled(objects)


def assembled(objects: Sequence[bytes]) -> bytes:
    """The file of these objects, numbered from 1; the first is the catalogue."""
    out = b"%PDF-1.4\n"
    places = []
    for number, content in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj%s endobj\n" % (number, content)
    start, count = len(out), len(objects) + 1
    out += b"xref\n0 %d\n0000000000 65535 f \n" % count
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    return out + b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (count, start)


def typeset(text: str, characters: int, left: float = 40, top: float = 740) -> list[Placed]:
    """A text in lines of at most so many characters, a paragraph per line of it, words hyphenated.

    A word that does not fit is cut after three letters or more, where three are left. There is a
    little space after every paragraph.
    """
    placed: list[Placed] = []
    for paragraph in text.split("\n"):
        lines, line = [], ""
        for word in paragraph.split():
            room = characters - len(line) - 2
            if len(line) + len(word) + 1 <= characters:
                line = f"{line} {word}".strip()
            elif room >= 3 and len(word) - room >= 3 and word.isalpha():
                lines.append(f"{line} {word[:room]}-")
                line = word[room:]
            else:
                lines.append(line)
                line = word
        lines.append(line)
        placed += [(left, top - 12 * number, line) for number, line in enumerate(lines)]
        top -= 12 * len(lines) + 4
    return placed


def form_bomb(levels: int, each: int = 10) -> bytes:
    """A small file that draws forms within forms, so many times as there are levels."""
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 4 0 R"
        b"/Resources<</XObject<</X 5 0 R>>>>>>",
        _stream(b"/X Do"),
    ]
    for level in range(levels):
        form = b"/Type/XObject/Subtype/Form/BBox[0 0 200 200]"
        below = b"/Resources<</XObject<</X %d 0 R>>>>" % (6 + level)
        objects.append(_stream(b"/X Do " * each, form + below))
    objects.append(_stream(b"", b"/Type/XObject/Subtype/Form/BBox[0 0 200 200]"))
    return assembled(objects)


def line_bomb(pieces: int) -> bytes:
    """A file of a kilobyte that draws millions of short pieces of text."""
    drawn = b"BT /F 1 Tf (" + b"a)Tj(b" * pieces + b") Tj ET"
    packed = zlib.compress(zlib.compress(drawn, 9), 9)
    return assembled(
        [
            b"<</Type/Catalog/Pages 2 0 R>>",
            b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R"
            b"/Resources<</Font<</F 5 0 R>>>>>>",
            _stream(packed, b"/Filter[/FlateDecode/FlateDecode]"),
            b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        ]
    )


def _stream(content: bytes, entries: bytes = b"") -> bytes:
    return b"<<%s/Length %d>>stream\n%s\nendstream" % (entries, len(content), content)


def _encoded(text: str) -> bytes:
    return bytes(_CODES.get(letter, ord(letter) & 0x7F) for letter in text)


def _to_unicode() -> bytes:
    codes = {letter: code for code, letter in ((c, chr(c)) for c in range(0x20, 0x7F))} | _CODES
    rows = [f"<{code:02x}> <{ord(letter):04x}>" for letter, code in codes.items()]
    blocks = "".join(
        f"{len(part)} beginbfchar\n" + "\n".join(part) + "\nendbfchar\n"
        for part in (rows[i : i + 100] for i in range(0, len(rows), 100))
    )
    return (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /U def "
        "1 begincodespacerange <00> <ff> endcodespacerange\n"
        f"{blocks}endcmap end end"
    ).encode()
