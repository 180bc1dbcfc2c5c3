"""The text of a PDF file: that of its text layer, and with OCR that of pages which are pictures."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass
from functools import lru_cache
from shutil import which

from twinset.documents.base import OfficeError, PartialText
from twinset.documents.pdf.layout import running_text
from twinset.documents.pdf.lines import PageLines, PdfDocument, TextLine
from twinset.plan.spec import counted

MOST_SECONDS = 120.0
"""Seconds for one picture."""
MOST_PIXELS = 40_000_000
_NO_LANGUAGES = ("osd", "equ", "snum")
_PREFERRED = ("eng", "rus")
_WIDTH, _PITCH, _BETWEEN = 1000.0, 1.2, 4.0


def picture_text(raw: bytes, ocr: str) -> PartialText:
    """The text that a picture shows; raises `OfficeError`."""
    return PartialText(running_text([page_of(Tesseract.of(ocr).text(raw))]))


@dataclass(frozen=True)
class Tesseract:
    """The program, with the languages to read in."""

    program: str
    languages: str

    @classmethod
    def of(cls, ocr: str) -> Tesseract:
        """The one that the option ``ocr`` asks for: ``yes`` or languages such as ``eng+rus``."""
        program = which("tesseract")
        if program is None:
            raise OfficeError(
                "package",
                "OCR needs the program tesseract, which is not installed: install it "
                "(tesseract-ocr in Debian and Ubuntu, tesseract in Homebrew)",
            )
        installed = _installed(program)
        chosen = ocr.split("+")
        if ocr == "yes":
            chosen = [name for name in _PREFERRED if name in installed] or list(installed[:1])
        lacking = [name for name in chosen if name not in installed]
        if lacking or not chosen:
            there = ", ".join(installed) or "none"
            raise OfficeError(
                "package",
                f"tesseract has no data for the language '{'+'.join(lacking) or ocr}' (it has "
                f"{there}): install them, or name others with --ocr",
            )
        return cls(program, "+".join(chosen))

    def text(self, picture: bytes) -> str:
        """The text of a picture; raises `OfficeError`."""
        # One thread: several are slower for one page, and the result must not depend on them.
        environment = {**os.environ, "OMP_THREAD_LIMIT": "1"}
        command = [self.program, "stdin", "stdout", "-l", self.languages]
        try:
            done = subprocess.run(
                command,
                input=picture,
                capture_output=True,
                timeout=MOST_SECONDS,
                env=environment,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise OfficeError(
                "too-long", f"a picture takes OCR more than {MOST_SECONDS:,.0f} seconds"
            ) from None
        if done.returncode:
            raise OfficeError("damaged", "the picture is damaged: tesseract cannot read it")
        return done.stdout.decode("utf-8", "replace").replace("\f", "\n")


@lru_cache(maxsize=1)
def _installed(program: str) -> tuple[str, ...]:
    try:
        listed = subprocess.run(
            [program, "--list-langs"], capture_output=True, timeout=MOST_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ()
    names = re.findall(r"^[\w/]+$", listed.stdout.decode("utf-8", "replace"), re.MULTILINE)
    return tuple(name for name in names if name not in _NO_LANGUAGES)


def page_of(text: str) -> PageLines:
    """A page with these lines, as if they were drawn: paragraphs are separated by blank lines."""
    lines: list[TextLine] = []
    height = 0.0
    for paragraph in re.split(r"\n\s*\n", text):
        rows = [row.strip() for row in paragraph.split("\n") if row.strip()]
        for number, row in enumerate(rows):
            right = 0.0 if number == len(rows) - 1 else _WIDTH
            lines.append(TextLine(row, 0.0, max(1.0, right), height, height + 1.0))
            height -= _PITCH
        height -= _BETWEEN
    words = sum(len(line.text.split()) for line in lines)
    return PageLines(-height, tuple(lines), words, 0.0)


OCR_NEEDED = "OCR needed"
MOST_SCANNED_PAGES = 200
"""Pages of one document that are read by OCR, which takes seconds for each."""
DOTS_PER_INCH = 300
_WHOLE, _PART = 0.6, 0.2
"""The share of a page that images cover where it is a scan: with a few words, and with none."""


def pdf_text(raw: bytes, ocr: str = "no", between: str | None = None) -> PartialText:
    """The text of a PDF file, or those of its pages with something ``between``."""
    document = PdfDocument(raw)
    pages = document.pages()
    faults = []
    readable = [page for page in pages if page is not None]
    if damaged := len(pages) - len(readable):
        faults.append(("truncated", f"{damaged} of {counted(len(pages), 'page')} are damaged"))
    scanned = [number for number, page in enumerate(pages) if page and _is_scan(page)]
    if scanned and ocr != "no":
        tesseract = Tesseract.of(ocr)
        for number in scanned[:MOST_SCANNED_PAGES]:
            picture = document.picture(number, DOTS_PER_INCH, MOST_PIXELS)
            pages[number] = page_of(tesseract.text(picture))
        if unread := len(scanned[MOST_SCANNED_PAGES:]):
            faults.append(("too-long", f"{counted(unread, 'scanned page')} not read by OCR"))
    elif scanned and len(scanned) == sum(bool(page.words or page.images) for page in readable):
        raise OfficeError("no-text", f"the document has no text layer: {OCR_NEEDED}")
    elif scanned:
        lacking = f"{len(scanned)} of {counted(len(pages), 'page')}"
        verb = "has" if len(scanned) == 1 else "have"
        faults.append(("no-text", f"{lacking} {verb} no text layer: {OCR_NEEDED}"))
    document.close()
    if between is None:
        text = running_text([page for page in pages if page is not None])
    else:
        text = between.join("" if page is None else running_text([page]) for page in pages)
    return PartialText(text, tuple(faults))


def _is_scan(page: PageLines) -> bool:
    return page.images >= (_WHOLE if page.words else _PART)
