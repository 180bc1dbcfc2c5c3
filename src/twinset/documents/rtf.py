"""Text of RTF files.

A file is groups of control words and text. Some groups are destinations: tables, pictures and
instructions, which are skipped, page headers and footers too, and footnotes, which stand at the
end. Bytes beyond ASCII are in the code page of the font; what Unicode alone has is written as
``\u1234``, followed by a stand-in for old programs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from twinset.documents.base import OfficeError
from twinset.documents.flow import AsideKind, Flow

CODE_PAGES = {
    0: "cp1252",
    77: "mac_roman",
    128: "cp932",
    129: "cp949",
    130: "johab",
    134: "gbk",
    136: "cp950",
    161: "cp1253",
    162: "cp1254",
    163: "cp1258",
    177: "cp1255",
    178: "cp1256",
    186: "cp1257",
    204: "cp1251",
    222: "cp874",
    238: "cp1250",
    254: "cp437",
    255: "cp850",
}
"""The code pages of the character sets that fonts name."""

PARAGRAPH_ENDS = frozenset(
    ("par", "cell", "nestcell", "row", "nestrow", "sect", "page", "column", "line")
)

CHARACTERS = {
    "tab": "\t",
    "emdash": "\u2014",
    "endash": "\u2013",
    "emspace": "\u2003",
    "enspace": "\u2002",
    "qmspace": "\u2005",
    "bullet": "\u2022",
    "lquote": "\u2018",
    "rquote": "\u2019",
    "ldblquote": "\u201c",
    "rdblquote": "\u201d",
    "zwj": "\u200d",
    "zwnj": "\u200c",
    "zwbo": "\u200b",
    "ltrmark": "\u200e",
    "rtlmark": "\u200f",
}

_SKIPPED = """
    aftncn aftnsep aftnsepc atnauthor atndate atnicn atnid atnparent atnref atntime atrfend
    atrfstart author bkmkend bkmkstart buptim category colortbl comment company creatim doccomm
    docvar dptxbxtext factoidname falt fchars fldinst fldtype fname fontemb fontfile footer
    footerf footerl footerr ftncn ftnsep ftnsepc generator header headerf headerl headerr
    hlinkbase info keywords lchars levelnumbers leveltext listname listtable listoverridetable
    listtext manager mmathPr nextfile nonesttables objalias objclass objdata objname objsect
    objtime operator panose password pict picprop pn pnseclvl pntext pntxta pntxtb printim
    private revtbl revtim rsidtbl rxe shprslt sn sp stylesheet subject sv tc template themedata
    title txe userprops xe xmlnstbl
