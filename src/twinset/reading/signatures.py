"""Files that are one document, by their names, and formats that are not read, by their first bytes.

A file of such a format is refused by name, never read as text, since the mark-up that two RTF notes
share would make them near-duplicates.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from twinset.documents.base import MAIL, NOTED
from twinset.documents.base import SUFFIXES as OFFICE
from twinset.documents.recognise import mail_kind, zip_directory
from twinset.reading.compression import HEAD
from twinset.text.encoding import byte_order_mark, utf16_without_mark

HTML = (".html", ".htm", ".xhtml", ".shtml")
_CODE = """
    .asm .awk .bas .bash .bat .c .cc .cfg .clj .cmake .cmd .conf .cpp .cs .css .cxx .d .dart
    .diff .el .erl .ex .f90 .fs .go .gradle .groovy .h .hpp .hs .hxx .ini .java .jl .js .kt .kts
    .lisp .lua .m .mk .ml .mm .nim .pas .patch .pl .pm .properties .ps1 .py .pyi .r .rb .rs
    .scala .scss .sh .sql .swift .tcl .toml .ts .tsx .v .vb .vhd .vim .yaml .yml .zig .zsh
"""
PLAIN = (".txt", ".text", ".rst", ".log", *NOTED, *_CODE.split())
ONE_DOCUMENT = frozenset((*PLAIN, *HTML, *OFFICE, *MAIL))
"""Suffixes that alone say that a file is one document."""
SAVE_AS = "save it as .docx, .pdf or .txt"
UNPACK = "unpack it"
CONVERT = "write its texts as JSON lines, CSV or Parquet"
HAND_OVER = (
    "load it in Python (datasets.load_from_disk, pyarrow) and hand that to twinset.find or dedup, "
    "or write it as Parquet"
)
LEAVE_OUT = "leave it out"


class UnreadFormat(NamedTuple):
    """A format that is not read, as named in a sentence, and what to do about it."""

    name: str
    remedy: str


class _Signature(NamedTuple):
    offset: int
    magic: bytes
    name: str
    remedy: str


def _group(remedy: str, *rows: tuple[int, bytes, str]) -> list[_Signature]:
    return [_Signature(offset, magic, name, remedy) for offset, magic, name in rows]


_SIGNATURES = (
    _group(
        SAVE_AS,
        (0, b"{\\rtf", "an RTF document"),
        (0, b"%!PS", "a PostScript document"),
        (0, b"\x04%!PS", "a PostScript document"),
        (0, b"\x1b%-12345X", "a print job"),
        (0, b"\xc5\xd0\xd3\xc6", "a PostScript document"),
        (0, b"\xf7\x02\x01\x83\x92\xc0", "a DVI document of TeX"),
        (0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Office file, damaged or unknown"),
        (0, b"\xdb\xa5-\0", "an old Word document"),
        (0, b"\xffWPC", "a WordPerfect document"),
        (0, b"AT&TFORM", "a DjVu document"),
        (0, b"ITSF\x03\0\0\0", "a CHM help file"),
        (0, b"ITOLITLS", "an e-book (LIT)"),
        (60, b"BOOKMOBI", "an e-book (MOBI)"),
        (60, b"TEXtREAd", "an e-book (PalmDoc)"),
    )
    + _group(
        UNPACK,
        (0, b"PK\x03\x04", "a ZIP archive"),
        (0, b"PK\x05\x06", "a ZIP archive"),
        (0, b"PK\x07\x08", "a ZIP archive"),
        (0, b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
        (0, b"Rar!\x1a\x07", "a RAR archive"),
        (257, b"ustar", "a tar archive"),
        (0, b"!<arch>\n", "an ar archive"),
        (0, b"xar!\0", "a xar archive"),
        (0, b"MSCF\0\0\0\0", "a CAB archive"),
        (0, b"070701", "a cpio archive"),
        (0, b"070707", "a cpio archive"),
        (0, b"\xed\xab\xee\xdb", "an RPM package"),
        (0, b"\x1f\x9d\x90", "a file packed by compress"),
        (0, b"\x1f\xa0", "a file packed by compress"),
        (0, b"LZIP\x01", "a file packed by lzip"),
        (0, b"\x89LZO\0", "a file packed by lzop"),
        (0, b"\x04\x22\x4d\x18", "a file packed by lz4"),
        (0, b"\xff\x06\0\0sNaPpY", "a file packed by snappy"),
        # A packing inside a packing: one of them is undone by the reader.
        (0, b"\x1f\x8b\x08", "a file packed by gzip twice"),
        (0, b"\xfd7zXZ\0", "a file packed by xz twice"),
        (0, b"\x28\xb5\x2f\xfd", "a file packed by zstd twice"),
    )
    + _group(
        LEAVE_OUT,
        (0, b"\x89PNG\r\n\x1a\n", "a PNG image"),
        (0, b"\xff\xd8\xff", "a JPEG image"),
        (0, b"GIF87a", "a GIF image"),
        (0, b"GIF89a", "a GIF image"),
        (0, b"II*\0", "a TIFF image"),
        (0, b"MM\0*", "a TIFF image"),
        (0, b"8BPS\0", "a Photoshop image"),
        (0, b"gimp xcf ", "a GIMP image"),
        (0, b"\0\0\1\0", "an icon"),
        (0, b"\0\0\0\x0cjP  \r\n\x87\n", "a JPEG 2000 image"),
        (0, b"\0\0\0\x0cJXL \r\n\x87\n", "a JPEG XL image"),
        (0, b"RIFF", "a RIFF file (sound, film or image)"),
        (4, b"ftyp", "a film or image (MP4, HEIC, AVIF)"),
        (0, b"\x1aE\xdf\xa3", "a film (Matroska, WebM)"),
        (0, b"OggS\0", "an Ogg file (sound or film)"),
        (0, b"fLaC\0", "a sound file (FLAC)"),
        (0, b"ID3\x02", "a sound file (MP3)"),
        (0, b"ID3\x03", "a sound file (MP3)"),
        (0, b"ID3\x04", "a sound file (MP3)"),
        (0, b"MThd\0\0\0\x06", "a sound file (MIDI)"),
        (0, b"FLV\x01", "a film (FLV)"),
        (0, b"\0\0\1\xba", "a film (MPEG)"),
        (0, b"\x30\x26\xb2\x75\x8e\x66\xcf\x11", "a film or sound file (ASF)"),
        (0, b"\x7fELF", "a program"),
        (0, b"\xfe\xed\xfa\xce", "a program"),
        (0, b"\xfe\xed\xfa\xcf", "a program"),
        (0, b"\xce\xfa\xed\xfe", "a program"),
        (0, b"\xcf\xfa\xed\xfe", "a program"),
        (0, b"\xca\xfe\xba\xbe", "a program"),
        (0, b"\0asm", "a program"),
        (0, b"dex\n03", "a program"),
        (0, b"BC\xc0\xde", "a program"),
        (0, b"OTTO\0", "a font"),
        (0, b"\0\1\0\0\0", "a font"),
        (0, b"wOFF\0", "a font"),
        (0, b"wOF2\0", "a font"),
        (0, b"\xd4\xc3\xb2\xa1", "a recording of network traffic"),
        (0, b"\xa1\xb2\xc3\xd4", "a recording of network traffic"),
        (0, b"\x0a\x0d\x0d\x0a", "a recording of network traffic"),
        (0, b"Salted__", "an encrypted file"),
        (0, b"age-encryption.org/", "an encrypted file"),
        (0, b"LUKS\xba\xbe", "an encrypted disk"),
        (0, b"GGUF\x03\0\0\0", "the weights of a model"),
        (0, b"d8:announce", "a torrent"),
        (0, b"PACK\0\0\0\x02", "a pack of git"),
        (0, b"DIRC\0\0\0", "an index of git"),
    )
    + _group(
        HAND_OVER,
        (0, b"ARROW1\0", "an Arrow file"),
        (0, b"FEA1", "a Feather file"),
        # What opens the message of the schema, behind a mark and its length.
        (8, b"\x10\0\0\0\0\0\x0a\0", "an Arrow file"),
    )
    + _group(
        CONVERT,
        (0, b"SQLite format 3\0", "an SQLite database"),
        (4, b"Standard Jet DB\0", "an Access database"),
        (4, b"Standard ACE DB\0", "an Access database"),
        (0, b"!BDN", "a mailbox of Outlook"),
        (0, b"Obj\x01", "an Avro file"),
        (0, b"ORC\n", "an ORC file"),
        (0, b"\x89HDF\r\n\x1a\n", "an HDF5 file"),
        (0, b"CDF\x01", "a NetCDF file"),
        (0, b"CDF\x02", "a NetCDF file"),
        (0, b"\x93NUMPY", "a NumPy array"),
        (0, b"MATLAB 5.0 MAT-file", "a MATLAB file"),
        (0, b"RDX2\n", "an R data file"),
        (0, b"RDX3\n", "an R data file"),
        (0, b"bplist00", "a property list"),
        (8, b"DUCK", "a DuckDB database"),
    )
)
# Too short to go by unless the file is binary anyway.
_WEAK = (
    (b"MZ", "a program", LEAVE_OUT),
    (b"BM", "a BMP image", LEAVE_OUT),
    (b"\x80\x04", "a pickle of Python", CONVERT),
    (b"\x80\x05", "a pickle of Python", CONVERT),
    (b"\xff\xfb", "a sound file (MP3)", LEAVE_OUT),
)
# Formats that are text themselves. Any other mark of letters alone may begin a text as well, and
# counts only in a file that holds control characters.
_TEXTUAL = (b"{\\rtf", b"%!PS", b"!<arch>\n", b"age-encryption.org/", b"d8:announce")
TEXT_MARKS = (*_TEXTUAL, b"%PDF-", b"BZh")
"""What begins with one of these is no plain text, though it may hold nothing but letters."""
_CONTROL = re.compile(rb"[\0-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_AT_FRONT: dict[int, list[_Signature]] = {}
for _signature in _SIGNATURES:
    if _signature.offset == 0:
        _AT_FRONT.setdefault(_signature.magic[0], []).append(_signature)
_FURTHER_ON = [signature for signature in _SIGNATURES if signature.offset]
# What a ZIP archive is by the first of its files, or by the name of one of them.
_FIRST_ZIPPED = (
    (b"mimetypeapplication/vnd.oasis.opendocument", "an OpenDocument file (ODT, ODS, ODP)"),
    (b"mimetypeapplication/epub+zip", "an e-book (EPUB)"),
)
_ZIPPED = (
    (b"xl/workbook.", "an Excel workbook (XLSX)"),
    (b"ppt/presentation.", "a PowerPoint presentation (PPTX)"),
    (b"Index/Document.iwa", "a document of Pages, Numbers or Keynote"),
    (b"visio/document.xml", "a Visio drawing (VSDX)"),
    (b"FixedDocSeq.fdseq", "an XPS document"),
)
_SVG = re.compile(
    rb"\s*(?:<\?xml[^>]*>\s*|<!--(?:[^-]|-(?!->))*-->\s*|<!DOCTYPE svg[^>]*>\s*)*<svg[\s>]"
)
_FLAT_OFFICE = re.compile(
    rb"\s*<\?xml[^>]*>\s*(?:<\?mso-application|<(?:office:document|w:wordDocument|pkg:package)[\s>])"
)
_MAIL = {
    "letter": UnreadFormat("an e-mail message (EML, MHT)", "save it as .docx, .pdf or .txt"),
    "mailbox": UnreadFormat("a mailbox (MBOX)", "save its messages as .docx, .pdf or .txt"),
}


def refusal(
    raw: bytes, suffix: str = "", is_text: bool = False, what: str = "file"
) -> tuple[str, str] | None:
    """The kind and the detail of the fault that these bytes are not text; None where they may be.

    ``is_text`` says that the name or the type promises plain text. Then a letter with its header
    lines is text, since it was saved as text.
    """
    format = unread_format(raw[:HEAD], suffix, is_text)
    if format and raw.startswith(b"PK"):
        format = _zipped(raw)
    if format:
        return "format", f"the {what} is {format.name}, which is not read; {format.remedy}"
    if b"\0" in raw and not byte_order_mark(raw) and not utf16_without_mark(raw):
        return "binary", f"the {what} holds binary data, not text"
    return None


# The sort of a file by words in the name of its format; the first that is there decides.
_SORTS = (
    ("pictures", ("image", "icon", "drawing")),
    ("films", ("film",)),
    ("sounds", ("sound",)),
    ("archives", ("archive", "packed", "package", "torrent")),
    ("programs", ("program", "font")),
    ("unread_documents", ("document", "e-book", "Office", "mail", "print", "help", "workbook")),
    ("unread_documents", ("presentation", "OpenDocument")),
)
_SORT_OF_SUFFIX = {
    **dict.fromkeys((".heic", ".heif", ".avif", ".webp", ".raw", ".cr2", ".nef"), "pictures"),
    **dict.fromkeys((".mp4", ".m4v", ".mov", ".3gp", ".avi"), "films"),
    **dict.fromkeys((".wav", ".m4a", ".ogg", ".oga", ".opus", ".aac", ".mp3"), "sounds"),
}


def sort_of(head: bytes, suffix: str = "") -> str:
    """Which sort of file without a reader one with these first bytes is, as reports count it."""
    if suffix in _SORT_OF_SUFFIX:
        return _SORT_OF_SUFFIX[suffix]
    format = unread_format(head, suffix)
    name = "" if format is None else format.name
    sorts = (sort for sort, words in _SORTS if any(word in name for word in words))
    return next(sorts, "other_files")


def unread_format(head: bytes, suffix: str = "", is_text: bool = False) -> UnreadFormat | None:
    """The format of a file that is not read, by its first bytes; None where it may be text."""
    for signature in (*_AT_FRONT.get(head[0] if head else -1, ()), *_FURTHER_ON):
        if head.startswith(signature.magic, signature.offset):
            is_word = _CONTROL.search(signature.magic) is None and signature.magic.isascii()
            if is_word and signature.magic not in _TEXTUAL and not _CONTROL.search(head):
                continue
            return UnreadFormat(signature.name, signature.remedy)
    if _SVG.match(head):
        return UnreadFormat("an SVG image", LEAVE_OUT)
    if _FLAT_OFFICE.match(head):
        return UnreadFormat("an Office document in one XML file", SAVE_AS)
    if not is_text and (mail := mail_kind(head, suffix)):
        return _MAIL[mail]
    if b"\0" in head and not byte_order_mark(head):
        weak = (row for row in _WEAK if head.startswith(row[0]))
        return next((UnreadFormat(name, remedy) for _, name, remedy in weak), None)
    return None


CLOSED_ZIP = "a ZIP archive that is empty, cut short or inside another one"


def _zipped(raw: bytes) -> UnreadFormat:
    first = next((name for mark, name in _FIRST_ZIPPED if raw.startswith(mark, 30)), None)
    names = zip_directory(raw)
    kind = first or next((name for mark, name in _ZIPPED if mark in names), None)
    return UnreadFormat(kind, SAVE_AS) if kind else UnreadFormat(CLOSED_ZIP, UNPACK)
