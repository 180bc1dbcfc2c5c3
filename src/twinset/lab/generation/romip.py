"""Documents as a ROMIP collection, the input of the papers: XML with pages in base64.

A page is written in windows-1251 where that encoding has all its characters, else in UTF-8.
Text that is no HTML becomes a page with one ``<pre>``; `plain_text` takes it out again.
"""

from __future__ import annotations

import base64
import html
import re
from urllib.parse import quote

from twinset.lab.generation.family import Document
from twinset.reading.encoding import decode
from twinset.text.entities import unescaped

ROMIP_HEAD = (
    '<?xml version="1.0" encoding="utf-8"?>\n'
    '<romip:dataset xmlns:romip="http://www.romip.ru/data/common" collectionId="generated">\n'
)
ROMIP_TAIL = "</romip:dataset>\n"
_CHARSET = re.compile(
    r"(<meta\b[^<>]*?charset\s*=\s*[\"']?|<\?xml\b[^<>]*?encoding\s*=\s*[\"'])([\w.:-]+)",
    re.IGNORECASE,
)
_FRAME = '<html><head><meta charset="{}"></head><body><pre>\n{}</pre></body></html>'
_BEFORE, _BETWEEN, _BEHIND = _FRAME.split("{}")


def declared(page: str, charset: str) -> str:
    """The page with its declared encoding replaced; a page without one is left as it is."""
    return _CHARSET.sub(rf"\g<1>{charset}", page, count=1)


def romip_record(document: Document) -> str:
    """The ``<document>`` of a collection."""
    url = base64.b64encode(f"http://localhost/{quote(document.id)}".encode()).decode()
    content = base64.encodebytes(_page_bytes(document)).decode()
    id = html.escape(document.id, quote=False)
    return (
        f"<document>\n<docID>{id}</docID>\n<docURL>{url}</docURL>\n"
        f'<content encoding="base64">\n{content}</content>\n</document>\n'
    )


def plain_text(page: str) -> str:
    """The text of a page that was made of a plain text; any other page is left as it is."""
    inside = page.removeprefix(_BEFORE).removesuffix(_BEHIND)
    is_framed = len(inside) == len(page) - len(_BEFORE) - len(_BEHIND)
    _, between, text = inside.rpartition(_BETWEEN)
    return unescaped(text) if is_framed and between else page


def _page_bytes(document: Document) -> bytes:
    """In windows-1251 if the reader then finds the same characters again."""
    page = _page(document, "windows-1251")
    try:
        raw = page.encode("windows-1251")
    except UnicodeEncodeError:
        return _page(document, "utf-8").encode("utf-8")
    # A page that declares no encoding may be taken for one in another.
    return raw if decode(raw, html=True).text == page else _page(document, "utf-8").encode("utf-8")


def _page(document: Document, charset: str) -> str:
    if document.is_html:
        return declared(document.text, charset)
    return _FRAME.format(charset, html.escape(document.text, quote=False))
