"""Where a part stands in the larger document: pages, slides, sheets, chapters."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import twinset
from tests.kernels.examples import examples
from tests.reading.pdfs import pdf_of, typeset
from tests.reading.test_archives import zipped
from twinset.documents.base import document_text
from twinset.finding.verify.kinds import pages_with
from twinset.review import ReportTexts, opened

ENDS = ("ing", "ed", "ment", "ation", "ful", "able", "ity", "ous", "ence", "ure", "ship", "dom")
STEMS = (
    "harb",
    "boat",
    "lant",
    "tern",
    "mead",
    "gat",
    "summ",
    "orch",
    "riv",
    "fors",
    "tann",
    "mill",
)
WORDS = [stem + end for stem in STEMS for end in ENDS]
DRAW = random.Random(5)
PAGES = [" ".join(DRAW.choices(WORDS, k=90)) for _ in range(9)]
HEAD = "The annual report of the society for the care of old harbours"


def pptx(slides: list[str]) -> bytes:
    ids = "".join(f'<p:sldId r:id="r{n}"/>' for n in range(len(slides)))
    links = "".join(f'<R Id="r{n}" Type="t" Target="slides/s{n}.xml"/>' for n in range(len(slides)))
    head = 'xmlns:p="p" xmlns:a="a" xmlns:r="r"'
    files = {f"ppt/slides/s{n}.xml": _slide(head, text) for n, text in enumerate(slides)}
    files["ppt/presentation.xml"] = f"<p:presentation {head}>{ids}</p:presentation>"
    files["ppt/_rels/presentation.xml.rels"] = f"<Rs>{links}</Rs>"
    return zipped({name: text.encode() for name, text in files.items()})


def _slide(head: str, text: str) -> str:
    return f"<p:sld {head}><p:sp><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:sp></p:sld>"


def xlsx(sheets: list[str]) -> bytes:
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    listed, links, files = "", "", {}
    for n, text in enumerate(sheets, 1):
        listed += f'<sheet name="S{n}" sheetId="{n}" r:id="r{n}"/>'
        links += f'<Relationship Id="r{n}" Type="{office}/worksheet" Target="worksheets/s{n}.xml"/>'
        words = text.split()
        rows = "".join(
            f'<row><c t="inlineStr"><is><t>{" ".join(words[n : n + 10])}</t></is></c></row>'
            for n in range(0, len(words), 10)
        )
        sheet = f'<worksheet xmlns="{main}"><sheetData>{rows}</sheetData></worksheet>'
        files[f"xl/worksheets/s{n}.xml"] = sheet
    book = f'<workbook xmlns="{main}" xmlns:r="{office}"><sheets>{listed}</sheets></workbook>'
    space = "http://schemas.openxmlformats.org/package/2006/relationships"
    files["[Content_Types].xml"] = "<Types/>"
    files["xl/workbook.xml"] = book
    root = f'<Relationship Id="r" Type="{office}/officeDocument" Target="xl/workbook.xml"/>'
    for name, inner in (("_rels/.rels", root), ("xl/_rels/workbook.xml.rels", links)):
        files[name] = f'<Relationships xmlns="{space}">{inner}</Relationships>'
    return zipped({name: text.encode() for name, text in files.items()})


def epub(chapters: list[str]) -> bytes:
    items = "".join(
        f'<item id="c{n}" href="c{n}.xhtml" media-type="application/xhtml+xml"/>'
        for n in range(len(chapters))
    )
    spine = "".join(f'<itemref idref="c{n}"/>' for n in range(len(chapters)))
    files = {
        f"c{n}.xhtml": f"<html><body><p>{text}</p></body></html>" for n, text in enumerate(chapters)
    }
    files["META-INF/container.xml"] = '<c><rootfile full-path="b.opf"/></c>'
    files["b.opf"] = f"<package><manifest>{items}</manifest><spine>{spine}</spine></package>"
    return zipped({name: text.encode() for name, text in files.items()})


def pdf(pages: list[str]) -> bytes:
    number = [[(40.0, 780.0, HEAD), *typeset(text, 70)] for text in pages]
    return pdf_of(number)


WHOLES = {
    "Annual report.pdf": (pdf, "pages"),
    "Talk.pptx": (pptx, "slides"),
    "Book.epub": (epub, "chapters"),
    "Figures.xlsx": (xlsx, "sheets"),
    "Printed.txt": (lambda pages: "\f".join(pages).encode(), "pages"),
}


@pytest.mark.parametrize("name", WHOLES)
def test_a_part_is_named_with_its_pages_also_inside_an_archive(tmp_path: Path, name: str) -> None:
    folder, (make, pages) = tmp_path / "in", WHOLES[name]
    folder.mkdir()
    (folder / name).write_bytes(make(PAGES))
    (folder / "part.txt").write_text(" ".join(PAGES[2:5]))
    (folder / "old.zip").write_bytes(zipped({name: make([HEAD, *PAGES])}))
    twinset.find(folder, preset="files").save(tmp_path / "report")
    index = opened(tmp_path / "report")
    of, text = index.number, ReportTexts.of(index)
    place = text.place(of("part.txt"), of(name))
    assert place is not None
    assert place.in_words() == f"{pages} 3–5 of {name}"
    assert text.place(of(name), of("part.txt")) == place
    inside = text.place(of("part.txt"), of(f"old.zip/{name}"))
    assert inside is not None
    assert inside.in_words() == f"{pages} 4–6 of {name}"
    assert text.place(of(name), of(f"old.zip/{name}")) is None  # no part of each other


def test_what_is_compared_has_no_mark_of_pages() -> None:
    for format, make in (("pdf", pdf), ("pptx", pptx), ("epub", epub), ("sheet", xlsx)):
        plain = document_text(format, make(PAGES), 1 << 20).text
        paged = document_text(format, make(PAGES), 1 << 20, paged=True).text
        assert "\f" not in plain
        assert len(paged.split("\f")) == len(PAGES)
        assert [text.split()[-5:] for text in paged.split("\f")] == [t.split()[-5:] for t in PAGES]


@given(st.integers(0, 8), st.integers(0, 8), st.integers(0, 60), st.booleans())
@examples(60)
def test_pages_are_those_of_the_words(first: int, last: int, cut: int, with_head: bool) -> None:
    """The part begins and ends in the middle of a page."""
    first, last = sorted((first, last))
    whole = "\f".join(f"{HEAD}\n{page}" if with_head else page for page in PAGES)
    words = " ".join(PAGES[first : last + 1]).split()
    part = " ".join(words[min(cut, 60) : len(words) - cut // 3])
    found = pages_with(f"{HEAD} {part.upper()}", whole)
    assert found == list(range(first + 1, last + 2))


def test_pages_apart_and_words_that_stand_on_several() -> None:
    whole = "\f".join([*PAGES[:3], "Thank you very much", "Thank you", PAGES[1]])
    assert pages_with(f"{PAGES[0]} {PAGES[2]}", whole) == [1, 3]
    assert pages_with(f"{PAGES[2]} thank you very much", whole) == [3, 4]
    assert pages_with(PAGES[1], whole) == []  # which of the two it is, nobody knows
    assert pages_with("some other words", whole) == []
