"""Plain files: every file is one document, its id the path below the folder that was named."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from twinset._kernels import Digest
from twinset.model import Batch
from twinset.reading.batches import BatchBuilder, as_text
from twinset.reading.compression import SUFFIXES, compression_of
from twinset.reading.encoding import broken_characters, byte_order_mark, decode
from twinset.reading.formats import refusal
from twinset.reading.office import SUFFIXES as OFFICE
from twinset.reading.office import OfficeError, document_text, recognise
from twinset.reading.source import ReadJob
from twinset.reading.split import SplitOutputs
from twinset.reading.stream import ByteStream, bounds_of, open_stream
from twinset.system.bounded import open_regular
from twinset.text.pages import HEAD, Named, is_page

_HTML = (".html", ".htm", ".xhtml", ".shtml")
_PLAIN = (".txt", ".md", ".text", ".markdown", ".rst")


@dataclass(frozen=True)
class PlainFiles:
    """Text, HTML, DOCX and PDF files of a folder, or a single one."""

    suffixes: ClassVar[tuple[str, ...]] = (*_PLAIN, *_HTML, *OFFICE)

    @staticmethod
    def sniff(head: bytes) -> bool:
        """Always false: plain text has no mark, and is what no other reader recognises."""
        return False

    def read(self, job: ReadJob) -> Iterator[Batch]:
        """Batches of whole files, in the order of their sorted names."""
        rows, digest = BatchBuilder(), Digest()
        for number, path in enumerate(documents(job), 1):
            name = document_name(job, path)
            job.digest = None
            raw = _content(job, path)
            text = None if raw is None else _text(job, raw, path, number)
            rows.add(name, text, number, raw=job.raw(raw))
            digest.update(np.frombuffer(f"{name}\0{job.digest}\0".encode(), dtype=np.uint8))
            if rows.size >= job.batch_bytes:
                yield rows.batch(job)
                rows = BatchBuilder()
        job.digest = digest.value()
        if len(rows):
            yield rows.batch(job)

    def split(self, job: ReadJob, outputs: SplitOutputs) -> None:
        """Copy the files under the same names."""
        for folder in (outputs.kept, outputs.removed):
            (folder if job.source.files else folder.parent).mkdir(parents=True, exist_ok=True)
        for path in documents(job):
            if not os.access(path, os.R_OK):
                # Reported as a fault when it was read; there is nothing to copy.
                outputs.decisions.take(1)
                continue
            is_kept = bool(outputs.decisions.take(1)[0])
            folder = outputs.kept if is_kept else outputs.removed
            target = folder / path.relative_to(job.source.path) if job.source.files else folder
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)


def documents(job: ReadJob) -> tuple[Path, ...]:
    """The files of the source, one document each."""
    return job.source.files or (job.source.path,)


def document_name(job: ReadJob, path: Path) -> str:
    """The path below the source's folder with forward slashes, or the name of a single file."""
    below = path.relative_to(job.source.path) if job.source.files else Path(path.name)
    return os.fsencode(below.as_posix()).decode("utf-8", "replace")


def _content(job: ReadJob, path: Path) -> bytes | None:
    """The unpacked bytes of a file; None, and a fault, where it cannot be read or is too long."""
    where = str(path)
    try:
        raw = _unpacked(job, path)
    except OSError as fault:
        job.faults.add(None, "unreadable", f"cannot be read ({fault.strerror or fault})", where)
        return None
    if len(raw) > job.limit:
        job.faults.add(None, "too-long", f"the file is longer than {job.limit:,} bytes", where)
        return None
    return raw


def _text(job: ReadJob, raw: bytes, path: Path, number: int) -> str | None:
    where, suffix = str(path), _suffix(path)
    if office := recognise(raw):
        return _office_text(job, raw, office, where)
    if refused := refusal(raw, suffix, suffix in _PLAIN):
        job.faults.add(None, *refused, where)
        return None
    if suffix in OFFICE:
        return _office_text(job, raw, OFFICE[suffix], where)
    named: Named = "page" if suffix in _HTML else "plain" if suffix in _PLAIN else None
    decoded = decode(raw, html=is_page(raw[:HEAD].decode("latin-1"), named))
    if decoded.broken:
        detail = broken_characters(decoded.broken)
        job.faults.add(None, "encoding", detail, where)
    elif decoded.encoding.startswith("utf-16") and not byte_order_mark(raw):
        detail = f"the file has no byte order mark; it is read as {decoded.encoding}"
        job.faults.add(None, "encoding", detail, where)
    return as_text(job, decoded.text, number, named)


def _office_text(job: ReadJob, raw: bytes, format: str, where: str) -> str | None:
    try:
        return document_text(format, raw, job.limit)
    except OfficeError as fault:
        job.faults.add(None, fault.kind, str(fault), where)
        return None


def _suffix(path: Path) -> str:
    name = Path(path.stem) if path.suffix.lower() in SUFFIXES else path
    return name.suffix.lower()


def _unpacked(job: ReadJob, path: Path) -> bytes:
    """The unpacked bytes, at most one more than the limit."""
    with open_regular(path, bounds_of(job)) as file:
        packing = compression_of(file.read(8))
        size = os.fstat(file.fileno()).st_size
    stream = open_stream(job, path, packing)
    try:
        if not packing:
            return _up_to(stream, min(size, job.limit) + 1)
        parts, total = [], 0
        while total <= job.limit and (part := _up_to(stream, min(1 << 20, job.limit + 1 - total))):
            parts.append(part)
            total += len(part)
        return b"".join(parts)
    finally:
        stream.close()


def _up_to(stream: ByteStream, size: int) -> bytes:
    buffer = bytearray(size)
    with memoryview(buffer) as view:
        count = stream.readinto(view)
    del buffer[count:]
    return bytes(buffer)
