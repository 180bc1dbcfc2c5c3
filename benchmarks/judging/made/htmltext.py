"""The HTML of a page against its plain text: its source, its manual page, or a browser's dump.

True: one page in two formats. Hard ones: other pages of the same manual, whose options and phrases
are included from the same files, in either format (``DROP VIEW`` and ``DROP INDEX``).
"""

from __future__ import annotations

import html as entities
import re
import textwrap
from pathlib import PurePosixPath

from judging import roff
from judging.builder import Builder
from judging.labelled import Collection
from judging.material import files

GIT = 110
PYTHON = 50
TWICE = 0.6  # the share of SQL commands that have a dump
LEAST = 80  # words
LONGEST = 60_000  # characters


def make(seed: int = 1) -> Collection:
    """Pages of Git, of Python's library and of SQL commands, as HTML and as text."""
    why = "One page as HTML and as plain text; no other page of its manual, in whatever format."
    builder = Builder("htmltext", "html against text", why, seed=seed, html=True)
    html = _named("git-doc", r"git-doc/git[^/]*\.html$", ".html")
    texts = _named("git-doc", r"git-doc/git[^/]*\.txt$", ".txt")
    manuals = _named("git-man", r"/man\d/git[^/]*\.gz$", "")
    for name in _chosen(builder, html, texts, GIT):
        builder.add(f"git/{name}.html", html[name], f"git/{name}")
        if name in manuals and builder.rng.random() < 0.5:
            builder.add(f"git/{name}.man", roff.plain(manuals[name]), f"git/{name}")
        else:
            builder.add(f"git/{name}.txt", texts[name], f"git/{name}")
    html = _named("python3.11-doc", r"/html/library/[^/]*\.html(\.gz)?$", ".html")
    texts = _named("python3.11-doc", r"/_sources/library/[^/]*\.rst\.txt(\.gz)?$", ".rst.txt")
    for name in _chosen(builder, html, texts, PYTHON):
        builder.add(f"python/{name}.html", html[name], f"python/{name}")
        builder.add(f"python/{name}.rst", texts[name], f"python/{name}")
    html = _named("postgresql-doc-15", r"/html/sql-[a-z]*\.html$", ".html")
    for name in sorted(html):
        builder.add(f"sql/{name}.html", html[name], f"sql/{name}")
        if builder.rng.random() < TWICE:
            builder.add(f"sql/{name}.dump", dump(html[name]), f"sql/{name}")
    return builder.collection()


def _chosen(builder: Builder, html: dict[str, str], texts: dict[str, str], most: int) -> list[str]:
    pages = [
        name
        for name in sorted(html.keys() & texts.keys())
        if len(texts[name].split()) >= LEAST and len(html[name]) <= 4 * LONGEST
    ]
    return sorted(builder.rng.sample(pages, min(most, len(pages))))


def _named(package: str, pattern: str, ending: str) -> dict[str, str]:
    """The pages of a package by name; a manual page's name ends before its section."""
    pages = {}
    for path, text in files("bookworm", package, pattern):
        name = PurePosixPath(path.removesuffix(".gz")).name
        pages[name.removesuffix(ending) if ending else name.rsplit(".", 1)[0]] = text
    return pages


def dump(page: str) -> str:
    """The page as a browser in a terminal prints it: lines wrapped, links numbered and listed."""
    links: list[str] = []

    def link(match: re.Match[str]) -> str:
        links.append(match.group(1))
        return f"[{len(links)}]{match.group(2)}"

    body = re.sub(r"(?is)<head>.*?</head>|<script.*?</script>", "", page)
    body = re.sub(r'(?is)<a\b[^>]*href="([^"]*)"[^>]*>(.*?)</a>', link, body)
    body = re.sub(r"(?i)</?(p|div|h\d|dt|dd|li|pre|tr|table|ul|dl)\b[^>]*>", "\n\n", body)
    plain = entities.unescape(re.sub(r"<[^>]+>", " ", body))
    blocks = [" ".join(block.split()) for block in re.split(r"\n\s*\n", plain)]
    lines = [textwrap.fill(block, 72, initial_indent="   ") for block in blocks if block]
    listed = [f"  {number}. file:///doc/{target}" for number, target in enumerate(links, 1)]
    return "\n\n".join([*lines, "References", *listed])
