"""Writes the samples: one text, one table and one talk, saved by LibreOffice in every format.

Run ``python -m tests.reading.documents.make_samples`` where LibreOffice is installed. The samples
are kept in the repository, so that the tests do not need it.
"""

from __future__ import annotations

import gzip
import subprocess
import sys
import tempfile
from pathlib import Path

SAMPLES = Path(__file__).parent / "samples"
SPACES = {
    "office": "office",
    "text": "text",
    "table": "table",
    "style": "style",
    "number": "datastyle",
    "fo": "xsl-fo-compatible",
    "draw": "drawing",
    "svg": "svg-compatible",
}
# One font for all, or the PDF would carry several.
STYLES = """<office:font-face-decls>
<style:font-face style:name="S" svg:font-family="'Liberation Serif'"/></office:font-face-decls>
<office:styles><style:default-style style:family="paragraph">
<style:text-properties style:font-name="S"/></style:default-style>
<style:style style:name="Heading_20_1" style:family="paragraph" style:default-outline-level="1">
<style:text-properties style:font-name="S"/></style:style>
<style:style style:name="Heading_20_2" style:family="paragraph" style:default-outline-level="2">
<style:text-properties style:font-name="S"/></style:style>
<text:list-style style:name="L"><text:list-level-style-bullet text:level="1" text:bullet-char="•">
<style:text-properties style:font-name="S"/></text:list-level-style-bullet></text:list-style>
</office:styles>
<office:automatic-styles><style:page-layout style:name="P">
<style:page-layout-properties fo:page-width="21cm" fo:page-height="29.7cm" fo:margin="2cm"/>
<style:header-style/></style:page-layout></office:automatic-styles>
<office:master-styles><style:master-page style:name="Standard" style:page-layout-name="P">
<style:header><text:p>Draft for the file room</text:p></style:header></style:master-page>
</office:master-styles>"""
DATES = """<office:automatic-styles><number:date-style style:name="N"><number:year
number:style="long"/><number:text>-</number:text><number:month number:style="long"/><number:text
>-</number:text><number:day number:style="long"/></number:date-style><style:style style:name="d"
style:family="table-cell" style:data-style-name="N"/></office:automatic-styles>"""
SLIDES = """<office:automatic-styles><style:page-layout style:name="P"><style:page-layout-properties
fo:page-width="28cm" fo:page-height="21cm"/></style:page-layout></office:automatic-styles>
<office:master-styles><style:master-page style:name="D" style:page-layout-name="P"/>
</office:master-styles>"""


def flat(kind: str, styles: str, body: str) -> str:
    spaces = " ".join(
        f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
        for prefix, name in SPACES.items()
    )
    spaces += ' xmlns:xlink="http://www.w3.org/1999/xlink"'
    spaces += ' xmlns:dc="http://purl.org/dc/elements/1.1/"'
    return (
        f'<?xml version="1.0" encoding="UTF-8"?><office:document {spaces} office:version="1.2" '
        f'office:mimetype="application/vnd.oasis.opendocument.{kind}">{styles}<office:body>'
        f"<office:{kind}>{body}</office:{kind}></office:body></office:document>"
    )


def paragraph(text: str) -> str:
    return f"<text:p>{text}</text:p>"


def heading(level: int, text: str) -> str:
    style = f'text:style-name="Heading_20_{level}" text:outline-level="{level}"'
    return f"<text:h {style}>{text}</text:h>"


def note(number: int, text: str) -> str:
    return (
        f'<text:note text:id="ftn{number}" text:note-class="footnote"><text:note-citation>{number}'
        f"</text:note-citation><text:note-body>{paragraph(text)}</text:note-body></text:note>"
    )


def row(*cells: str) -> str:
    return f"<table:table-row>{''.join(cells)}</table:table-row>"


def cell(text: str, value: str = 'office:value-type="string"') -> str:
    return f"<table:table-cell {value}>{paragraph(text)}</table:table-cell>"


def number(value: float) -> str:
    return cell(str(value), f'office:value-type="float" office:value="{value}"')


def date(day: str) -> str:
    return cell(day, f'table:style-name="d" office:value-type="date" office:date-value="{day}"')


def bullets(*items: str) -> str:
    listed = "".join(f"<text:list-item>{paragraph(item)}</text:list-item>" for item in items)
    return f'<text:list text:style-name="L">{listed}</text:list>'


def slide(*paragraphs: str) -> str:
    return (
        '<draw:page draw:master-page-name="D"><draw:frame svg:x="1cm" svg:y="1cm" svg:width="20cm" '
        f'svg:height="8cm"><draw:text-box>{"".join(map(paragraph, paragraphs))}</draw:text-box>'
        "</draw:frame></draw:page>"
    )


