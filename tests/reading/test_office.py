"""DOCX and PDF as documents: their text, and what is wrong with broken ones."""

from __future__ import annotations

import io
import re
import sys
import zipfile
from pathlib import Path

import pytest

from tests.reading.helpers import read
from tests.reading.pdfs import assembled
from twinset.documents.base import OfficeError
from twinset.documents.pdf import document
from twinset.errors import remedy
from twinset.plan import ReadOptions
from twinset.reading import open_inputs

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def docx(body: str, prologue: str = "") -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        markup = f'{prologue}<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>'
        file.writestr("word/document.xml", markup)
    return packed.getvalue()


def paragraph(*runs: str) -> str:
    return "<w:p>" + "".join(f"<w:r><w:t>{run}</w:t></w:r>" for run in runs) + "</w:p>"


def pdf(text: str) -> bytes:
    """The least PDF that holds a line of text."""
    stream = f"BT /F1 12 Tf 10 100 Td ({text}) Tj ET".encode()
    font = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
    page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 4 0 R"
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        page + b"/Resources<</Font<</F1 5 0 R>>>>>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(stream), stream),
        font,
    ]
    return assembled(objects)


def test_texts_of_both(tmp_path: Path) -> None:
    body = paragraph("First ", "words") + paragraph("наука &amp; жизнь") + "<w:p><w:tab/></w:p>"
    (tmp_path / "a.docx").write_bytes(docx(body))
    (tmp_path / "b.pdf").write_bytes(pdf("Printed words"))
    (tmp_path / "c.txt").write_text("plain words")
    found = read(tmp_path)
    assert found.faults == []
    assert found.ids == ["a.docx", "b.pdf", "c.txt"]
    assert found.texts[0] == "First words\nнаука & жизнь\n\t\n"
    assert (found.texts[1] or "").strip() == "Printed words"


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("a.docx", b"not a zip file", "damaged"),
        ("a.docx", docx("<w:p>"), "damaged"),
        ("a.docx", docx(paragraph("x" * 3000)), "too-long"),
        ("a.pdf", b"%PDF-1.4 and nothing more", "damaged"),
        ("a.docx", b"", "empty"),
        ("a.pdf", b"", "empty"),
    ],
)
def test_broken_ones_are_faults(tmp_path: Path, name: str, content: bytes, kind: str) -> None:
    (tmp_path / name).write_bytes(content)
    inputs = open_inputs(tmp_path, ReadOptions(max_document_bytes=2000))
    (batch,) = list(inputs.batches())
    assert [fault.kind for fault in batch.faults] == [kind]
    assert batch.texts.null_count == 1


def test_without_its_package_the_remedy_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pypdfium2", None)
    with pytest.raises(OfficeError, match=re.escape(remedy("pdf"))):
        document.pdf_text(pdf("words"))
