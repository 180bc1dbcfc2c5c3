"""What is text and what is not, in every office format, on small documents written by hand."""

from __future__ import annotations

import io
import re
import sys
import zipfile
from datetime import date, datetime, time, timedelta
from pathlib import Path

import pytest

from tests.reading.documents.test_hostile import with_part
from tests.reading.helpers import read
from tests.reading.test_office import WORD
from twinset.documents.base import OfficeError, document_text
from twinset.documents.sheet import _shown, sheet_text
from twinset.errors import remedy

MARKS = "http://schemas.openxmlformats.org/markup-compatibility/2006"


def text_of(format: str, raw: bytes) -> str:
    text, faults = document_text(format, raw, 1 << 20)
    assert faults == ()
    return text


def zipped(**files: str) -> bytes:
    """The files with their names spelt so that Python takes them: word__document."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in files.items():
            packed.writestr(f"{name.replace('__', '/')}.xml", content)
    return out.getvalue()


def word(body: str, **files: str) -> str:
    spaces = f'xmlns:w="{WORD}" xmlns:mc="{MARKS}"'
    marked = {name: f"<w:x {spaces}>{content}</w:x>" for name, content in files.items()}
    return text_of("docx", zipped(word__document=f"<w:d {spaces}>{body}</w:d>", **marked))


def run(text: str, properties: str = "") -> str:
    return f"<w:r><w:rPr>{properties}</w:rPr><w:t>{text}</w:t></w:r>"


def par(*runs: str) -> str:
    return f"<w:p>{''.join(runs)}</w:p>"


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (par(run("kept"), "<w:del><w:r><w:delText>gone</w:delText></w:r></w:del>"), "kept\n"),
        (par("<w:moveFrom>", run("old place"), "</w:moveFrom>", run("here")), "here\n"),
        (par("<w:ins>", run("added"), "</w:ins>"), "added\n"),
        (par(run("seen"), run("hidden", "<w:vanish/>"), run(" too")), "seen too\n"),
        (par(run("seen", '<w:vanish w:val="0"/>')), "seen\n"),
        (par("<w:pPr><w:rPr><w:vanish/></w:rPr></w:pPr>", run("seen")), "seen\n"),
        (par("<w:pPr><w:tabs><w:tab/></w:tabs></w:pPr>", run("no tab")), "no tab\n"),
        (par(run("co"), "<w:r><w:noBreakHyphen/></w:r>", run("owner")), "co\u2011owner\n"),
        (par(run("soft"), "<w:r><w:softHyphen/></w:r>", run("ly")), "soft\u00adly\n"),
        (par("<w:r><w:instrText>PAGE</w:instrText></w:r>", run("7")), "7\n"),
        (
            par(run("host "), f"<w:txbxContent>{par(run('boxed'))}</w:txbxContent>", run("ends")),
            "host ends\nboxed\n",
        ),
        (
            par(
                f"<mc:AlternateContent><mc:Choice><w:txbxContent>{par(run('once'))}</w:txbxContent>"
                f"</mc:Choice><mc:Fallback><w:txbxContent>{par(run('once'))}</w:txbxContent>"
                "</mc:Fallback></mc:AlternateContent>"
            ),
            "\nonce\n",
        ),
        (f"<w:tr><w:tc>{par(run('a'))}</w:tc><w:tc>{par(run('b'))}</w:tc></w:tr>", "a\nb\n"),
    ],
)  # fmt: skip
def test_the_body_of_a_docx(body: str, text: str) -> None:
    assert word(body) == text


def test_notes_of_a_docx_follow_in_the_order_of_their_references() -> None:
    body = par(run("body"), '<w:footnoteReference w:id="7"/>', '<w:footnoteReference w:id="3"/>')
    body += par('<w:endnoteReference w:id="3"/>')
    notes = "".join(
        f'<w:footnote w:id="{id}">{par(run(text))}</w:footnote>'
        for id, text in (("-1", "separator"), ("3", "second"), ("7", "first"))
    )
    end = f'<w:endnote w:id="3">{par(run("last"))}</w:endnote>'
    header = par(run("page header"))
    text = word(body, word__footnotes=notes, word__endnotes=end, word__header1=header)
    assert text == "body\n\nfirst\nsecond\nlast\n"


def test_a_docx_in_the_strict_form_with_its_body_under_another_name() -> None:
    relations = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        '<Relationship Id="r" Type="http://purl.oclc.org/ooxml/officeDocument/relationships/'
        'officeDocument" Target="/word/document2.xml"/></Relationships>'
    )  # fmt: skip
    space = "http://purl.oclc.org/ooxml/wordprocessingml/main"
    body = f'<d xmlns="{space}"><p><r><t>strict</t></r></p></d>'
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as packed:
        packed.writestr("_rels/.rels", relations)
        packed.writestr("word/document2.xml", body)
    assert text_of("docx", out.getvalue()) == "strict\n"


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (r"{\rtf1\ansi\ansicpg1251 \'ef\'f0\'e8\'e2\'e5\'f2}", "привет"),
        (r"{\rtf1\ansi{\fonttbl{\f0 A;}{\f1\fcharset204 B;}}\f1 \'e4\'e0\f0 \'e9}", "даé"),
        (r"{\rtf1\ansi{\fonttbl{\f3\fcharset128 M;}}\f3 \'93\'fa\'96\'7b}", "日本"),
        (r"{\rtf1\uc1 \u1076?\u1072\'e0 end}", "да end"),
        (r"{\rtf1\uc0\u1076 \u1072  end}", "да end"),
        (r"{\rtf1{\uc2\u1076 xx}\u1072 x end}", "да end"),
        (r"{\rtf1\uc1\u-10179?\u-8704? face}", "😀 face"),
        (r"{\rtf1 a\~b\-c\_d \{e\}\\}", "a\u00a0b\u00adc\u2011d {e}\\"),
        (r"{\rtf1 \lquote a\rquote  \ldblquote b\rdblquote  \emdash \bullet}", "‘a’ “b” —•"),
        (r"{\rtf1{\*\generator none;}{\info{\title T}}{\stylesheet{\s0 N;}}text}", "text"),
        (r"{\rtf1{\header page}{\footerr 7}{\pict\bin4 }}{}}text}", "text"),
        (r"{\rtf1 one\par two\line three\cell four\row}", "one\ntwo\nthree\nfour\n"),
        (r"{\rtf1{\field{\*\fldinst HYPERLINK x}{\fldrslt shown}} on}", "shown on"),
        (r"{\rtf1 kept {\deleted gone}{\v hidden}\v secret\v0 end}", "kept end"),
        (r"{\rtf1{\listtext\tab 1.}item{\pntext 2.}}", "item"),
        (r"{\rtf1 body{\footnote\ftnalt last}{\footnote first}\par}", "body\nfirst\nlast\n"),
        (r"{\rtf1 a {\shp{\*\shpinst{\sp{\sn n}{\sv v}}{\shptxt box\par}}}b\par}", "a b\nbox\n"),
        (r"{\rtf1 line" + "\r\n" + r"goes on\'", "linegoes on"),
        (r"{\rtf1 closed} what follows is none", "closed"),
        (r"{\rtf1\ansicpg99999 \'e9}", "é"),
    ],
)  # fmt: skip
def test_the_words_of_rtf(source: str, text: str) -> None:
    assert text_of("rtf", source.encode("latin-1")) == text


def test_an_rtf_of_any_name_and_what_only_calls_itself_so(tmp_path: Path) -> None:
    (tmp_path / "a.docx").write_bytes(rb"{\rtf1 rich}")
    (tmp_path / "b.rtf").write_bytes(b"plain words")
    found = read(tmp_path)
    assert found.texts == ["rich", None]
    assert [fault.detail for fault in found.faults] == ["the file is not an RTF document"]


def test_cells_of_xlsx() -> None:
    cells = (
        b'<row r="1"><c r="A1" t="s"><v>0</v></c><c t="inlineStr"><is><t>inline</t></is></c>'
        b'<c t="b"><v>1</v></c><c t="str"><f>A1</f><v>result</v></c><c><v>1.10</v></c></row>'
        b'<row r="2"/><row r="3"><c r="C3"><v>7</v></c></row>'
    )
    data = re.compile(b"<sheetData>.*</sheetData>", re.DOTALL)
    raw = with_part("xlsx", lambda part: data.sub(b"<sheetData>%s</sheetData>" % cells, part))
    first, _, _ = text_of("sheet", raw).partition("\n\n")
    assert first == "Month\tinline\tTRUE\tresult\t1.1\n7"


def test_numbers_and_days_as_spreadsheets_keep_them() -> None:
    values: list[object] = [1.0, 0.1 + 0.2, 1e15, -2.5, True, 7, datetime(2024, 1, 1), time(12)]
    values += [datetime(2024, 1, 1, 18), date(2024, 1, 2), timedelta(hours=30), " two  words "]
    assert list(map(_shown, values)) == [
        "1", "0.3", "1.00000000000000e+15", "-2.5", "TRUE", "7", "2024-01-01", "12:00:00",
        "2024-01-01 18:00:00", "2024-01-02", "30:00:00", "two words",
    ]  # fmt: skip


def test_without_calamine_the_remedy_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    with pytest.raises(OfficeError, match=re.escape(remedy("office"))):
        sheet_text(b"")


def test_a_book_is_read_in_the_order_of_its_spine() -> None:
    container = (
        '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="in/book.opf"/></rootfiles></container>'
    )
    items = "".join(
        f'<item id="{id}" href="{id}%20page.xhtml" media-type="application/xhtml+xml" {more}/>'
        for id, more in (("a", ""), ("b", ""), ("toc", 'properties="nav"'), ("unlisted", ""))
    )
    spine = "".join(f'<itemref idref="{id}"/>' for id in ("toc", "b", "a", "missing"))
    book = (
        f'<package xmlns="http://www.idpf.org/2007/opf"><manifest>{items}</manifest>'
        f"<spine>{spine}</spine></package>"
    )
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as packed:
        packed.writestr("META-INF/container.xml", container)
        packed.writestr("in/book.opf", book)
        for id in ("a", "b", "toc", "unlisted"):
            note = '<sup><a href="#n1">[1]</a></sup>'
            packed.writestr(
                f"in/{id} page.xhtml", f"<html><body><p>Chapter {id}{note}</p></body></html>"
            )
    assert text_of("epub", out.getvalue()).split("\n") == ["Chapter b", "Chapter a"]
