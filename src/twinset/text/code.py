"""Programs as words: what a copy keeps that is renamed, set otherwise and put in another order.

As in MOSS and JPlag, programs are compared by tokens [Schleimer, Wilkerson, Aiken: Winnowing
(2003); Prechelt, Malpohl, Philippsen: Finding plagiarisms among a set of programs with JPlag
(2002)]. Comments and blanks are left out, and so are braces, commas and semicolons, which
formatters add and take away. Each other token is a word of four letters or more that is no stop
word, so that no method drops it.

One pass of one expression reads any language whose comments are like those of C or of Python, in
linear time on any input and at 7 MB/s. Lexers for each language (Pygments) take ten times as long,
and that for Java, on words without punctuation, the square of the length. What a text is written in
is told by the text alone, as all that is compared is: a document has the same features in a folder,
in a table and as a question to an index.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Literal

from twinset.plan.spec import option
from twinset.text.arrow import Texts, arrow_text

Dialect = Literal["c", "python"]
FEWEST_MARKS = 0.1
"""Least share of marks as ( = ; among the tokens of a program. Licences and other prose have up to
0.05 of them. 19 in 20 files of npm and of our kernels have 0.27 or more; in Python's library half
have 0.25 or more, and those below 0.1, one in nine, are mostly tables."""
MARKS = frozenset("()[]{}=;<>")
DROPPED = frozenset(",;{}")
# Words that are names in few languages, and keywords or types in most.
WORDS = """
and as assert async await auto bool boolean break byte case catch char class const continue def
default defer del delete do double elif else elseif elsif enum except extends extern false finally
float fn for foreach func function global go goto if impl implements import in include instanceof
int interface is lambda let long loop match mut namespace new nil none not null nullptr operator
or our override package pass private protected pub public raise require return select self short
signed sizeof static struct sub super switch template this throw throws trait true try typedef
typename typeof union unless unsigned until using var virtual void volatile when where while with
yield
"""
KEYWORDS = frozenset(WORDS.split())
_STRING = r"""(?P<string>"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?|`(?:[^`\\]|\\.)*`?)"""
_REST = r"(?P<number>\d(?:\w|\.\d)*)|(?P<name>[^\W\d]\w*)|(?P<sign>[^\w\s])"
# No alternative fails after a long way: where an end is missing, the text goes on to the last line.
TOKENS: dict[Dialect, re.Pattern[str]] = {
    "c": re.compile(
        rf"(?P<comment>//.*|^[ \t]*\#.*|/\*(?s:.*?)(?:\*/|\Z))|{_STRING}|{_REST}", re.MULTILINE
    ),
    "python": re.compile(
        r'(?P<comment>\#.*|^[ \t]*(?:"""(?s:.*?)(?:"""|\Z)|' + r"'''(?s:.*?)(?:'''|\Z)))|"
        r'(?P<long>"""(?s:.*?)(?:"""|\Z)|' + rf"'''(?s:.*?)(?:'''|\Z))|{_STRING}|{_REST}",
        re.MULTILINE,
    ),
}
_ENDS = re.compile(r"[;{}:](?=[ \t]*(?:$|//|\#))", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Code:
    """Programs are compared by tokens, without comments and, folded, without names and literals."""

    guesses: ClassVar[bool] = False
    names: Literal["fold", "keep"] = option(
        "fold",
        "Names, strings and numbers as one word for each kind (fold), or as they are written.",
    )
    language: Literal["auto", "c", "python"] = option(
        "auto",
        "Language with the same comments and strings: c (as Java, JavaScript, Go, Rust) or python; "
        "auto: by each text.",
    )

    @property
    def code(self) -> Code:
        """What writes whole texts anew, and not word by word."""
        return self

    def require(self) -> None:
        """Nothing is needed."""

    def versions(self) -> dict[str, str]:
        """No package decides."""
        return {}

    def form(self, word: str, latin: int) -> str:
        """A token stays as it is."""
        return word

    def written(self, texts: Texts) -> list[str]:
        """The tokens of each text as words; a text that is no program stays as it is."""
        data, offsets = arrow_text(texts)
        rows = (data[begin:end].tobytes() for begin, end in pairwise(offsets.tolist()))
        return [self._written(row.decode("utf-8", "replace")) for row in rows]

    def _written(self, text: str) -> str:
        dialect = dialect_of(text) if self.language == "auto" else self.language
        found = [(each.lastgroup or "", each.group()) for each in TOKENS[dialect].finditer(text)]
        marks = sum(spelt in MARKS for _, spelt in found)
        if self.language == "auto" and marks <= FEWEST_MARKS * len(found):
            return text
        return " ".join(_words(found, self.names == "keep"))


def dialect_of(text: str) -> Dialect:
    """Python's, unless more lines end with a brace or a semicolon than with a colon."""
    ends = _ENDS.findall(text)
    return "python" if 2 * ends.count(":") >= len(ends) else "c"


def _words(tokens: list[tuple[str, str]], keep: bool) -> Iterator[str]:
    """A word for each token that counts."""
    for kind, spelt in tokens:
        if kind == "sign":
            if spelt not in DROPPED:
                yield f"sign{ord(spelt):x}"
        elif kind == "name" and spelt.lower() in KEYWORDS:
            yield "key" + spelt
        elif kind != "comment":
            yield spelt if keep else "string" if kind == "long" else kind
