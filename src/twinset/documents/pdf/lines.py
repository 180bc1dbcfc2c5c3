"""The lines of the pages of a PDF file, with their places, and pages drawn, by PDFium."""

from __future__ import annotations

import ctypes
import re
from contextlib import closing, suppress
from typing import Any, NamedTuple

from twinset.documents.base import OfficeError
from twinset.errors import remedy

HYPHEN_AT_LINE_END = "\ufffe"  # PDFium's mark for a hyphen before a line break
_WIDE = re.compile("[\U00010000-\U0010ffff]")
_LINE_END = re.compile(f"[\r\n]+|{HYPHEN_AT_LINE_END}")
_FEW_WORDS = 5
"""A page with more words has a text layer, whatever its pictures."""


class TextLine(NamedTuple):
    """A line of a page: the text, where it is, and how it ends.

    Places are in points from the lower left corner. ``hyphen`` says that a hyphen at its end is not
    in the text any more.
    """

    text: str
    left: float
    right: float
    bottom: float
    top: float
    hyphen: bool = False


class PageLines(NamedTuple):
    """A page: its height, its lines as they are drawn, their words, and the share with images."""

    height: float
    lines: tuple[TextLine, ...]
    words: int
    images: float


class PdfDocument:
    """An open PDF file."""

    def __init__(self, raw: bytes) -> None:
        try:
            import pypdfium2 as pdfium
        except ModuleNotFoundError:
            detail = f"PDF files need pypdfium2, which is not installed: {remedy('pdf')}"
            raise OfficeError("package", detail) from None
        self._pdfium = pdfium
        try:
            self._document = pdfium.PdfDocument(raw)
        except pdfium.PdfiumError as fault:
            locked = (pdfium.raw.FPDF_ERR_PASSWORD, pdfium.raw.FPDF_ERR_SECURITY)
            why = "protected by a password" if fault.err_code in locked else "damaged"
            raise OfficeError("damaged", f"the PDF document is {why}") from None

    def close(self) -> None:
        """Give the memory back."""
        self._document.close()

    def pages(self) -> list[PageLines | None]:
        """Every page; None if it is damaged."""
        pages = [self._page(number) for number in range(len(self._document))]
        if not any(pages):
            raise OfficeError("damaged", "the PDF document is damaged: it has no readable page")
        return pages

    def _page(self, number: int) -> PageLines | None:
        try:
            with closing(self._document[number]) as page:
                width, height = page.get_size()
                lines = tuple(DrawnLines(self._pdfium.raw, page.get_textpage()).split())
                words = sum(len(line.text.split()) for line in lines)
                images = self._images(page) / max(1.0, width * height) if words <= _FEW_WORDS else 0
                return PageLines(height, lines, words, images)
        except self._pdfium.PdfiumError:
            return None

    def _images(self, page: Any) -> float:
        """The area that images cover on a page, forms included."""
        area = 0.0
        for image in page.get_objects(filter=[self._pdfium.raw.FPDF_PAGEOBJ_IMAGE]):
            with suppress(self._pdfium.PdfiumError):  # it lies nowhere
                left, bottom, right, top = image.get_bounds()
                area += abs(right - left) * abs(top - bottom)
        return area

    def picture(self, number: int, dots_per_inch: int, most_pixels: int) -> bytes:
        """A page drawn in shades of grey, as a PGM file."""
        try:
            with closing(self._document[number]) as page:
                wide, high = page.get_size()
                scale = min(dots_per_inch / 72, (most_pixels / max(1.0, wide * high)) ** 0.5)
                drawn = page.render(scale=scale, grayscale=True, draw_annots=False)
                data, stride = bytes(drawn.buffer), drawn.stride
        except (self._pdfium.PdfiumError, ValueError):
            raise OfficeError("damaged", f"page {number + 1} is damaged") from None
        rows = (data[row * stride : row * stride + drawn.width] for row in range(drawn.height))
        return b"P5 %d %d 255\n" % (drawn.width, drawn.height) + b"".join(rows)


class DrawnLines:
    """The lines of one page in the order in which they are drawn."""

    def __init__(self, pdfium: Any, text: Any) -> None:
        self._pdfium, self._text = pdfium, text
        self._box = pdfium.FS_RECTF()
        count = max(0, pdfium.FPDFText_CountChars(text))
        buffer = (ctypes.c_ushort * (count + 1))()
        units = pdfium.FPDFText_GetText(text, 0, count, buffer) if count else 0
        data = bytes(buffer)[: 2 * max(0, units - 1)].decode("utf-16-le", "surrogatepass")
        # Two units each in PDFium, and so two characters here.
        self._content = _WIDE.sub(lambda wide: wide.group() + "\0", data)
        self._is_same = len(self._content) == count  # what PDFium leaves out shifts its numbers

    def split(self) -> list[TextLine]:
        """The lines, without those that are blank."""
        lines, begin = list[TextLine](), 0
        for end in _LINE_END.finditer(self._content):
            lines += self._line(begin, end.start(), end.group() == HYPHEN_AT_LINE_END)
            begin = end.end()
        return [*lines, *self._line(begin, len(self._content), False)]

    def _line(self, begin: int, end: int, hyphen: bool) -> list[TextLine]:
        while begin < end and self._content[begin].isspace():
            begin += 1
        while end > begin and self._content[end - 1].isspace():
            end -= 1
        if begin == end:
            return []
        if self._has_hyphen_apart(begin, end):
            end, hyphen = end - 2, True
        left, _, low, high = self._place(begin)
        bottom = self._baseline(begin, low)
        place = (left, self._place(end - 1)[1], bottom, bottom + high - low)
        left, right, bottom, top = (round(side, 1) for side in place)
        text = self._content[begin:end].replace("\0", "")
        return [TextLine(text, left, right, bottom, top, hyphen)]

    def _has_hyphen_apart(self, begin: int, end: int) -> bool:
        """Whether a hyphen ends the line that was drawn a little apart, and so got a blank."""
        if self._content[end - 2 : end] != " -" or not self._content[end - 3 : end - 2].isalpha():
            return False
        blanks = [i for i in range(begin, end) if self._content[i] == " "]
        is_drawn = [self._pdfium.FPDFText_IsGenerated(self._text, self._at(i)) != 1 for i in blanks]
        return any(is_drawn) and not is_drawn[-1]

    def _place(self, index: int) -> tuple[float, float, float, float]:
        """Left, right, bottom and top of a character."""
        self._pdfium.FPDFText_GetLooseCharBox(self._text, self._at(index), self._box)
        box = self._box
        return box.left, box.right, box.bottom, box.top

    def _baseline(self, index: int, otherwise: float) -> float:
        """Where the letters of a line stand, whatever their shapes."""
        across, up = ctypes.c_double(), ctypes.c_double()
        there = self._pdfium.FPDFText_GetCharOrigin(self._text, self._at(index), across, up)
        return up.value if there else otherwise

    def _at(self, index: int) -> int:
        """The number of a character of the content among those of the page."""
        if self._is_same:
            return index
        number: int = self._pdfium.FPDFText_GetCharIndexFromTextIndex(self._text, index)
        return number
