"""Running text for made collections: the paragraphs of manuals, page by page."""

from __future__ import annotations

import functools
import html
import random
import re

from judging.material import files

PARAGRAPH = re.compile(r"<p\b[^>]*>(.*?)(?=</p>|<p\b|<pre|<ul|<div|<table|<dl)", re.DOTALL | re.I)
MANUALS = (
    ("postgresql-doc-15", r"/html/[^/]+\.html$"),
    ("apache2-doc", r"/manual/en/.*\.html$|\.html\.en$"),
    ("exim4-doc-html", r"/ch-[^/]+\.html$|/ch\d+\.html$"),
    ("sqlite3-doc", r"/sqlite3/[^/]+\.html$"),
)
SHORTEST, LONGEST = 15, 220  # words of a paragraph


@functools.cache
def pages(manual: int) -> list[list[str]]:
    """The pages of a manual as lists of paragraphs; none stands twice."""
    package, pattern = MANUALS[manual]
    seen: set[str] = set()
    result = []
    for _, source in files("bookworm", package, pattern):
        paragraphs = []
        for block in PARAGRAPH.findall(source):
            text = " ".join(html.unescape(re.sub(r"<[^>]+>", "", block)).split())
            if SHORTEST <= len(text.split()) <= LONGEST and text not in seen:
                seen.add(text)
                paragraphs.append(text)
        if paragraphs:
            result.append(paragraphs)
    return result


def articles(words: int, count: int, rng: random.Random, manual: int = 0) -> list[list[str]]:
    """Articles of at least so many words, runs of paragraphs of one page that do not overlap."""
    runs = []
    for page in pages(manual):
        run: list[str] = []
        size = 0
        for paragraph in page:
            run.append(paragraph)
            size += len(paragraph.split())
            if size >= words:
                runs.append(run)
                run, size = [], 0
    if len(runs) < count:
        raise ValueError(f"{MANUALS[manual][0]} has {len(runs)} articles of {words} words")
    return rng.sample(runs, count)


def sentences(text: str) -> list[str]:
    """The sentences of a text, by their full stops."""
    return [part for part in re.split(r"(?<=[.!?])\s+(?=[A-Z\"'(])", text) if part]
