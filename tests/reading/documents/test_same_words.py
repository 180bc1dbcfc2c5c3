"""One text saved in every format has the same words in the same order."""

from __future__ import annotations

import difflib
import gzip
import random
import zipfile
from pathlib import Path

import pytest

from tests.reading.documents.make_samples import SAMPLES, WRITTEN
from tests.reading.helpers import read
from twinset.text.segments import words

PAGE_HEADER = ["draft", "for", "the", "file", "room"]


def words_of(name: str) -> list[str]:
    found = read(SAMPLES / name)
    assert found.faults == []
    (text,) = found.texts
    (listed,) = words([text or ""])
    return listed


@pytest.fixture(scope="module")
def lease() -> list[str]:
    return words_of("lease.odt")


def test_the_sample_is_the_text_that_was_written(lease: list[str]) -> None:
    assert lease[:8] == ["lease", "of", "the", "mill", "house", "this", "agreement", "was"]
    text = " ".join(lease)
    for phrase in (
        "the efficient fireplace the co owned well and the old press",
        "item quantity price oak doors 4 1 250",
        "the tenant shall keep the roof in repair allow a visit",
        "пользуются сообща",
        "signed in two copies one stays with each side registered under the number 4471",
    ):
        assert phrase in text
    assert "draft" not in lease
    assert lease[-5:] == ["сумма", "указана", "без", "учёта", "налога"]


@pytest.mark.parametrize("format", ["docx", "rtf", "doc", "html", "epub", "md", "tex"])
def test_every_format_has_the_words_of_the_odt(format: str, lease: list[str]) -> None:
    assert words_of(f"lease.{format}") == lease


TRACED = [
    "Before the change and after it.",
    "A linked phrase here.",
    "Host sentence goes on.",
    "Inside the box",
    "Noted line.",
    "End noted, foot noted.",
    "Spaces and tabs",
    "and breaks 😀 done.",
    "shown last.",
    "numbered",
    "outer",
    "inner cell",
    "Последний абзац.",
    "A footnote text",
    "An endnote text",
]


@pytest.mark.parametrize("format", ["odt", "docx", "rtf", "doc"])
def test_deleted_and_hidden_text_comments_and_targets_of_links_are_no_text(format: str) -> None:
    (text,) = read(SAMPLES / f"traced.{format}").texts
    lines = [" ".join(line.split()) for line in (text or "").split("\n")]
    expected = TRACED
    if format == "doc":  # keeps boxes apart from their places
        expected = [line for line in TRACED if "box" not in line] + ["Inside the box"]
    assert [line for line in lines if line] == expected


def test_the_txt_of_libreoffice_has_the_numbers_of_footnotes_and_not_their_text(
    lease: list[str],
) -> None:
    body = lease[: lease.index("registered")]
    first, second = lease.index("tenant") + 1, lease.index("числа") + 1
    expected = [*body[:first], "1", *body[first:second], "2", *body[second:]]
    assert words_of("lease.txt") == expected


def test_the_pdf_has_page_headers_and_numbers_of_footnotes_besides(lease: list[str]) -> None:
    pytest.importorskip("pypdf")
    printed = words_of("lease.pdf")
    changes = difflib.SequenceMatcher(None, lease, printed, autojunk=False).get_opcodes()
    assert {kind for kind, *_ in changes} <= {"equal", "insert"}
    added = [printed[begin:end] for kind, _, _, begin, end in changes if kind == "insert"]
    assert all(phrase in ([*PAGE_HEADER], ["1"], ["2"]) for phrase in added)


@pytest.mark.parametrize(
    ("names", "lines"),
    [
        (
            ("rents.ods", "rents.xlsx", "rents.xls"),
            [
                "Month\tRent\tPaid on",
                "January\t10200.5\t2024-01-05",
                "Февраль\t0.1\t2024-02-29",
                "same\tsame",
                "The second sheet, with a comma",
            ],
        ),
        (
            ("talk.odp", "talk.pptx", "talk.ppt.gz"),
            [
                "The mill house",
                "A talk about rent",
                "Второй кадр",
                "Rent of 2024: 10,200 pounds",
                "Third and last",
            ],
        ),
    ],
    ids=["cells", "slides"],
)
def test_lines_of_cells_and_slides(names: tuple[str, ...], lines: list[str]) -> None:
    for name in names:
        found = read(SAMPLES / name)
        assert found.faults == []
        assert [line for line in (found.texts[0] or "").split("\n") if line] == lines, name


@pytest.mark.parametrize("name", sorted(path.name for path in SAMPLES.iterdir()))
def test_the_content_tells_the_format(name: str, tmp_path: Path) -> None:
    """What the name tells alone is text by any other name."""
    if name.endswith((".txt", ".md", ".tex", ".html", *WRITTEN)):
        return
    (tmp_path / "renamed.txt").write_bytes((SAMPLES / name).read_bytes())
    (tmp_path / "unnamed").write_bytes((SAMPLES / name).read_bytes())
    found = read(tmp_path)
    assert found.texts == [read(SAMPLES / name).texts[0]] * 2
    assert (SAMPLES / name).stat().st_size < 30_000


@pytest.mark.parametrize("name", ["lease.rtf", "lease.docx", "lease.odt", "talk.ppt.gz"])
def test_large_files_are_recognised_by_their_ends(name: str, tmp_path: Path) -> None:
    content = (SAMPLES / name).read_bytes()
    content = gzip.decompress(content) if name.endswith(".gz") else content
    path = tmp_path / "large"
    path.write_bytes(content)
    if name.endswith(("docx", "odt")):
        with zipfile.ZipFile(path, "a") as packed:
            packed.writestr("media/photo.jpg", random.Random(1).randbytes(2 << 20))
    else:
        path.write_bytes(content + b"\n" * (2 << 20))
    assert read(tmp_path).texts == read(SAMPLES / name).texts
