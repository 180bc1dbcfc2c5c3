"""HTML opened for editing: text between tags may change, paragraphs are blocks.

A paragraph is a stretch of text and inline tags between two block tags (or two line breaks in a
row) that has words. An inline tag whose partner lies outside the stretch bounds it like a block
tag, so that a paragraph can go, come or change places and the tags stay balanced.
"""

from __future__ import annotations

import dataclasses
import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import Literal, NamedTuple

from twinset.lab.generation.sheet import Paragraph, Sheet, trimmed
from twinset.lab.generation.units import Span, has_words
from twinset.text.entities import unescaped

Kind = Literal["text", "inline", "bound", "other"]
# A tag ends at > outside quoted values; one that never ends takes the rest, as in a browser.
_TAG = re.compile(
    r"<(/?)([a-zA-Z][^\s/>]*)(?:[^>=]+|=\s*(?:\"[^\"]*(?:\"|\Z)|'[^']*(?:'|\Z))?)*(?:>|\Z)"
)
_OTHER = re.compile(r"<!--.*?(?:-->|\Z)|<[!?/][^>]*(?:>|\Z)", re.DOTALL)
_BREAKS = re.compile(r"(?:<br\b[^<>]*>\s*){2,}", re.IGNORECASE)
# Elements whose text is no part of what a reader of the page sees as running text.
_OPAQUE = frozenset(
    ("script", "style", "noscript", "template", "title", "textarea", "select", "button", "iframe",
     "object", "svg", "math", "audio", "video", "canvas", "xmp", "noembed", "noframes")
)  # fmt: skip
_BLOCK = frozenset(
    ("html", "head", "body", "p", "div", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "dl",
     "dt", "dd", "table", "thead", "tbody", "tfoot", "tr", "td", "th", "caption", "colgroup", "col",
     "section", "article", "aside", "header", "footer", "main", "nav", "pre", "form", "fieldset",
     "legend", "blockquote", "address", "figure", "figcaption", "details", "summary", "hr",
     "center", "menu", "dir", "hgroup", "meta", "link", "base", "frameset", "frame")
)  # fmt: skip
_VOID = frozenset(["area", "br", "embed", "img", "input", "source", "track", "wbr", "param"])
# Blocks that may go with their content and be followed by a new one of their kind.
_WHOLE = {"p": "p", "li": "li", "div": "div", "pre": "p", "blockquote": "p", "address": "p"}
_WHOLE |= {f"h{level}": "p" for level in range(1, 7)}


class _Token(NamedTuple):
    kind: Kind
    span: Span
    name: str = ""
    is_closing: bool = False


def html_sheet(source: str) -> Sheet:
    """An HTML page or fragment for editing."""
    tokens = list(_tokens(source))
    top, bottom = _body(source, tokens)
    tokens = [t if top <= t.span.start < bottom else _frozen(t) for t in tokens]
    paragraphs = tuple(_kept_apart(list(_paragraphs(source, tokens)), tokens))
    runs = tuple(
        token.span
        for token in tokens
        if token.kind == "text" and source[token.span.start : token.span.stop].strip()
    )
    return Sheet(source, True, runs, paragraphs, top, bottom, has_outer=True)


def _frozen(token: _Token) -> _Token:
    return token if token.kind == "bound" else _Token("bound", token.span)


def _tokens(source: str) -> Iterator[_Token]:
    at = 0
    while at < len(source):
        start = source.find("<", at)
        start = len(source) if start < 0 else start
        token = _markup(source, start) if start < len(source) else None
        if start > at:
            yield _Token("text", Span(at, start))
        if token is not None:
            yield token
            at = token.span.stop
        elif start < len(source):  # a bare <, which is text
            yield _Token("text", Span(start, start + 1))
            at = start + 1
        else:
            at = start


