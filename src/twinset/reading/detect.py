"""Which reader a file needs: by its packing, its suffix and its first bytes."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from twinset import spec
from twinset.reading.signatures import unread_format
from twinset.reading.unpack import SUFFIXES, compression_of, damage, head_of_packed

HEAD = 1 << 16
# Formats with a mark of their own, which counts for more than the name of the file.
_MARKED = ("parquet", "warc", "romip")


def detect(path: Path, head: bytes) -> tuple[str, str | None]:
    """The reader's name and the packing of a file with these first bytes."""
    packing = compression_of(head)
    inner = _unpacked_head(head, packing) if packing else head
    readers = _readers()
    for name in _MARKED:
        if name in readers and readers[name].sniff(inner):
            return name, packing
    suffix = suffix_of(path)
    named = [name for name, reader in readers.items() if suffix in reader.suffixes]
    # A workbook that is called .csv is no table of text; the reader of files says what it is.
    if unread_format(inner, suffix, is_text=bool(named)):
        return "files", packing
    if named:
        return named[0], packing
    sniffed = [name for name, reader in readers.items() if reader.sniff(inner)]
    return (sniffed[0] if sniffed else "files"), packing


def named_as_text(path: Path) -> bool:
    """Whether the name alone says that the file is one plain document."""
    return suffix_of(path) in _readers()["files"].suffixes


def suffix_of(path: Path) -> str:
    """The suffix below that of a packing: ``.jsonl`` for ``x.jsonl.gz``."""
    inner = Path(path.stem) if path.suffix.lower() in SUFFIXES else path
    return inner.suffix.lower()


@lru_cache(maxsize=1)
def _readers() -> dict[str, Any]:
    return {name: spec.load("reader", name) for name in spec.names("reader")}


def _unpacked_head(head: bytes, packing: str) -> bytes:
    try:
        return head_of_packed(head, packing, HEAD)
    except damage():
        return b""
