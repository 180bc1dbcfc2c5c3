"""What the readers of documents share: their one error, and a text that may lack something.

Office formats can hold far more than their size suggests. What a reader may take of time and memory
is bounded by the process that it runs in (`in_child`).

Which formats of documents are read: their suffixes and readers.

A new reader is a file with a function to text and a line here; where the content tells the format,
also a line in `recognise`. Nothing is imported before a file of the format is read. The content
decides; the suffix only where the content says nothing.
"""

from __future__ import annotations

import importlib
import re
import threading
from collections.abc import Callable
from functools import cache, partial
from typing import Any, NamedTuple, cast

from twinset.errors import TwinsetError

MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""What compound files begin with: DOC, XLS, PPT, MSG."""


class OfficeError(TwinsetError):
    """A document whose text cannot be extracted; ``kind`` is the kind of fault it counts as."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(kind, message)  # both, or another process could not send it
        self.kind, self._message = kind, message

    def __str__(self) -> str:
        return self._message


class PartialText(NamedTuple):
    """The text of a document, and what is lacking of it: kinds of faults with their sentences."""

    text: str
    faults: tuple[tuple[str, str], ...] = ()


def protected_text(raw: bytes) -> str:
    """No text: the document is encrypted, and its format with it."""
    raise OfficeError("damaged", "the document is protected by a password")


MOST_SECONDS = 8.0
"""Seconds of computing for one document."""
BYTES_A_SECOND = 300_000
"""A document may take a further second for so many bytes of it."""
MEMORY = 384 << 20
"""Bytes of memory for any document, so that a run with ``--memory 500MB`` stays within that.

Python and PDFium take 40 MB of them."""
MEMORY_RATIO = 16
"""How many times its size a document may take beside these."""
_LOCK = threading.Lock()


class DocumentFormat(NamedTuple):
    """A format of which every file is one document."""

    suffixes: tuple[str, ...]
    reader: str
    """``module:function`` in this package."""
    has_scans: bool = False
    """Whether the reader takes how to read pictures as well, and returns a `PartialText`."""
    of_what: str = ""
    """What the document consists of: pages, slides, ... The reader takes what to put between."""


FORMATS: dict[str, DocumentFormat] = {
    "docx": DocumentFormat((".docx", ".docm", ".dotx"), "ooxml:docx_text"),
    "pdf": DocumentFormat((".pdf",), "pdf.document:pdf_text", True, "page"),
    "picture": DocumentFormat((), "pdf.document:picture_text", has_scans=True),
    "odf": DocumentFormat((".odt", ".odp", ".ott", ".otp"), "odf:odf_text"),
    "rtf": DocumentFormat((".rtf",), "rtf:rtf_text"),
    "doc": DocumentFormat((".doc", ".dot"), "doc:doc_text"),
    "sheet": DocumentFormat(
        (".xlsx", ".xlsm", ".xltx", ".xlsb", ".xls", ".xlt", ".ods", ".ots"),
        "sheet:sheet_text",
        of_what="sheet",
    ),
    "pptx": DocumentFormat(
        (".pptx", ".pptm", ".ppsx", ".potx"), "ooxml:pptx_text", of_what="slide"
    ),
    "ppt": DocumentFormat((".ppt", ".pps"), "ppt:ppt_text"),
    "epub": DocumentFormat((".epub",), "epub:epub_text", of_what="chapter"),
    "protected": DocumentFormat((), "base:protected_text"),
}
"""Readers of bytes: from the bytes to the text; raise `OfficeError`."""

NOTATIONS: dict[str, DocumentFormat] = {
    "markdown": DocumentFormat((".md", ".markdown", ".mkd", ".qmd"), "markdown:markdown_text"),
    "latex": DocumentFormat((".tex", ".latex", ".ltx"), "latex:latex_text"),
    "cues": DocumentFormat((".srt", ".vtt"), "subtitles:cue_text"),
}
"""Readers of text with signs of its own, known by suffix alone: from text to text."""

_LIGATURES = str.maketrans(
    dict(zip("ﬀﬁﬂﬃﬄﬅﬆ", ("ff", "fi", "fl", "ffi", "ffl", "st", "st"), strict=True))
)
_LIGATURE = re.compile("[\ufb00-\ufb06]")

MAIL = (".eml", ".mht", ".mhtml", ".mbox", ".mbx", ".msg")
ARCHIVES = (".zip", ".tar", ".tgz", ".tbz", ".tbz2", ".txz", ".tzst")
"""What else is packed in this way (JAR, wheels, drawings) is a program's own and stays closed."""
SUFFIXES = {suffix: name for name, format in FORMATS.items() for suffix in format.suffixes}
NOTED = {suffix: name for name, format in NOTATIONS.items() for suffix in format.suffixes}


def document_text(
    name: str, raw: bytes, limit: int, ocr: str = "no", paged: bool = False
) -> PartialText:
    """The text of a file of this format, at most ``limit`` characters; raises `OfficeError`.

    ``ocr`` says how pictures of pages are read: ``no``, ``yes`` or the languages. A text that is
    ``paged`` has form feeds between its pages, and no paragraph goes on from one to the next.
    """
    arguments = (name, raw, limit, ocr, paged)
    return cast("PartialText", in_child(_text, arguments, len(raw), draws=ocr != "no"))


def in_child(
    function: Callable[..., Any], arguments: tuple[Any, ...], size: int, draws: bool = False
) -> Any:
    """What a function makes of a document of this size; raises `OfficeError`.

    Anybody may have written the file, so that its reader may run without end, crash or take all
    memory: it runs in a process of its own, within bounds, and whoever asks goes on without it.
    """
    seconds = MOST_SECONDS + size / BYTES_A_SECOND
    memory = MEMORY + MEMORY_RATIO * size
    if draws:
        seconds, memory = 20 * seconds, memory + MEMORY
    from twinset.system.children import LostError

    try:
        with _LOCK:
            return _child().call(_guarded, (function, *arguments), seconds, memory)
    except LostError:
        raise OfficeError(
            "damaged",
            f"the document cannot be read: it takes over {seconds:,.0f} seconds of "
            "computing or too much memory, or ends its reader",
        ) from None


@cache
def _child() -> Any:
    """The process that reads documents for this one."""
    from twinset.system.children import Child

    return Child()


def _guarded(function: Callable[..., Any], *arguments: Any) -> Any:
    try:
        return function(*arguments)
    except (OfficeError, MemoryError):
        raise
    except Exception:  # a reader of a wild format meets everything that can happen
        raise OfficeError("damaged", "the document is damaged") from None


def _text(name: str, raw: bytes, limit: int, ocr: str, paged: bool) -> PartialText:
    format = FORMATS[name]
    reader = partial(_load(format), raw, **({"between": "\f"} if paged and format.of_what else {}))
    content = reader(ocr) if format.has_scans else PartialText(reader())
    if len(content.text) > limit:
        raise OfficeError("too-long", f"the text is longer than {limit:,} characters")
    return cast("PartialText", content)


def plain_text(name: str, source: str) -> str:
    """The text of a source in this notation, without the signs of the notation."""
    text: str = _load(NOTATIONS[name])(source)
    return text


def without_ligatures(text: str) -> str:
    """Letters for ligatures: of one text, programs keep them in one format and not in the other."""
    if text.isascii() or not _LIGATURE.search(text):
        return text
    return text.translate(_LIGATURES)


def _load(format: DocumentFormat) -> Any:
    module, _, function = format.reader.partition(":")
    return getattr(importlib.import_module(f"twinset.documents.{module}"), function)
