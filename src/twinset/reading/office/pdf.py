"""Text of PDF files, by the package ``pypdf``."""

from __future__ import annotations

import io
from typing import Any

from twinset.errors import remedy
from twinset.reading.office.base import OfficeError

MOST_PAGES = 20_000
MOST_STEPS = 2_000_000
"""Drawing operators of a PDF, over all its pages."""


def pdf_text(raw: bytes, limit: int) -> str:
    """The text of a PDF file, page after page, at most ``limit`` characters."""
    try:
        from pypdf import PdfReader
        from pypdf.errors import DependencyError, FileNotDecryptedError
    except ModuleNotFoundError:
        raise OfficeError(
            "package", f"PDF files need pypdf, which is not installed: {remedy('pdf')}"
        ) from None
    parts, length, steps = [], 0, _Steps()
    try:
        for number, page in enumerate(PdfReader(io.BytesIO(raw)).pages):
            if number >= MOST_PAGES:
                raise OfficeError("too-long", f"the document has over {MOST_PAGES:,} pages")
            text = page.extract_text(visitor_operand_before=steps.count)
            parts.append(text)
            length += len(text)
            if length > limit:
                raise OfficeError("too-long", f"the text is longer than {limit:,} characters")
    except OfficeError:
        raise
    except (FileNotDecryptedError, DependencyError):  # some ciphers need a further package
        raise OfficeError("syntax", "the PDF document is encrypted") from None
    except Exception:  # a parser of a wild format meets everything that can happen
        raise OfficeError("syntax", "the PDF document is damaged") from None
    return "\n".join(parts)


class _Steps:
    """Counts the drawing operators of all pages: forms that draw forms grow without bound."""

    def __init__(self) -> None:
        self._done = 0

    def count(self, *operation: Any) -> None:
        self._done += 1
        if self._done > MOST_STEPS:
            raise OfficeError("too-long", f"the document takes over {MOST_STEPS:,} drawing steps")
