"""Text of LaTeX sources: what would be printed, without commands, comments and the preamble."""

from __future__ import annotations

import re
from itertools import islice

from twinset.documents.flow import Flow
from twinset.text.characters import composed

_BODY = re.compile(r"\\begin\s*\{document\}(.*?)(?:\\end\s*\{document\}|\Z)", re.DOTALL)
_TITLE = re.compile(r"\\(?:title|author|date)\s*\{((?:[^{}]|\{[^{}]{0,500}\}){0,5000})\}")
_TOKEN = re.compile(
    r"(?<!\\)%[^\n]*(?:\n[ \t]*)?"
    # As it stands, drawn, or left out: nothing in it is a command.
    r"|\\begin\s*\{(verbatim\*?|lstlisting|minted|Verbatim)\}(.*?)(?:\\end\{\1\}|\Z)"
    r"|\\begin\s*\{(tikzpicture|comment|filecontents\*?)\}.*?(?:\\end\{\3\}|\Z)"
    r"|\\verb\*?([^a-zA-Z*\s])(.{0,500}?)\4"
    r"|\\(begin|end)\s*\{([^{}\n]{0,60})\}"
    r"|\\([a-zA-Z@]{1,40})\*?[ \t]*(?:\n(?!\s*\n)[ \t]*)?"
    r"|\\([^a-zA-Z])"
    r"|([{}\[\]$&~^_])"
    r"|(-{2,3}|``|''|[^\\{}\[\]$&~^_%\-`']+|[-`'])"
    r"|.",
    re.DOTALL,
)
# Commands of which so many arguments say something to the program and not to the reader.
_ONE_SILENT = """
    label ref eqref pageref autoref cref Cref nameref cite citep citet citeauthor citeyear
    nocite autocite parencite textcite footcite bibliography bibliographystyle addbibresource
    input include includegraphics graphicspath usepackage documentclass RequirePackage pagestyle
    thispagestyle pagenumbering newcounter hspace vspace hypersetup theoremstyle color textcolor
    colorbox usetikzlibrary lstset selectlanguage hyphenation index glossary bibitem cline
    cmidrule phantom hphantom vphantom geometry linespread href hyperref foreignlanguage
"""
_TWO_SILENT = """
    newcommand renewcommand providecommand def setcounter addtocounter setlength addtolength
    rule fontsize newtheorem multicolumn
"""
_SILENT = {
    **dict.fromkeys(_ONE_SILENT.split(), 1),
    **dict.fromkeys(_TWO_SILENT.split(), 2),
    **dict.fromkeys(("newenvironment", "renewenvironment", "definecolor"), 3),
}
# The same of environments, and those that hold no text.
_LAID_OUT = {
    "tabular*": 2,
    "tabularx": 2,
    **dict.fromkeys(("tabular", "longtable", "array", "minipage", "multicols"), 1),
    "thebibliography": 1,
}
_LETTERS = {
    "ss": "ß", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "o": "ø", "O": "Ø", "aa": "å", "AA": "Å",
    "l": "ł", "L": "Ł", "i": "i", "j": "j", "S": "§", "P": "¶", "dots": "…", "ldots": "…",
    "textellipsis": "…", "textendash": "–", "textemdash": "—", "LaTeX": "LaTeX", "TeX": "TeX",
    "guillemotleft": "«", "guillemotright": "»", "textquoteright": "’", "textbackslash": "\\",
    "textasciitilde": "~", "copyright": "©", "pounds": "£", "euro": "€", "texteuro": "€",
}  # fmt: skip
_ACCENTS = {
    "`": "\u0300", "'": "\u0301", "^": "\u0302", "~": "\u0303", "=": "\u0304", "u": "\u0306",
    ".": "\u0307", '"': "\u0308", "r": "\u030a", "H": "\u030b", "v": "\u030c", "d": "\u0323",
    "c": "\u0327", "k": "\u0328", "b": "\u0331",
}  # fmt: skip
_SHOWN = {"--": "–", "---": "—", "``": "“", "''": "”", "`": "‘", "'": "’"}
_SYMBOLS = {"\\": "\n", "-": "\u00ad", "/": "", ",": "\u2009", " ": " ", "\n": " "}
_BLOCKS = ("par", "item", "newline", "linebreak", "newpage", "clearpage", "hline", "maketitle")
_ARGUMENT = re.compile(r"\s*(?:\{([^{}]?[^{}]?)\}|\\([ij])(?![a-zA-Z])\s?|([^\s\\{}]))")
_OPTIONS = re.compile(r"(?:\*?\[[^\[\]]{0,300}\])+")
_NAME = re.compile(r"\\[a-zA-Z@]{1,40}(?:#[0-9])*")
_NOTES = ("footnote", "footnotetext", "thanks")
_HEADINGS = ("section", "chapter", "part", "paragraph", "caption")
_MARKS = {"&": "\t", "~": "\u00a0", "[": "[", "]": "]", "^": " ", "_": " "}
_NOTE, _PLAIN = -1, 0
_PARAGRAPHS = re.compile(r"\n\s*\n+")


