"""Text of Markdown files: what a page made of it shows.

A note and the DOCX or HTML that was exported from it have the same words: marks of emphasis,
headings, tables and lists, targets of links and pictures are no words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby, repeat

from twinset.text.characters import unescaped

# In none of these the same blanks or signs can be divided between two neighbours in several ways:
# a line of thousands of them would be tried in all of these ways.
_FENCE = re.compile(r"[ \t]{0,3}(`{3,}|~{3,}(?!~))[^`\n]*$")
_HEADING = re.compile(r"^[ ]{0,3}#{1,6}[ \t]+(.*)$")
_QUOTE = re.compile(r"^[ \t]*(?:>[ \t]?)+")
_ITEM = re.compile(r"^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
_NUMBERED = re.compile(r"^[ \t>]*\d{1,9}[.)][ \t]")
_NOTE = re.compile(r"^[ ]{0,3}\[\^[^\]\n]{1,80}\]:[ \t]*(.*)$")
# Underlines of headings, rules between paragraphs and below the head of a table, targets of links.
_SILENT = (
    re.compile(r"^[ ]{0,3}(?:=+|[-*_](?:[ \t]*[-*_])+)[ \t]*$"),
    re.compile(r"^[ \t]*(?:\|[ \t]*)?:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*(?:\|[ \t]*)?$"),
    re.compile(r"^[ ]{0,3}\[[^\]\n]{1,200}\]:[ \t]*\S.*$"),
)
_INDENTED = re.compile(r"^(?: {4}|\t)")
_TARGET = r"\((?:[^()\n]|\([^()\n]{0,500}\)){0,2000}\)|\[[^\[\]\n]{0,200}\]"
_IMAGE = re.compile(rf"!\[[^\[\]\n]{{0,1000}}\](?:{_TARGET})")
_LINK = re.compile(rf"\[([^\[\]\n]{{0,1000}})\](?:{_TARGET})")
_REFERENCE = re.compile(r"\[\^[^\]\n]{1,80}\]")
_AUTOLINK = re.compile(r"<((?:https?|ftp|mailto):[^<>\s]{1,2000})>")
_WITHIN_WORDS = re.compile(
    r"</?(?:a|abbr|b|big|code|del|em|font|i|img|ins|kbd|mark|q|s|small|span|strong|sub|sup|tt|u)"
    r"(?:[ \t][^<>\n]{0,1000})?/?>",
    re.IGNORECASE,
)
_TAG = re.compile(r"</?[a-zA-Z][^<>\n]{0,1000}>")
_CODE = re.compile(r"(`{1,3})([^`\n]{1,1000})\1(?!`)")
_STRONG = re.compile(r"(\*{1,3}|~~|==)(?=\S)([^*~=\n]{1,1000}?)(?<=\S)\1")
_UNDERLINED = re.compile(r"(?<![^\W_])_{1,3}(?=[^\s_])|(?<=[^\s_])_{1,3}(?![^\W_])")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_SAFE = 0xF0000  # characters of nobody's use, for those that are escaped
_PIPE = re.compile(r"(?<!\\)\|")


def markdown_text(source: str) -> str:
    """The words that a page of this Markdown shows, footnotes at the end."""
    lines: list[str] = []
    notes: list[str] = []
    for kind, line in _blocks(source):
        shown = line if kind == "code" else _inline(line)
        (notes if kind == "note" else lines).append(shown)
    return "\n".join([*lines, *notes])


def _blocks(source: str) -> Iterator[tuple[str, str]]:
    """The lines with what they are: code, the text of a note, or text; rules are left out."""
    fence = ""
    was_blank, in_note = True, False
    lines = _without_comments(source).splitlines()
    for line, is_listed in zip(lines, _listed(lines), strict=True):
        edge = _FENCE.match(line)
        if fence:
            if edge and edge.group(1).startswith(fence) and not line.strip(" \t`~"):
                fence = ""
            else:
                yield "code", line
            continue
        if edge:
            fence = edge.group(1)
            continue
        is_indented = _INDENTED.match(line) is not None
        if is_indented and was_blank and not in_note and not _ITEM.match(line):
            yield "code", line
            continue
        was_blank = not line.strip()
        if note := _NOTE.match(line):
            in_note = True
            yield "note", note.group(1)
            continue
        in_note = in_note and (was_blank or is_indented)
        if any(silent.match(line) for silent in _SILENT):
            continue
        heading = _HEADING.match(line)
        yield (
            ("note" if in_note else "text"),
            _unclosed(heading.group(1)) if heading else _unmarked(line, is_listed),
        )


def _without_comments(source: str) -> str:
    """A comment that is not closed is none."""
    parts, at = [], 0
    while (begin := source.find("<!--", at)) >= 0 and (end := source.find("-->", begin + 4)) >= 0:
        parts.append(source[at:begin])
        at = end + 3
    return "".join([*parts, source[at:]])


def _listed(lines: list[str]) -> Iterator[bool]:
    """Of every line, whether two numbers or more mark items in its block, as in a list.

    The number of a paragraph that stands alone was typed by its author: "2. The rent is due ..."
    """
    for is_blank, block in groupby(lines, key=lambda line: not line.strip()):
        among = list(block)
        numbered = 0 if is_blank else sum(_NUMBERED.match(line) is not None for line in among)
        yield from repeat(numbered > 1, len(among))


def _unclosed(heading: str) -> str:
    """The words of a heading without the signs behind them, which a blank separates."""
    shown = heading.rstrip(" \t")
    words = shown.rstrip("#")
    return words.rstrip(" \t") if words.endswith((" ", "\t")) else shown


def _unmarked(line: str, is_listed: bool) -> str:
    shown = _QUOTE.sub("", line, count=1)
    return shown if not is_listed and _NUMBERED.match(shown) else _ITEM.sub("", shown, count=1)


def _inline(line: str) -> str:
    if line.isalnum():
        return line
    shown = _ESCAPE.sub(lambda escaped: chr(_SAFE + ord(escaped.group(1))), line)
    shown = _CODE.sub(lambda code: code.group(2).translate(_HIDE), shown)
    shown = _AUTOLINK.sub(r"\1", shown)
    shown = _IMAGE.sub("", shown)
    shown = _REFERENCE.sub("", _LINK.sub(r"\1", _LINK.sub(r"\1", shown)))
    shown = _TAG.sub(" ", _WITHIN_WORDS.sub("", shown))
    shown = _UNDERLINED.sub("", _STRONG.sub(r"\2", _STRONG.sub(r"\2", shown)))
    shown = unescaped(_PIPE.sub("\t", shown))
    return shown.translate(_SHOW)


_PUNCTUATION = [*range(0x21, 0x30), *range(0x3A, 0x41), *range(0x5B, 0x61), *range(0x7B, 0x7F)]
_HIDE = {code: chr(_SAFE + code) for code in _PUNCTUATION}
_SHOW = {_SAFE + code: chr(code) for code in _PUNCTUATION}
