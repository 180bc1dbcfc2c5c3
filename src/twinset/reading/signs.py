"""What a file of records is known by: the suffixes of its name, and how its content begins.

The readers take their own from here, so that telling the format of a file loads none of them. A
reader of another package says both itself.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import NamedTuple

from twinset.reading.office.table import NOTED
from twinset.reading.office.table import SUFFIXES as OFFICE

DELIMITERS = {"comma": ",", "tab": "\t", "semicolon": ";", "pipe": "|"}
HTML = (".html", ".htm", ".xhtml", ".shtml")
_CODE = """
    .asm .awk .bas .bash .bat .c .cc .cfg .clj .cmake .cmd .conf .cpp .cs .css .cxx .d .dart
    .diff .el .erl .ex .f90 .fs .go .gradle .groovy .h .hpp .hs .hxx .ini .java .jl .js .kt .kts
    .lisp .lua .m .mk .ml .mm .nim .pas .patch .pl .pm .properties .ps1 .py .pyi .r .rb .rs
    .scala .scss .sh .sql .swift .tcl .toml .ts .tsx .v .vb .vhd .vim .yaml .yml .zig .zsh
"""
IMAGE_READER, IMAGES = "fps", (".fps", ".fps.gz")
MAIL = (".eml", ".mht", ".mhtml", ".mbox", ".mbx", ".msg")
PLAIN = (".txt", ".text", ".rst", ".log", *NOTED, *_CODE.split())


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
    "files": Signs((*PLAIN, *HTML, *OFFICE, *MAIL), never),
}
"""By the names of the readers, in the order in which they are tried."""