LEASE = [
    heading(1, "Lease of the mill house"),
    paragraph(
        "This agreement was made on 14 March 2024 between Ann Hollis, of 7 Quay Street, and the "
        'Brook Trust, a non-profit body ("the tenant").'
        + note(1, "Registered under the number 4471 in the county roll.")
    ),
    paragraph(
        "The rent is 10,200.50 pounds a year, payable in twelve parts; it rises by 2.5\u00a0% on "
        "each 1\u00a0January. The ef\u00adfi\u00adcient \ufb01replace, the co\u2011owned well and "
        "the \u201cold press\u201d stay where they are\u00a0\u2014 nobody\u2019s property but the "
        "owner\u2019s."
    ),
    '<table:table><table:table-column table:number-columns-repeated="3"/>',
    row(cell("Item"), cell("Quantity"), cell("Price")),
    row(cell("Oak doors"), cell("4"), cell("1,250")),
    row(cell("Кирпич красный"), cell("1 200"), cell("38,50")),
    "</table:table>",
    paragraph("The tenant shall:"),
    bullets(
        "keep the roof in repair,", "allow a visit once a month,", "return all keys at the end."
    ),
    heading(2, "Договор найма дома у мельницы"),
    paragraph(
        "Настоящий договор заключён 14 марта 2024 года в городе Яровое; наниматель платит 95 600 "
        "рублей в месяц, не позднее 5-го числа." + note(2, "Сумма указана без учёта налога.")
    ),
    paragraph(
        "Стороны условились о\u00a0\u00abстаром прессе\u00bb и северо\u2011западном колодце: ими "
        "поль\u00adзу\u00adются со\u00adобща. Ёлка у крыльца сохраняется."
    ),
    paragraph("Signed in two copies; one stays with each side."),
]
ENDNOTE = note(3, "An endnote text").replace('"footnote"', '"endnote"')
AUTHOR = "<dc:creator>Ann</dc:creator><dc:date>2024-01-01T00:00:00</dc:date>"
TRACED = [
    '<text:tracked-changes><text:changed-region text:id="c"><text:deletion><office:change-info>',
    f"{AUTHOR}</office:change-info>{paragraph('removed words ')}</text:deletion>",
    "</text:changed-region></text:tracked-changes>",
    paragraph('Before the change <text:change text:change-id="c"/>and after it.'),
    paragraph('A <text:a xlink:href="https://example.org/target">linked phrase</text:a> here.'),
    paragraph(
        'Host sentence <draw:frame text:anchor-type="as-char" svg:width="5cm" svg:height="2cm">'
        f"<draw:text-box>{paragraph('Inside the box')}</draw:text-box></draw:frame>goes on."
    ),
    paragraph(
        f"Noted <office:annotation>{AUTHOR}{paragraph('secret remark')}</office:annotation>line."
    ),
    paragraph(f"End{ENDNOTE} noted, foot{note(4, 'A footnote text')} noted."),
    paragraph('Spaces<text:s text:c="3"/>and<text:tab/>tabs<text:line-break/>and breaks 😀 done.'),
    paragraph('<text:span text:style-name="H">concealed </text:span>shown last.'),
    '<text:list text:style-name="N"><text:list-item><text:p>numbered</text:p></text:list-item>',
    "</text:list><table:table><table:table-column/>",
    "<table:table-row><table:table-cell><text:p>outer</text:p><table:table><table:table-column/>",
    row(cell("inner cell")),
    "</table:table></table:table-cell></table:table-row></table:table>",
    paragraph("Последний абзац."),
]
HIDING = """<office:automatic-styles><style:style style:name="H" style:family="text">
<style:text-properties text:display="none"/></style:style><text:list-style style:name="N">
<text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix="."/>
</text:list-style></office:automatic-styles>"""
RENTS = [
    '<table:table table:name="Rents">',
    row(cell("Month"), cell("Rent"), cell("Paid on")),
    row(cell("January"), number(10200.5), date("2024-01-05")),
    row(cell("Февраль"), number(0.1), date("2024-02-29")),
    row(cell("same", 'office:value-type="string" table:number-columns-repeated="2"')),
    '</table:table><table:table table:name="Notes">',
    row(cell("The second sheet, with a comma")),
    "</table:table>",
]
TALK = [
    slide("The mill house", "A talk about rent"),
    slide("Второй кадр", "Rent of 2024: 10,200 pounds"),
    slide("Third and last"),
]
SOURCES = {
    "lease.fodt": flat("text", STYLES, "".join(LEASE)),
    "traced.fodt": flat("text", HIDING, "".join(TRACED)),
    "rents.fods": flat("spreadsheet", DATES, "".join(RENTS)),
    "talk.fodp": flat("presentation", SLIDES, "".join(TALK)),
}
TEXT = "txt:Text (encoded):UTF8"
SAVED_AS = {
    "lease.fodt": ("odt", "docx", "rtf", "doc", "pdf", TEXT, "html", "epub"),
    "traced.fodt": ("odt", "docx", "rtf", "doc"),
    "rents.fods": ("ods", "xlsx", "xls"),
    "talk.fodp": ("odp", "pptx", "ppt"),
}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name, source in SOURCES.items():
            path = Path(folder) / name
            path.write_text(source, encoding="utf-8")
            (SAMPLES / name).write_text(source, encoding="utf-8")
            for format in SAVED_AS[name]:
                command = ["soffice", "--headless", "--convert-to", format, "--outdir", folder]
                subprocess.run([*command, str(path)], check=True, stdout=sys.stderr)
                saved = path.with_suffix(f".{format.partition(':')[0]}")
                content = saved.read_bytes()
                # The presentation of the nineties is nearly empty, and large.
                is_large = saved.suffix == ".ppt"
                target = SAMPLES / (f"{saved.name}.gz" if is_large else saved.name)
                target.write_bytes(gzip.compress(content, mtime=0) if is_large else content)


if __name__ == "__main__":
    main()
