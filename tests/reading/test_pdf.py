"""PDF files as text: columns, hyphens, page headers, and pages that are pictures."""

from __future__ import annotations

import io
import re
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kernels.examples import examples
from tests.reading.helpers import read
from tests.reading.pdfs import WIDTH, pdf_of, typeset
from tests.reading.test_office import docx, paragraph
from twinset.documents.base import OfficeError, _child, document_text
from twinset.documents.pdf import document
from twinset.documents.pdf.layout import Vocabulary, running_text
from twinset.documents.pdf.lines import PageLines, TextLine

ENGLISH = (
    "The landlord lets the apartment in the second storey to the tenant for a period of years.\n"
    "Improvements which the tenant undertakes are permitted after a written announcement. The "
    "well-known defects of the heating installation were described in the protocol.\n"
    "Every payment arrives before the fifteenth; otherwise interest accumulates on the outstanding "
    "amount. The landlord answers for maintenance of the installation and of the apartment itself."
)
RUSSIAN = (
    "Арендодатель передаёт арендатору квартиру на втором этаже сроком на шесть лет.\n"
    "Улучшения, которые предпринимает арендатор, разрешаются после письменного уведомления. "
    "Когда-нибудь недостатки отопительного оборудования будут описаны в протоколе.\n"
    "Каждый платёж поступает до пятнадцатого числа, иначе на остаток задолженности начисляются "
    "проценты. Арендодатель отвечает за содержание оборудования и квартиры."
)
NAMED = pytest.mark.parametrize("text", [ENGLISH, RUSSIAN], ids=["english", "russian"])


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def text_of(content: bytes) -> str:
    return document_text("pdf", content, 1 << 20).text


