"""What is text and what is not, in every office format, on small documents written by hand."""

from __future__ import annotations

import io
import sys
import zipfile
from pathlib import Path

import pytest

from tests.reading.documents.make_samples import SAMPLES, cell, flat, paragraph, row
from tests.reading.helpers import read
from tests.reading.test_office import WORD
from twinset.errors import remedy
from twinset.reading.office import document_text
from twinset.reading.office.cells import date_text, is_date_format, number_text

SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
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


def ods(*rows: str) -> str:
    body = f"<table:table>{''.join(rows)}</table:table>"
    return text_of("odf", flat("spreadsheet", "", body).encode())


def test_cells_of_ods() -> None:
    time = 'office:value-type="time" office:time-value="PT14H05M00S"'
    moment = 'office:value-type="date" office:date-value="2024-05-01T07:30:00"'
    share = 'office:value-type="percentage" office:value="0.25"'
    truth = 'office:value-type="boolean" office:boolean-value="true"'
    first, second = row(cell("x", time), cell("x", moment)), row(cell("x", share), cell("x", truth))
    assert ods(first, second) == "14:05:00\t2024-05-01 07:30:00\n0.25\tTRUE\n\n"
    note = f"<office:annotation>{paragraph('remark')}</office:annotation>"
    inside = f"{note}{paragraph('two')}{paragraph('lines')}"
    assert ods(row(f"<table:table-cell>{inside}</table:table-cell>")) == "two lines\n\n"
    twice = row(cell("again")).replace("-row", '-row table:number-rows-repeated="2"', 1)
    assert ods(twice, row("<table:table-cell/>")) == "again\nagain\n\n"


def test_cells_of_xlsx() -> None:
    workbook = (
        f'<workbook xmlns="{SHEET}" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/'
        'relationships"><workbookPr date1904="1"/>'
        '<sheets><sheet r:id="b"/><sheet r:id="a"/></sheets></workbook>'
    )
    related = '<Relationships>{}</Relationships>'.format(
        "".join(
            f'<Relationship Id="{id}" Type="x/{kind}" Target="{target}"/>'
            for id, kind, target in (
                ("a", "worksheet", "worksheets/one.xml"),
                ("b", "worksheet", "/xl/worksheets/two.xml"),
                ("s", "sharedStrings", "sharedStrings.xml"),
                ("t", "styles", "styles.xml"),
            )
        )
    )  # fmt: skip
    strings = (
        f'<sst xmlns="{SHEET}"><si><t>whole</t></si>'
        "<si><r><t>in </t></r><r><t>runs</t></r><rPh><t>x</t></rPh></si></sst>"
    )
    styles = (
        f'<styleSheet xmlns="{SHEET}"><numFmt numFmtId="164" formatCode="[$-419]d\\ mmmm"/>'
        '<cellXfs><xf numFmtId="0"/><xf numFmtId="164"/></cellXfs></styleSheet>'
    )
    cells = (
        '<c t="s"><v>1</v></c><c t="inlineStr"><is><t>inline</t></is></c><c t="b"><v>1</v></c>'
        '<c t="str"><f>A1</f><v>result</v></c><c><v>1.10</v></c><c s="1"><v>1</v></c>'
        '<c t="s"><v>99</v></c>'
    )
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as packed:
        packed.writestr("xl/workbook.xml", workbook)
        packed.writestr("xl/_rels/workbook.xml.rels", related)
        packed.writestr("xl/sharedStrings.xml", strings)
        packed.writestr("xl/styles.xml", styles)
        for name, content in (("one", '<c t="s"><v>0</v></c>'), ("two", cells)):
            sheet = f'<worksheet xmlns="{SHEET}"><row>{content}</row></worksheet>'
            packed.writestr(f"xl/worksheets/{name}.xml", sheet)
    assert text_of("xlsx", out.getvalue()) == (
        "in runs\tinline\tTRUE\tresult\t1.1\t1904-01-02\n\nwhole\n"
    )


def test_numbers_and_days_as_spreadsheets_keep_them() -> None:
    numbers = [number_text(value) for value in (1.0, 0.1 + 0.2, 1e15, -2.5)]
    assert numbers == ["1", "0.3", "1.00000000000000e+15", "-2.5"]
    days = (1, 59, 61, 45292, 45292.75, 0.5, -1, 1e9)
    assert [date_text(day) for day in days] == [
        "1900-01-01", "1900-02-28", "1900-03-01", "2024-01-01", "2024-01-01 18:00:00", "12:00:00",
        "-1", "1000000000",
    ]  # fmt: skip
    assert is_date_format("14")
    assert not is_date_format("4")
    assert is_date_format("170", "yyyy\\-mm")
    assert not is_date_format("170", '#,##0 "days"')
    assert not is_date_format("170", "[Red]0.00")


def test_without_xlrd_the_remedy_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "xlrd", None)
    (tmp_path / "a.xls").write_bytes((SAMPLES / "rents.xls").read_bytes())
    (fault,) = read(tmp_path).faults
    assert fault.kind == "package"
    assert remedy("office") in fault.detail


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
