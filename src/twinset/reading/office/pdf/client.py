"""Asks the child process that reads PDF files, and goes on without it where it does not answer."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from twinset.errors import remedy
from twinset.reading.office.base import OfficeError

MOST_PAGES = 20_000
MOST_SECONDS = 10.0
"""Seconds of computing for one document, and for each of its pictures."""
BYTES_A_SECOND = 100_000
"""A document may take a further second for so many bytes of it."""
WAITING = 20.0
"""A child that is still computing may be waited for this many times as long, on a busy machine."""


class TextLine(NamedTuple):
    """A line of a page, or a part of one: the text, where it is, and how it ends and begins.

    Places are in points from the lower left corner. ``hyphen`` says that a hyphen at its end is not
    in the text any more, ``same_row`` that it stands beside the line before, after a wide gap.
    """

    text: str
    left: float
    right: float
    bottom: float
    top: float
    hyphen: bool = False
    same_row: bool = False


class PageLines(NamedTuple):
    """A page: its height, its lines as they are drawn, their words, and the share with images."""

    height: float
    lines: tuple[TextLine, ...]
    words: int
    images: float


class PdfChild:
    """A child process for one document after the other; a new one takes the place of one lost."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0
        self.lock = threading.Lock()

    def pages(self, raw: bytes, limit: int) -> list[PageLines | None]:
        """The pages of a document, None for those that are damaged; raises `OfficeError`."""
        request = {"do": "pages", "bytes": len(raw), "most_pages": MOST_PAGES, "limit": limit}
        payload = self._ask(request, raw, MOST_SECONDS + len(raw) / BYTES_A_SECOND)
        pages: list[dict[str, Any] | None] = json.loads(payload)
        return [None if page is None else _page(page) for page in pages]

    def picture(self, page: int, dots_per_inch: int, most_pixels: int) -> bytes:
        """A page of the last document as a PGM file; raises `OfficeError`."""
        request = {
            "do": "picture",
            "page": page,
            "dots_per_inch": dots_per_inch,
            "most_pixels": most_pixels,
        }
        return self._ask(request, b"", MOST_SECONDS)

    def _ask(self, request: dict[str, Any], raw: bytes, seconds: float) -> bytes:
        process = self._running()
        assert process.stdin is not None
        assert process.stdout is not None
        overdue = threading.Timer(WAITING * seconds, process.kill)
        overdue.start()
        try:
            process.stdin.write(json.dumps({**request, "seconds": seconds}).encode() + b"\n")
            process.stdin.write(raw)
            process.stdin.flush()
            line = process.stdout.readline()
            answer = json.loads(line) if line.endswith(b"\n") else None
            payload = process.stdout.read(answer["bytes"]) if answer else b""
        except (BrokenPipeError, ConnectionError):
            answer = None
        except BaseException:  # Ctrl-C: what it still answers belongs to nobody
            self._end()
            raise
        finally:
            overdue.cancel()
        if answer is None or len(payload) < answer["bytes"]:
            self._end()
            raise OfficeError(
                "damaged",
                f"the PDF document cannot be read: it takes over {seconds:,.0f} seconds of "
                "computing or ends its reader",
            )
        if "fault" in answer:
            raise OfficeError(*answer["fault"])
        return payload

    def _running(self) -> subprocess.Popen[bytes]:
        # A process that was forked off must not talk into the pipes of its parent.
        process = self._process if self._owner == os.getpid() else None
        if process is None or process.poll() is not None:
            package = find_spec("pypdfium2_raw")
            if package is None or package.origin is None:
                raise OfficeError(
                    "package",
                    f"PDF files need pypdfium2, which is not installed: {remedy('pdf')}",
                )
            folder = str(Path(package.origin).parent.parent)
            process = subprocess.Popen(
                [sys.executable, str(Path(__file__).with_name("child.py")), folder],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
            self._process, self._owner = process, os.getpid()
        return process

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None


def _page(page: dict[str, Any]) -> PageLines:
    lines = tuple(TextLine(*line) for line in page["lines"])
    return PageLines(page["height"], lines, page["words"], page["images"])


CHILD = PdfChild()