def latex_text(source: str) -> str:
    """The words of a LaTeX source in the order of the page, footnotes at the end."""
    source = source.replace("\r\n", "\n")
    body = _BODY.search(source)
    if body is None:
        return _Source(source).text()
    titles = [title[1] for title in islice(_TITLE.finditer(source, 0, body.start()), 8)]
    shown = "\n\n".join(titles) + "\n\n" if "\\maketitle" in body.group(1) else ""
    return _Source(shown + body.group(1)).text()


class _Source:
    """One pass over the tokens; ``_groups`` says of every open brace what it opened:
    a note, plain text, or an argument that is no text, with the number of such arguments left."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._flow = Flow()
        self._groups: list[int] = []
        self._silent = 0

    def text(self) -> str:
        """The words."""
        at, source = 0, self._source
        while at < len(source):
            token = _TOKEN.match(source, at)
            assert token is not None  # the last choice takes any character
            at = token.end()
            _, listing, drawn, _, verb, edge, name, command, symbol, mark, words = token.groups()
            if words is not None:
                self._add(_SHOWN.get(words, words))
            elif edge or drawn or listing is not None:
                self._add(f"\n{listing}\n" if listing else "\n")
                if edge == "begin":
                    at = self._skip_arguments(_LAID_OUT.get(name, 0), at)
            elif verb is not None:
                self._add(verb)
            elif command:
                at = self._command(command, at)
            elif symbol:
                at = self._symbol(symbol, at)
            elif mark:
                at = self._mark(mark, at)
        return _PARAGRAPHS.sub("\n", composed(self._flow.text()))

    def _add(self, text: str) -> None:
        if not self._silent:
            self._flow.add(text)

    def _command(self, name: str, at: int) -> int:
        if name in _NOTES and self._source.startswith("{", at):
            self._groups.append(_NOTE)
            self._flow.begin_aside()
            return at + 1
        if name in _ACCENTS and self._source.startswith("{", at):
            return self._accent(name, at)
        if name in _LETTERS:
            self._add(_LETTERS[name])
            return at
        if name in _BLOCKS or name.endswith(_HEADINGS):
            self._add("\n")
        return self._skip_arguments(_SILENT.get(name, 0), at)

    def _skip_arguments(self, count: int, at: int) -> int:
        """Go behind options and, unless the count is 0, into an argument that is no text."""
        if options := _OPTIONS.match(self._source, at):
            at = options.end()
        if count and self._source.startswith("{", at):
            self._groups.append(count)
            self._silent += 1
            at += 1
        elif count and (name := _NAME.match(self._source, at)):  # \newcommand\name, \def\name
            at = self._skip_arguments(count - 1, name.end())
        return at

    def _symbol(self, symbol: str, at: int) -> int:
        if symbol in _ACCENTS:
            return self._accent(symbol, at)
        self._add(_SYMBOLS.get(symbol, symbol if symbol in "%&$#_{}" else " "))
        return self._skip_arguments(0, at) if symbol == "\\" else at

    def _accent(self, accent: str, at: int) -> int:
        letter = _ARGUMENT.match(self._source, at)
        if letter is None:
            return at
        bare = letter.group(1) or letter.group(2) or letter.group(3) or ""
        self._add(bare[:1] + _ACCENTS[accent] + bare[1:] if bare else "")
        return letter.end()

    def _mark(self, mark: str, at: int) -> int:
        if mark == "{":
            self._groups.append(_PLAIN)
        elif mark == "}":
            group = self._groups.pop() if self._groups else _PLAIN
            if group == _NOTE:
                self._flow.end_aside("footnote", is_unread=self._silent > 0)
            elif group > 0:
                self._silent -= 1
                return self._skip_arguments(group - 1, at)
        else:
            self._add(_MARKS.get(mark, ""))
        return at