def _markup(source: str, start: int) -> _Token | None:
    if breaks := _BREAKS.match(source, start):
        return _Token("bound", Span(start, breaks.end()))
    tag = _TAG.match(source, start)
    if tag is None:
        other = _OTHER.match(source, start)
        return other and _Token("other", Span(start, other.end()))
    is_closing, name = bool(tag[1]), tag[2].lower()
    if name in _OPAQUE and not is_closing:
        return _Token("inline", Span(start, _end_of(source, tag.end(), name)), "")
    kind: Kind = "bound" if name in _BLOCK else "inline"
    return _Token(kind, Span(*tag.span()), name, is_closing)


def _end_of(source: str, at: int, name: str) -> int:
    """Where an element whose content is not looked at ends."""
    close = re.compile(rf"</{name}(?=[\s/>])[^>]*(?:>|\Z)", re.IGNORECASE).search(source, at)
    return close.end() if close else len(source)


def _body(source: str, tokens: list[_Token]) -> tuple[int, int]:
    """Where the content of the page begins and ends."""
    top, bottom = 0, len(source)
    for token in tokens:
        is_opened = token.name in ("html", "body") and not token.is_closing
        if is_opened or (token.name == "head" and token.is_closing):
            top = token.span.stop
        elif token.kind == "other" and top == token.span.start:
            top = token.span.stop  # a doctype or a comment before everything
        elif token.name in ("body", "html") and token.is_closing:
            bottom = min(bottom, token.span.start)
    return top, max(top, bottom)


def _paragraphs(source: str, tokens: list[_Token]) -> Iterator[Paragraph]:
    stretch: list[_Token] = []
    before: _Token | None = None
    for token in [*_unpaired_bound(tokens), None]:
        if token is not None and token.kind != "bound":
            stretch.append(token)
            continue
        if stretch and (paragraph := _paragraph(source, stretch, before, token)):
            yield paragraph
        stretch, before = [], token


def _kept_apart(paragraphs: list[Paragraph], tokens: list[_Token]) -> Iterator[Paragraph]:
    """The paragraphs; those among loose text lose their tags, which stay to separate that text."""
    walls = [token.span.start for token in tokens if token.kind == "bound" and token.name]
    chain: list[Paragraph] = []
    for paragraph in paragraphs:
        if chain:
            wall = bisect_left(walls, chain[-1].outer.stop)
            if wall < len(walls) and walls[wall] < paragraph.outer.start:
                yield from _without_tags(chain)
                chain = []
        chain.append(paragraph)
    yield from _without_tags(chain)


def _without_tags(chain: list[Paragraph]) -> list[Paragraph]:
    if all(paragraph.outer != paragraph.inner for paragraph in chain):
        return chain
    return [dataclasses.replace(paragraph, outer=paragraph.inner) for paragraph in chain]


def _unpaired_bound(tokens: list[_Token]) -> list[_Token]:
    """The tokens, inline tags without a partner in their stretch turned into bounds."""
    unpaired: set[int] = set()
    opened: list[int] = []
    for number, token in enumerate(tokens):
        if token.kind == "bound":
            unpaired.update(opened)
            opened = []
        elif token.kind == "inline" and token.name and token.name not in _VOID:
            if not token.is_closing:
                opened.append(number)
            elif opened and tokens[opened[-1]].name == token.name:
                opened.pop()
            else:
                unpaired.add(number)
    unpaired.update(opened)
    return [_Token("bound", t.span) if n in unpaired else t for n, t in enumerate(tokens)]


def _paragraph(
    source: str, stretch: list[_Token], before: _Token | None, after: _Token | None
) -> Paragraph | None:
    texts = [source[t.span.start : t.span.stop] for t in stretch if t.kind == "text"]
    plain = " ".join(unescaped("".join(texts)).split())
    if not has_words(plain):
        return None
    inner = trimmed(source, Span(stretch[0].span.start, stretch[-1].span.stop))
    if before and after and _wraps(before, after):
        outer = Span(before.span.start, after.span.stop)
        name = _WHOLE[before.name]
        return Paragraph(inner, outer, plain, outer.stop, f"\n<{name}>", f"</{name}>")
    return Paragraph(inner, inner, plain, inner.stop, "<br><br>", "")


def _wraps(before: _Token, after: _Token) -> bool:
    return (
        before.name in _WHOLE
        and not before.is_closing
        and after.is_closing
        and after.name == before.name
    )