def columns(text: str, characters: int) -> tuple[list[tuple[float, float, str]], ...]:
    """A text set in two columns of equal length."""
    lines = typeset(text, characters)
    half = -(-len(lines) // 2)
    first, second = lines[:half], lines[half:]
    right = 40 + (characters + 6) * WIDTH
    moved = [(right, first[row][1], text) for row, (_, _, text) in enumerate(second)]
    return first, moved


@NAMED
def test_a_docx_and_its_pdf_have_the_same_words_and_paragraphs(text: str) -> None:
    body = docx("".join(map(paragraph, text.split("\n"))))
    saved = document_text("docx", body, 1 << 20).text
    for characters in (30, 45, 70):
        printed = text_of(pdf_of([typeset(text, characters)]))
        assert words(printed) == words(saved)
        assert printed.split("\n") == saved.strip().split("\n")


@NAMED
def test_columns_are_read_one_after_the_other(text: str) -> None:
    first, second = columns(text, 34)
    assert words(text_of(pdf_of([first + second]))) == words(text)


def test_rows_of_a_table_stay_rows() -> None:
    cells = [("Rent", "800"), ("Heating", "120"), ("Water", "35"), ("Parking", "60"), ("Tax", "9")]
    cells += [("Repairs", "70"), ("Lift", "12")]
    lines = [
        (left, 700.0 - 12 * row, cell)
        for row, pair in enumerate(cells)
        for left, cell in zip((40.0, 240.0), pair, strict=True)
    ]
    assert words(text_of(pdf_of([lines]))) == [word.lower() for pair in cells for word in pair]


def test_page_headers_and_numbers_are_dropped() -> None:
    body = typeset(ENGLISH, 60)
    pages = [
        [(40.0, 780.0, "Lease of 2024"), *body[:4], (180.0, 20.0, "Page 1 of 3")],
        [(40.0, 780.0, "Lease of 2024"), *body[4:6], (180.0, 20.0, "Page 2 of 3")],
        [(40.0, 780.0, "Lease of 2024"), *body[6:], (180.0, 20.0, "Page 3 of 3")],
    ]
    assert words(text_of(pdf_of(pages))) == words(ENGLISH)


def test_facts_of_forms_are_no_page_headers() -> None:
    facts = [
        ("Invoice 4711", "Total 350"),
        ("Invoice 4719", "Total 980"),
        ("Invoice 5012", "Total 35"),
    ]
    pages = [
        [(40.0, 780.0, top), (40.0, 700.0, goods), (40.0, 20.0, bottom)]
        for goods, (top, bottom) in zip(("Apples", "Pears", "Plums"), facts, strict=True)
    ]
    read_words = words(text_of(pdf_of(pages)))
    assert {"4711", "4719", "5012", "350", "980", "35"} <= set(read_words)
    # Copies of one page show nothing about it.
    assert text_of(pdf_of([pages[0]] * 3)).count("4711") == 3


def test_ligatures_and_soft_hyphens_are_letters(tmp_path: Path) -> None:
    lines = [(40.0, 700.0, "The o\ufb01ces are de\u00adlivered"), (40.0, 688.0, "with docu\u00ad")]
    lines.append((40.0, 676.0, "mentation"))
    (tmp_path / "a.pdf").write_bytes(pdf_of([lines]))
    assert read(tmp_path).texts == ["The ofices are delivered with documentation"]


@pytest.mark.parametrize(
    ("line", "following", "joined"),
    [
        ("the docu", "ment lay", "the document lay"),
        ("a well", "known man", "a well-known man"),
        ("from 1990", "1995 on", "from 1990-1995 on"),
        ("in Saint", "Petersburg", "in Saint-Petersburg"),
        ("it was cost", "free of", "it was cost-free of"),  # both halves are words of it
        ("his set", "ting of", "his setting of"),
        ("any tax", "exempt sum", "any tax-exempt sum"),  # as in the document
        ("кто", "нибудь придёт", "кто-нибудь придёт"),
        ("говорит по", "русски", "говорит по-русски"),
        ("можно по", "лучить", "можно получить"),
    ],
)
def test_hyphens_stay_where_they_belong_to_the_word(line: str, following: str, joined: str) -> None:
    known = Vocabulary(["cost and free and setting", "a duty-exempt set of things"])
    assert known.joined(line, following) == joined


@given(st.text(alphabet="abcdeXY12 -\n", max_size=200), st.integers(12, 60))
@examples(30)
def test_no_letter_is_lost(text: str, characters: int) -> None:
    letters = re.sub(r"[^\w]", "", text)
    assert re.sub(r"[^\w]", "", text_of(pdf_of([typeset(text, characters)]))) == letters


def test_scans_are_named_with_the_remedy(tmp_path: Path) -> None:
    (tmp_path / "scan.pdf").write_bytes(pdf_of([[], [(9.0, 9.0, "Scanned by")]], scans=[0, 1]))
    (tmp_path / "some.pdf").write_bytes(pdf_of([typeset(ENGLISH, 60), []], scans=[1]))
    (tmp_path / "void.pdf").write_bytes(pdf_of([[]]))
    documents = read(tmp_path)
    assert documents.texts[0] is None
    assert words(documents.texts[1] or "") == words(ENGLISH)
    assert documents.texts[2] == ""
    whole, part = documents.faults
    assert (whole.kind, part.kind) == ("no-text", "no-text")
    assert whole.source.endswith("scan.pdf")
    assert "no text layer: OCR needed" in whole.detail
    assert part.detail.startswith("1 of 2 pages has no text layer")


def picture(text: str) -> bytes:
    image = pytest.importorskip("PIL.Image")
    draw, font = pytest.importorskip("PIL.ImageDraw"), pytest.importorskip("PIL.ImageFont")
    canvas = image.new("L", (1400, 120), 255)
    draw.Draw(canvas).text((20, 20), text, font=font.load_default(60), fill=0)
    saved = io.BytesIO()
    canvas.save(saved, "PNG")
    return saved.getvalue()


def test_pictures_are_read_by_tesseract(tmp_path: Path) -> None:
    if shutil.which("tesseract") is None:
        pytest.skip("tesseract is not installed")
    (tmp_path / "a.png").write_bytes(picture("The landlord lets the apartment"))
    assert read(tmp_path).texts == [None]
    documents = read(tmp_path, ocr="eng")
    assert documents.faults == []
    assert words(documents.texts[0] or "") == ["the", "landlord", "lets", "the", "apartment"]


def test_scanned_pages_go_through_ocr_in_their_place(monkeypatch: pytest.MonkeyPatch) -> None:
    content = pdf_of([[], [(40.0, 700.0, "Printed words")], []], scans=[0, 2])
    read_pictures: list[bytes] = []

    def answer(self: document.Tesseract, page: bytes) -> str:
        read_pictures.append(page)
        return f"The docu-\nment of page {len(read_pictures)}\n\nand more\n\f"

    monkeypatch.setattr(
        document.Tesseract, "of", lambda languages: document.Tesseract("x", languages)
    )
    monkeypatch.setattr(document.Tesseract, "text", answer)
    text = document.pdf_text(content, "eng").text
    assert text.split("\n") == [
        "The document of page 1",
        "and more",
        "Printed words",
        "The document of page 2",
        "and more",
    ]
    assert all(page.startswith(b"P5 1667 3334 255\n") for page in read_pictures)


def test_without_tesseract_the_remedy_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document, "which", lambda name: None)
    with pytest.raises(OfficeError, match="needs the program tesseract"):
        document.pdf_text(pdf_of([[]], scans=[0]), "yes")
    monkeypatch.setattr(document, "which", lambda name: "/usr/bin/tesseract")
    monkeypatch.setattr(document, "_installed", lambda program: ("eng", "deu"))
    with pytest.raises(OfficeError, match=r"language 'rus' \(it has eng, deu\)"):
        document.pdf_text(pdf_of([[]], scans=[0]), "eng+rus")
    assert document.Tesseract.of("yes").languages == "eng"


def test_a_reader_that_was_lost_is_replaced() -> None:
    content = pdf_of([[(40.0, 700.0, "Printed words")]])
    assert text_of(content) == "Printed words"
    process = _child()._process
    assert process is not None
    process.kill()
    process.wait()
    assert text_of(content) == "Printed words"


def test_an_encrypted_document_is_said_to_be_one() -> None:
    objects = pdf_of([[(40.0, 700.0, "x")]])
    key = b"/Encrypt<</Filter/Standard/V 1/R 2/P -4/O<%s>/U<%s>>>/ID[<00><00>]" % (
        b"ab" * 32,
        b"cd" * 32,
    )
    with pytest.raises(OfficeError, match="protected by a password"):
        document_text("pdf", objects.replace(b"/Root 1 0 R", b"/Root 1 0 R" + key), 1 << 20)


def test_nothing_of_the_library_is_printed(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    content = pdf_of([typeset(ENGLISH, 60)])
    for number, cut in enumerate((0, 20, 200, len(content) // 2, len(content) - 30)):
        (tmp_path / f"{number}.pdf").write_bytes(content[:cut])
    read(tmp_path)
    assert capfd.readouterr() == ("", "")


def test_a_paragraph_whose_every_line_ends_with_a_hyphen() -> None:
    lines = (TextLine("ab" * 10, 0.0, 90.0, -10.0 * n, 8 - 10.0 * n, True) for n in range(200_000))
    text = running_text([PageLines(800.0, tuple(lines), 1, 0.0)])
    assert text == "ab" * 2_000_000