"""
SKIPPED = frozenset(_SKIPPED.split())
"""Groups that open with one of these hold no text of the document."""


_TOKEN = re.compile(
    r"\\([a-zA-Z]{1,32})(-?[0-9]{1,10})? ?"
    r"|\\'([0-9a-fA-F]{2})"
    r"|\\(.)"
    r"|([{}])"
    r"|[\r\n\0]+"
    r"|([^\\{}\r\n\0]+)"
    r"|\\\Z",
    re.DOTALL,
)
_SYMBOLS = {"~": "\u00a0", "-": "\u00ad", "_": "\u2011", "\n": "\n", "\r": "\n"}
_ESCAPED = "\\{}"
_NOTES = ("footnote", "annotation")
_BOX = "shptxt"
# Destinations that programs may ignore, with text inside that is shown.
_ENTERED = (*_NOTES, "shpinst", _BOX)


@dataclass(frozen=True)
class _Group:
    """What holds until the closing brace."""

    code_page: str = "cp1252"
    fallback: int = 1  # characters that stand in for a \\u
    is_skipped: bool = False
    is_hidden: bool = False
    is_deleted: bool = False
    is_endnote: bool = False
    aside: str = ""  # the destination that this group opened, if its text goes elsewhere


def rtf_text(raw: bytes) -> str:
    """The text of an RTF file, a line for each paragraph and cell."""
    if not raw.lstrip().startswith(b"{\\rtf"):
        raise OfficeError("damaged", "the file is not an RTF document")
    return _Reader(raw.decode("latin-1")).text()


class _Reader:
    def __init__(self, source: str) -> None:
        self._source = source
        self._flow = Flow()
        self._group = _Group()
        self._outer: list[_Group] = []
        self._fonts: dict[int, str] = {}
        self._font = 0  # the one that the table of fonts describes
        self._in_fonts = 0  # the depth of that table; 0 outside
        self._default = "cp1252"
        self._pending = bytearray()  # bytes of one code page, maybe half a character
        self._to_skip = 0  # stand-ins of a \\u
        self._is_first = False  # right behind an opening brace
        self._is_optional = False  # behind \\*

    def text(self) -> str:
        """All text of the document."""
        at, source = 0, self._source
        while at < len(source):
            token = _TOKEN.match(source, at)
            if token is None:
                break
            at = token.end()
            word, number, byte, symbol, brace, plain = token.groups()
            if plain is not None:
                self._plain(plain)
            elif word:
                if word == "bin":
                    at += max(0, int(number or 0))
                self._word(word, int(number) if number else None)
            elif byte:
                self._byte(int(byte, 16))
            elif brace == "{":
                self._open()
            elif brace == "}":
                if not self._outer:
                    break
                self._close()
                if not self._outer:
                    break
            elif symbol:
                self._symbol(symbol)
        self._flush()
        return _whole_characters(self._flow.text())

    def _open(self) -> None:
        self._flush()
        self._outer.append(self._group)
        self._group = replace(self._group, aside="", is_endnote=False)
        self._is_first, self._is_optional, self._to_skip = True, False, 0

    def _close(self) -> None:
        self._flush()
        closed, self._group = self._group, self._outer.pop()
        self._is_first = self._is_optional = False
        self._to_skip = 0
        if self._in_fonts > len(self._outer):
            self._in_fonts = 0
        if closed.aside:
            is_unread = closed.is_skipped or closed.aside == "annotation"
            kind: AsideKind = "endnote" if closed.is_endnote else "footnote"
            self._flow.end_aside("box" if closed.aside == _BOX else kind, is_unread)

    def _word(self, word: str, number: int | None) -> None:
        is_first, self._is_first = self._is_first, False
        if self._to_skip:
            self._to_skip -= 1
            return
        if is_first and self._destination(word):
            return
        if self._in_fonts:
            self._describe_font(word, number)
        elif word == "u":
            self._add(chr((number or 0) % 0x10000))
            self._to_skip = self._group.fallback
        elif word in PARAGRAPH_ENDS:
            self._flush()
            if self._is_shown():
                self._flow.end_paragraph()
        elif word in CHARACTERS:
            self._add(CHARACTERS[word])
        else:
            self._set(word, number)

    def _destination(self, word: str) -> bool:
        """Whether the word opens a group that is not text where it stands."""
        if word == "fonttbl":
            self._in_fonts = len(self._outer)
            self._group = replace(self._group, is_skipped=True)
        elif word in SKIPPED or (self._is_optional and word not in _ENTERED):
            self._group = replace(self._group, is_skipped=True)
        elif word in (*_NOTES, _BOX):
            self._group = replace(self._group, aside=word, is_hidden=False)
            self._flow.begin_aside()
        else:
            return False
        return True

    def _set(self, word: str, number: int | None) -> None:
        """A property of the characters that follow, or of the whole document."""
        if word == "f":
            self._flush()
            page = self._fonts.get(number or 0, self._default)
            self._group = replace(self._group, code_page=page)
        elif word == "ansicpg":
            self._default = _code_page(number or 0)
            self._group = replace(self._group, code_page=self._default)
        elif word in ("mac", "pc", "pca"):
            self._default = {"mac": "mac_roman", "pc": "cp437", "pca": "cp850"}[word]
            self._group = replace(self._group, code_page=self._default)
        elif word == "uc":
            self._group = replace(self._group, fallback=min(64, max(0, number or 0)))
        elif word == "v":
            self._flush()
            self._group = replace(self._group, is_hidden=number != 0)
        elif word == "deleted":
            self._flush()
            self._group = replace(self._group, is_deleted=number != 0)
        elif word == "ftnalt":
            self._group = replace(self._group, is_endnote=True)
        elif word == "plain":
            self._flush()
            self._group = replace(self._group, is_hidden=False, code_page=self._default)

    def _describe_font(self, word: str, number: int | None) -> None:
        if word == "f":
            self._font = number or 0
        elif word == "fcharset" and (number or 0) in CODE_PAGES:
            self._fonts[self._font] = CODE_PAGES[number or 0]
        elif word == "cpg":
            self._fonts[self._font] = _code_page(number or 0)

    def _symbol(self, symbol: str) -> None:
        if symbol == "*":
            self._is_optional = self._is_first
            return
        self._is_first = False
        if self._to_skip:
            self._to_skip -= 1
        elif symbol in _ESCAPED:
            self._byte(ord(symbol))
        elif symbol in "\r\n":
            self._flush()
            if self._is_shown():
                self._flow.end_paragraph()
        elif symbol in _SYMBOLS:
            self._add(_SYMBOLS[symbol])

    def _plain(self, text: str) -> None:
        self._is_first = False
        if self._to_skip:
            skipped = min(self._to_skip, len(text))
            self._to_skip -= skipped
            text = text[skipped:]
        if self._is_shown():
            self._pending += text.encode("latin-1")

    def _byte(self, value: int) -> None:
        self._is_first = False
        if self._to_skip:
            self._to_skip -= 1
        elif self._is_shown():
            self._pending.append(value)

    def _add(self, text: str) -> None:
        self._flush()
        if self._is_shown():
            self._flow.add(text)

    def _flush(self) -> None:
        if self._pending:
            self._flow.add(bytes(self._pending).decode(self._group.code_page, "replace"))
            self._pending.clear()

    def _is_shown(self) -> bool:
        group = self._group
        return not (group.is_skipped or group.is_hidden or group.is_deleted)


def _code_page(number: int) -> str:
    name = {65001: "utf-8", 10000: "mac_roman", 10007: "mac_cyrillic"}.get(number, f"cp{number}")
    try:
        return name if "é".encode(name, "ignore") is not None else "cp1252"
    except LookupError:
        return "cp1252"


def _whole_characters(text: str) -> str:
    """Characters beyond 16 bits, which stand in two halves, put together."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
