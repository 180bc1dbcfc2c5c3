"""Papers written in the formats that people use, by hand where a format is simple enough.

Every writer takes paragraphs and gives the bytes of a file; equal paragraphs give equal bytes.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Callable, Sequence
from email.message import EmailMessage
from html import escape

Paragraphs = Sequence[str]
_DAY = (2024, 1, 1, 0, 0, 0)


def docx(paragraphs: Paragraphs) -> bytes:
    """A Word document."""
    body = "".join(f"<w:p><w:r><w:t>{escape(p)}</w:t></w:r></w:p>" for p in paragraphs)
    office = "http://schemas.openxmlformats.org"
    return _zip(
        {
            "[Content_Types].xml": f'<Types xmlns="{office}/package/2006/content-types">'
            '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.'
            'relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/'
            'vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
            "_rels/.rels": f'<Relationships xmlns="{office}/package/2006/relationships">'
            f'<Relationship Id="r1" Type="{office}/officeDocument/2006/relationships/'
            'officeDocument" Target="word/document.xml"/></Relationships>',
            "word/document.xml": f'<w:document xmlns:w="{office}/wordprocessingml/2006/main">'
            f"<w:body>{body}</w:body></w:document>",
        }
    )


def odt(paragraphs: Paragraphs) -> bytes:
    """An OpenDocument text."""
    body = "".join(f"<text:p>{escape(p)}</text:p>" for p in paragraphs)
    return _open_document("text", f"<office:text>{body}</office:text>")


def rtf(paragraphs: Paragraphs) -> bytes:
    """Rich text, every letter beyond ASCII as an escape."""
    lines = "\n".join("{\\pard " + _rtf_words(p) + "\\par}" for p in paragraphs)
    font = "{\\fonttbl{\\f0 DejaVu Serif;}}"
    return f"{{\\rtf1\\ansi\\ansicpg1252\\deff0{font}\n{lines}\n}}".encode("ascii")


def _rtf_words(text: str) -> str:
    marks = {"\\": "\\\\", "{": "\\{", "}": "\\}"}
    return "".join(
        marks.get(mark, mark) if ord(mark) < 128 else f"\\u{ord(mark)}?" for mark in text
    )


def html(paragraphs: Paragraphs) -> bytes:
    """A page without navigation."""
    title, *rest = paragraphs
    body = "\n".join(f"<p>{escape(p)}</p>" for p in rest)
    head = f'<head><meta charset="utf-8"><title>{escape(title)}</title></head>'
    page = f"<!DOCTYPE html>\n<html>{head}<body><h1>{escape(title)}</h1>\n{body}\n</body></html>"
    return page.encode()


def text(paragraphs: Paragraphs) -> bytes:
    """Plain text in UTF-8."""
    return ("\n\n".join(paragraphs) + "\n").encode()


def text_of_windows(paragraphs: Paragraphs) -> bytes:
    """Plain text in the code page of its language, lines ended as on Windows."""
    whole = "\r\n\r\n".join(paragraphs) + "\r\n"
    cyrillic = sum("а" <= mark <= "я" for mark in whole.lower()) > len(whole) / 4
    return whole.encode("cp1251" if cyrillic else "cp1252", "replace")


def text_of_notepad(paragraphs: Paragraphs) -> bytes:
    """Plain text in UTF-16 with a byte order mark, broken into short lines."""
    return "\r\n\r\n".join(_folded(p, "\r\n") for p in paragraphs).encode("utf-16")


def markdown(paragraphs: Paragraphs) -> bytes:
    """Markdown with a heading."""
    title, *rest = paragraphs
    return (f"# {title}\n\n" + "\n\n".join(_folded(p, "\n") for p in rest) + "\n").encode()


def epub(paragraphs: Paragraphs) -> bytes:
    """An e-book of one chapter."""
    title, *rest = paragraphs
    body = "".join(f"<p>{escape(p)}</p>" for p in rest)
    chapter = f"<head><title>{escape(title)}</title></head><body><h1>{escape(title)}</h1>{body}"
    return _zip(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": '<container version="1.0" xmlns="urn:oasis:names:tc:'
            'opendocument:xmlns:container"><rootfiles><rootfile full-path="book.opf" media-type='
            '"application/oebps-package+xml"/></rootfiles></container>',
            "book.opf": '<package xmlns="http://www.idpf.org/2007/opf" version="3.0" '
            'unique-identifier="id"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">'
            f'<dc:identifier id="id">1</dc:identifier><dc:title>{escape(title)}</dc:title>'
            '<dc:language>en</dc:language></metadata><manifest><item id="c" href="c.xhtml" '
            'media-type="application/xhtml+xml"/></manifest><spine><itemref idref="c"/></spine>'
            "</package>",
            "c.xhtml": f'<html xmlns="http://www.w3.org/1999/xhtml">{chapter}</body></html>',
        }
    )


def pdf(paragraphs: Paragraphs) -> bytes:
    """Pages of forty lines in a font of which only the mapping to letters is written."""
    lines = [line for p in paragraphs for line in (*_folded(p, "\n").split("\n"), "")]
    pages = [lines[start : start + 40] for start in range(0, len(lines), 40)]
    letters = sorted({mark for line in lines for mark in line})
    numbers = {mark: number for number, mark in enumerate(letters, 1)}
    streams = [_pdf_page(page, numbers) for page in pages]
    return _pdf_file(streams, _to_unicode(numbers))


def scan(paragraphs: Paragraphs) -> bytes:
    """A PDF that holds a picture and no text; another text gives another picture."""
    pixels = bytes((zlib.crc32(f"{paragraphs}{row}".encode()) >> 3) & 255 for row in range(4096))
    image = (
        b"<< /Type /XObject /Subtype /Image /Width 64 /Height 64 /ColorSpace /DeviceGray "
        b"/BitsPerComponent 8 /Length 4096 >>\nstream\n" + pixels + b"\nendstream"
    )
    page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /XObject << /I 5 "
    page += b"0 R >> >> /Contents 4 0 R >>"
    draw = b"q 595 0 0 842 0 0 cm /I Do Q"
    content = b"<< /Length %d >>\nstream\n%s\nendstream" % (len(draw), draw)
    root = [b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>"]
    return _pdf_objects([*root, page, content, image])


def mail(paragraphs: Paragraphs, attached: tuple[str, bytes] | None = None) -> bytes:
    """A message with the first paragraph as its subject, and perhaps a file."""
    message = EmailMessage()
    title, *rest = paragraphs
    message["Subject"], message["From"], message["To"] = title, "a@example.org", "b@example.org"
    message["Date"] = "Mon, 01 Jan 2024 10:00:00 +0000"
    message.set_content("\n\n".join(rest) + "\n")
    if attached is not None:
        name, content = attached
        message.add_attachment(content, "application", "octet-stream", filename=name)
        message.set_boundary("=-=twins-of-a-folder=-=")
    return message.as_bytes()


def xlsx(rows: Sequence[Sequence[str | int]]) -> bytes:
    """A workbook of one sheet."""
    office = "http://schemas.openxmlformats.org"
    body = "".join(
        f'<row r="{n}">'
        + "".join(_cell(value, n, place) for place, value in enumerate(row))
        + "</row>"
        for n, row in enumerate(rows, 1)
    )
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    return _zip(
        {
            "[Content_Types].xml": f'<Types xmlns="{office}/package/2006/content-types">'
            '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.'
            'relationships+xml"/><Override PartName="/xl/workbook.xml" '
            f'ContentType="{kind}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" '
            f'ContentType="{kind}.worksheet+xml"/></Types>',
            "_rels/.rels": f'<Relationships xmlns="{office}/package/2006/relationships">'
            f'<Relationship Id="r1" Type="{office}/officeDocument/2006/relationships/'
            'officeDocument" Target="xl/workbook.xml"/></Relationships>',
            "xl/workbook.xml": f'<workbook xmlns="{office}/spreadsheetml/2006/main" '
            f'xmlns:r="{office}/officeDocument/2006/relationships"><sheets><sheet name="Sheet1" '
            'sheetId="1" r:id="r1"/></sheets></workbook>',
            "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{office}/package/2006/'
            f'relationships"><Relationship Id="r1" Type="{office}/officeDocument/2006/'
            'relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
            "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{office}/spreadsheetml/2006/main">'
            f"<sheetData>{body}</sheetData></worksheet>",
        }
    )


def _cell(value: str | int, row: int, place: int) -> str:
    name = f"{chr(65 + place)}{row}"
    if isinstance(value, int):
        return f'<c r="{name}"><v>{value}</v></c>'
    return f'<c r="{name}" t="inlineStr"><is><t>{escape(value)}</t></is></c>'


def ods(rows: Sequence[Sequence[str | int]]) -> bytes:
    """An OpenDocument spreadsheet of one sheet."""
    body = "".join(
        "<table:table-row>"
        + "".join(
            f"<table:table-cell><text:p>{escape(str(v))}</text:p></table:table-cell>" for v in row
        )
        + "</table:table-row>"
        for row in rows
    )
    table = f'<table:table table:name="Sheet1">{body}</table:table>'
    return _open_document("spreadsheet", f"<office:spreadsheet>{table}</office:spreadsheet>")


TEXTS: dict[str, Callable[[Paragraphs], bytes]] = {
    ".docx": docx,
    ".odt": odt,
    ".rtf": rtf,
    ".pdf": pdf,
    ".html": html,
    ".txt": text,
    ".md": markdown,
    ".epub": epub,
}
"""Formats of running text by suffix."""


def _folded(text: str, end: str, width: int = 78) -> str:
    lines, line = [], ""
    for word in text.split(" "):
        if line and len(line) + len(word) >= width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    return end.join([*lines, line])


def _zip(parts: dict[str, str]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            entry = zipfile.ZipInfo(name, _DAY)
            stored = name == "mimetype"
            entry.compress_type = zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED
            head = '<?xml version="1.0" encoding="UTF-8"?>\n' if content.startswith("<") else ""
            archive.writestr(entry, head + content)
    return out.getvalue()


def _open_document(kind: str, body: str) -> bytes:
    oasis = "urn:oasis:names:tc:opendocument:xmlns"
    names = " ".join(f'xmlns:{n}="{oasis}:{n}:1.0"' for n in ("office", "text", "table"))
    media = f"application/vnd.oasis.opendocument.{kind}"
    return _zip(
        {
            "mimetype": media,
            "META-INF/manifest.xml": f'<manifest:manifest xmlns:manifest="{oasis}:manifest:1.0">'
            f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{media}"/>'
            '<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/>'
            "</manifest:manifest>",
            "content.xml": f'<office:document-content {names} office:version="1.2"><office:body>'
            f"{body}</office:body></office:document-content>",
        }
    )


def _pdf_page(lines: list[str], numbers: dict[str, int]) -> bytes:
    shown = ["BT /F 11 Tf 14 TL 50 790 Td"]
    for line in lines:
        codes = "".join(f"{numbers[mark]:04x}" for mark in line)
        shown.append(f"<{codes}> Tj T*")
    return "\n".join([*shown, "ET"]).encode()


def _to_unicode(numbers: dict[str, int]) -> bytes:
    rows = [f"<{number:04x}> <{ord(mark):04x}>" for mark, number in numbers.items()]
    blocks = [rows[start : start + 100] for start in range(0, len(rows), 100)]
    ranges = "\n".join(
        f"{len(block)} beginbfchar\n" + "\n".join(block) + "\nendbfchar" for block in blocks
    )
    return (
        "/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n/CMapName /A def\n"
        "1 begincodespacerange\n<0000> <ffff>\nendcodespacerange\n"
        f"{ranges}\nendcmap\nend end"
    ).encode()


def _pdf_file(pages: list[bytes], to_unicode: bytes) -> bytes:
    first = 7
    kids = " ".join(f"{first + 2 * n} 0 R" for n in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        b"<< /Type /Font /Subtype /Type0 /BaseFont /Serif /Encoding /Identity-H "
        b"/DescendantFonts [4 0 R] /ToUnicode 6 0 R >>",
        b"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Serif /CIDSystemInfo << /Registry "
        b"(Adobe) /Ordering (Identity) /Supplement 0 >> /FontDescriptor 5 0 R /DW 500 >>",
        b"<< /Type /FontDescriptor /FontName /Serif /Flags 4 /FontBBox [0 -200 1000 900] "
        b"/ItalicAngle 0 /Ascent 900 /Descent -200 /CapHeight 700 /StemV 80 >>",
        _stream(to_unicode),
    ]
    for number, page in enumerate(pages):
        content = first + 2 * number + 1
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F 3 0 R "
            f">> >> /Contents {content} 0 R >>".encode()
        )
        objects.append(_stream(page))
    return _pdf_objects(objects)


def _stream(content: bytes) -> bytes:
    return b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content)


def _pdf_objects(objects: list[bytes]) -> bytes:
    out, places = bytearray(b"%PDF-1.5\n"), []
    for number, content in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    for place in places:
        out += b"%010d 00000 n \n" % place
    size = len(objects) + 1
    out += b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (size, table)
    return bytes(out)
