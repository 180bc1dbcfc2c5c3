"""Markdown, LaTeX and subtitles: the words without the signs around them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reading.helpers import read
from twinset.documents.base import plain_text


def lines(format: str, source: str) -> list[str]:
    return [
        " ".join(line.split()) for line in plain_text(format, source).split("\n") if line.strip()
    ]


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("# Heading #\n## Another", ["Heading", "Another"]),
        ("Heading\n=======\ntext\n----", ["Heading", "text"]),
        ("*a* **b** ***c*** __d__ _e_ ~~f~~", ["a b c d e f"]),
        ("in**side**word snake_case_name 2 * 3 * 4", ["insideword snake_case_name 2 * 3 * 4"]),
        ("[text](http://x.org/a_(b) 'title'), [ref][id]\n\n[id]: http://y.org", ["text, ref"]),
        ("![alt](x.png) [![badge](b.svg)](http://z)", []),
        ("<https://x.org> a<br>b <b>bold</b>ly", ["https://x.org a b boldly"]),
        ("> quoted\n> > twice", ["quoted", "twice"]),
        ("1. Pay.\n\n2. The roof\nis whole.", ["1. Pay.", "2. The roof", "is whole."]),
        ("- a\n* b\n+ c\n12. d\n3) e\n- [x] done", ["a", "b", "c", "d", "e", "done"]),
        ("| a | b |\n|---|:-:|\n| 1 | 2 |", ["a b", "1 2"]),
        ("```python\nx = *a*  # [kept](as is)\n```\nafter", ["x = *a* # [kept](as is)", "after"]),
        ("~~~\n```\n~~~\n`in *code*`", ["```", "in *code*"]),
        ("text\n\n    indented = *code*", ["text", "indented = *code*"]),
        ("say[^1]\n\n[^1]: The note\n    goes on\n\nend", ["say", "end", "The note", "goes on"]),
        (r"\*not emphasis\* &amp; AT&T &copy;", ["*not emphasis* & AT&T ©"]),
        ("a <!-- hidden\nlines --> b", ["a b"]),
        ("a <!-- never closed", ["a <!-- never closed"]),
    ],
)  # fmt: skip
def test_markdown(source: str, shown: list[str]) -> None:
    assert lines("markdown", source) == shown


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("plain % comment\nnext", ["plain next"]),
        (r"5\% of \$3 \& more\_or\#less \{x\}", ["5% of $3 & more_or#less {x}"]),
        (r"\textbf{bold} \emph{it} {\large big}", ["bold it big"]),
        (r"see \ref{fig:1}, \cite[p.~3]{knuth} \href{http://x}{the page}", ["see , the page"]),
        (r"\'e\`a\^{o}\"u\~n\c{c}\v{s}\'\i \ss \o{} \aa", ["éàôüñçšíßø å"]),
        (r"``double'' `single' a--b c---d", ["“double” ‘single’ a–b c—d"]),
        ("\\newcommand{\\x}[1]{text #1}\n\\def\\y{z}word", ["word"]),
        ("\\begin{tabular}{l|r}a & b \\\\[2pt] c & d\\end{tabular}", ["a b", "c d"]),
        ("\\begin{verbatim}\n\\raw{x} % y\n\\end{verbatim}", ["\\raw{x} % y"]),
        ("\\begin{tikzpicture}\\draw (0,0);\\end{tikzpicture}seen", ["seen"]),
        (r"text\footnote{The \emph{note}} ends", ["text ends", "The note"]),
        (r"$a^2 + b_1$ and \[x = y\]", ["a 2 + b 1 and x = y"]),
        (r"\includegraphics[width=3cm]{a.png}\caption{A mill}", ["A mill"]),
        (r"\verb|a_b|, \textcolor{red}{warned}", ["a_b, warned"]),
    ],
)  # fmt: skip
def test_latex(source: str, shown: list[str]) -> None:
    assert lines("latex", source) == shown


def test_only_the_body_of_a_latex_document_is_printed() -> None:
    source = (
        "\\documentclass{a}\n\\title{The {Title}}\\author{Ann}\n"
        "\\begin{document}%s body\\end{document} behind"
    )
    assert lines("latex", source % "") == ["body"]
    assert lines("latex", source % "\\maketitle") == ["The Title", "Ann", "body"]


SRT = """\ufeff1\r
00:00:01,000 --> 00:00:02,500\r
<i>Good</i> day,\r
1984 was long ago.\r
\r
2\r
00:00:03,000 --> 00:00:04,000\r
{\\an8}You &amp; me.\r
"""
VTT = """WEBVTT - a title

NOTE left out

STYLE
::cue {}

intro
00:01.000 --> 00:02.500 align:start
<v Ann>Good <c.loud>day</c>,
1984 was long ago.

00:03.000 --> 00:04.000
You &amp; me.
"""


@pytest.mark.parametrize(("name", "source"), [("a.srt", SRT), ("a.vtt", VTT)])
def test_subtitles_say_the_same_in_every_format(tmp_path: Path, name: str, source: str) -> None:
    (tmp_path / name).write_text(source, encoding="utf-8", newline="")
    found = read(tmp_path)
    assert found.faults == []
    assert (found.texts[0] or "").split("\n") == [
        "Good day,",
        "1984 was long ago.",
        "You & me.",
        "",
    ]


def test_code_is_text_whatever_it_holds(tmp_path: Path) -> None:
    code = "def page():\n    return '<html><body><p>x</p></body></html>'  # *not* emphasis\n"
    (tmp_path / "a.py").write_text(code)
    (tmp_path / "b.sql").write_text('{"a": 1}\n{"a": 2}\n')
    assert read(tmp_path).texts == [code, '{"a": 1}\n{"a": 2}\n']


def test_text_and_tables_that_are_called_documents_of_old_programs(tmp_path: Path) -> None:
    (tmp_path / "a.doc").write_text("A note.")
    (tmp_path / "b.xls").write_text(
        "<html><body><table><tr><td>cell</td></tr></table></body></html>"
    )
    (tmp_path / "c.xls").write_text("name\tprice\nbread\t3\n", encoding="utf-16")
    found = read(tmp_path)
    assert found.faults == []
    assert [(text or "").split() for text in found.texts] == [
        ["A", "note."],
        ["cell"],
        ["name", "price", "bread", "3"],
    ]
