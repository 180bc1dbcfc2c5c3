"""Which format a file has: by its first bytes, its suffix and its compression.

The readers take their signs from here, so that telling the format of a file loads none of them. A
reader of another package says both itself.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, NamedTuple

from twinset.plan import spec
from twinset.reading.compression import HEAD, SUFFIXES, compression_of, head_of_packed
from twinset.system.remote import Place, RemotePath

DELIMITERS = {"comma": ",", "tab": "\t", "semicolon": ";", "pipe": "|"}
IMAGE_READER, IMAGES = "fps", (".fps", ".fps.gz")


def is_image_file(path: str | os.PathLike[str]) -> bool:
    """Whether a path names a file of images."""
    return os.fspath(path).partition("?")[0].lower().endswith(IMAGES)


class Signs(NamedTuple):
    """The suffixes of a format, and whether the first bytes of a file look like it."""

    suffixes: tuple[str, ...]
    sniff: Callable[[bytes], bool]


def begins_with_object(head: bytes) -> bool:
    """Whether the first line begins like an object with a key, and no page follows it."""
    start = head.lstrip()[:64].replace(b" ", b"")
    second = head.lstrip().partition(b"\n")[2].lstrip()
    return start.startswith((b'{"', b"{}")) and not second.startswith(b"<")


def names_a_text(head: bytes) -> bool:
    """Whether the first line names a column 'text' among others."""
    line = head.split(b"\n", 1)[0].strip().lower().replace(b'"', b"")
    names = [line.split(delimiter.encode()) for delimiter in DELIMITERS.values()]
    return any(len(row) > 1 and b"text" in row for row in names)


def begins_dataset(head: bytes) -> bool:
    """Whether it is mark-up in which a dataset or a document with a docID begins."""
    if not head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        return False
    return b"<romip:dataset" in head or (b"<document" in head and b"<docID" in head)


def never(head: bytes) -> bool:
    """False: plain text has no mark, and is what no other reader recognises."""
    return False


PARQUET, WARC = b"PAR1", b"WARC/"
SIGNS: dict[str, Signs] = {
    "jsonl": Signs((".jsonl", ".ndjson", ".jl", ".json"), begins_with_object),
    "csv": Signs((".csv",), names_a_text),
    "tsv": Signs((".tsv", ".tab"), names_a_text),
    "parquet": Signs((".parquet", ".pq"), lambda head: head.startswith(PARQUET)),
    "romip": Signs((".romip",), begins_dataset),
    "warc": Signs((".warc", ".wet"), lambda head: head.startswith(WARC)),
}
"""By the names of the readers, in the order in which they are tried."""
# Formats with a mark of their own, which counts for more than the name of the file.
_MARKED = ("parquet", "warc", "romip")


def detect(path: Place, head: bytes) -> tuple[str, str | None]:
    """The reader's name and the packing of a file with these first bytes."""
    packing = compression_of(head)
    inner = head_of_packed(head, packing, HEAD) if packing else head
    for name in _MARKED:
        if SIGNS[name].sniff(inner):
            return name, packing
    suffix = suffix_of(path)
    named = next((name for name, signs in SIGNS.items() if suffix in signs.suffixes), None)
    if named is not None and SIGNS[named].sniff(inner):
        return named, packing
    from twinset.reading.signatures import ONE_DOCUMENT, unread_format

    if named is None and suffix in ONE_DOCUMENT:
        named = "files"
    names = (name for name in spec.names("reader") if name not in (*SIGNS, "files"))
    others: list[tuple[str, Any]] = [(name, spec.load("reader", name)) for name in names]
    if named is None:
        named = next((name for name, reader in others if suffix in reader.suffixes), None)
    # A workbook that is called .csv is no table of text; the reader of files says what it is.
    if unread_format(inner, suffix, is_text=named is not None):
        return "files", packing
    sniffed = (name for name, signs in (*SIGNS.items(), *others) if signs.sniff(inner))
    return named or next(sniffed, "files"), packing


def named_as_text(path: Place | str) -> bool:
    """Whether the name alone says that the file is one plain document."""
    from twinset.reading.signatures import ONE_DOCUMENT

    return suffix_of(path) in ONE_DOCUMENT


def suffix_of(path: Place | str) -> str:
    """The suffix in small letters, below that of a packing: ``.jsonl`` for ``X.jsonl.gz``."""
    # pathlib takes longer for this than the reading of a small file
    name = path.name if isinstance(path, RemotePath) else os.path.basename(path)
    stem, suffix = os.path.splitext(name.lower())
    return os.path.splitext(stem)[1] if suffix in SUFFIXES else suffix
