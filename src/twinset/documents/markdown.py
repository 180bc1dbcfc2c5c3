"""Text of Markdown files: what a page made of it shows.

A note and the DOCX or HTML that was exported from it have the same words: marks of emphasis,
headings, tables and lists, targets of links and pictures are no words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

from twinset.text.clean import strip_tags

# Footnotes and boxes to tick, which CommonMark does not know.
_NOTE = re.compile(r"^ {0,3}\[\^[^\]\n]{1,80}\]:(.*\n?(?:(?: {4}|\t).*\n?)*)", re.MULTILINE)
_REFERENCE = re.compile(r"\[\^[^\]\n]{1,80}\]")
_TICKED = re.compile(r"\[[ xX]\][ \t]+")


def markdown_text(source: str) -> str:
    """The words that a page of this Markdown shows, footnotes at the end."""
    notes = [note.group(1).strip() for note in _NOTE.finditer(source)]
    parts = [_REFERENCE.sub("", part) for part in (_NOTE.sub("\n", source), *notes)]
    return "".join(shown for part in parts for shown in _shown(_parser().parse(part)))


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark").enable(["table", "strikethrough"])


def _shown(tokens: list[Token]) -> Iterator[str]:
    number = ""
    for token in tokens:
        if token.type == "list_item_open":
            number = f"{token.info}{token.markup} " if token.info else ""
        elif token.type == "paragraph_open":
            # The number of a paragraph that stands alone was typed by its author.
            yield "" if token.hidden else number
            number = ""
        elif token.type == "inline":
            words = "".join(_inline(token.children or ()))
            yield words[ticked.end() :] if (ticked := _TICKED.match(words)) else words
        elif token.type == "html_block":
            yield f"{strip_tags(token.content)}\n"
        elif token.content:  # code
            yield token.content
        elif token.nesting < 0:
            yield "\t" if token.type in ("td_close", "th_close") else "\n"


def _inline(tokens: Iterable[Token]) -> Iterator[str]:
    for token in tokens:
        if token.type == "html_inline":
            yield " " if token.content.startswith("<br") else ""
        elif token.type in ("softbreak", "hardbreak"):
            yield "\n"
        elif token.type != "image":
            yield token.content
