"""Web pages of a few made sites: one article on two sites, many articles in one site's template.

Every site has a layout, menus, a sidebar, a footer and notices of its own, which all its pages
share; every page has breadcrumbs, a date and links to other articles. Some pages come in wrappers:
a byte order mark, HTTP header lines, an XML declaration, lines of a crawler, or the bare body.
Pages that carry the same article are the true pairs; pages that share a template alone are not.
"""

from __future__ import annotations

import html
import random
from collections.abc import Sequence
from dataclasses import dataclass

LAYOUTS = ("modern", "divisions", "table")
WRAPPERS = ("none", "bom", "http", "xml", "crawler", "json", "comment", "fragment")
_SYLLABLES = "ka lo mi ren tas vor del sun pra go hin mar tel bas cor fen ild nor qua sti ber une"


@dataclass(frozen=True)
class WebPage:
    """A page as it was fetched, and the number of the article that it carries."""

    id: str
    html: str
    article: int
    site: int
    wrapper: str


def made_articles(count: int, seed: int = 1, sentences: tuple[int, int] = (6, 40)) -> list[str]:
    """Texts of made-up words with the frequencies of a language; paragraphs are lines."""
    draw, syllables = random.Random(f"articles {seed}"), _SYLLABLES.split()
    words = sorted(
        {"".join(draw.choices(syllables, k=draw.choice((1, 2, 2, 3)))) for _ in range(6000)}
    )
    draw.shuffle(words)
    weights = [1 / (rank + 3) for rank in range(len(words))]
    return [_article(draw, words, weights, draw.randint(*sentences)) for _ in range(count)]


def _article(draw: random.Random, words: list[str], weights: list[float], sentences: int) -> str:
    topic = draw.sample(words, 30)  # what an article is about comes again and again in it
    paragraphs, lines = [], []
    for _ in range(sentences):
        chosen = draw.choices(words, weights, k=draw.randint(6, 18))
        mixed = [draw.choice(topic) if draw.random() < 0.2 else word for word in chosen]
        lines.append(" ".join(mixed).capitalize() + ".")
        if draw.random() < 0.3:
            paragraphs.append(" ".join(lines))
            lines = []
    return "\n".join([*paragraphs, *([" ".join(lines)] if lines else [])])


def made_pages(
    articles: Sequence[str], seed: int = 1, sites: int = 6, reprinted: float = 0.5
) -> list[WebPage]:
    """The articles on the sites; a share of them stands on a second or third site as well."""
    draw = random.Random(f"pages {seed}")
    titles = [" ".join(article.split()[:6]).strip(".") for article in articles]
    templates = [Site(number, articles, titles, draw) for number in range(sites)]
    pages: list[WebPage] = []
    for number, article in enumerate(articles):
        copies = 1 + (draw.random() < reprinted) + (draw.random() < reprinted / 5)
        for site in draw.sample(range(sites), min(copies, sites)):
            wrapper = draw.choice(WRAPPERS) if draw.random() < 0.4 else "none"
            body = templates[site].page(titles[number], article, draw)
            id = f"site{site}/{number:04}"
            pages.append(WebPage(id, wrapped(body, wrapper, id), number, site, wrapper))
    draw.shuffle(pages)
    return pages


class Site:
    """A site of its own layout, with its menu, popular articles, footer and notice."""

    def __init__(
        self, number: int, articles: Sequence[str], titles: list[str], draw: random.Random
    ) -> None:
        self.number, self.titles = number, titles
        self.layout = LAYOUTS[number % len(LAYOUTS)]
        self.teasers = [article.split(". ")[0] for article in articles]
        self.name = draw.choice(titles).split()[0].capitalize() + " Daily"
        self.menu = [
            draw.choice(titles).split()[-1].capitalize() for _ in range(draw.randint(8, 40))
        ]
        self.popular = draw.sample(range(len(titles)), min(8, len(titles)))
        sentences = " ".join(draw.sample(list(articles), min(3, len(articles)))).split(". ")
        self.footer = ". ".join(draw.sample(sentences, min(draw.randint(2, 12), len(sentences))))
        self.notice = ". ".join(draw.sample(sentences, min(draw.randint(1, 4), len(sentences))))

    def page(self, title: str, article: str, draw: random.Random) -> str:
        title = html.escape(title)
        text = "\n".join(f"<p>{html.escape(line)}</p>" for line in article.splitlines())
        date = f"{draw.randint(1, 28)} May {draw.randint(2001, 2024)}"
        menu = _links(self.menu)
        popular = "".join(self._teaser(number) for number in self.popular)
        related = "".join(
            self._teaser(draw.randrange(len(self.titles))) for _ in range(draw.randint(2, 6))
        )
        script = f"<script>var page = {{n: {draw.random()}}}; if (1 < 2) track('<p>');</script>"
        crumbs = f'<a href="/">{self.name}</a> &gt; <a href="/{self.menu[0]}">{self.menu[0]}</a>'
        head = (
            f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title} - '
            f"{self.name}</title><style>p {{ margin: 0 }}</style>{script}</head>\n"
        )
        if self.layout == "modern":
            body = (
                f"<header><h2>{self.name}</h2><nav>{menu}</nav></header>\n<div class=notice>"
                f"{self.notice}</div><div class=breadcrumbs>{crumbs}</div>\n<main><article><h1>"
                f"{title}</h1><time>{date}</time>\n{text}</article></main>\n<aside><h3>Popular"
                f"</h3>{popular}<h3>Related</h3>{related}</aside><footer>{self.footer}</footer>"
            )
        elif self.layout == "divisions":
            body = (
                f'<div id="top"><div class="menu">{menu}</div></div><div id="wrap"><div id="left">'
                f"{popular}</div>\n<div class=c1><div class=c2>{crumbs}</div><h1>{title}</h1>"
                f'<div class="by">{date}</div>\n{text}\n<div class="more">{related}</div></div>'
                f'</div><div id="bottom"><p>{self.footer}</p><p>{self.notice}</p></div>'
            )
        else:
            lines = "<br><br>\n".join(html.escape(line) for line in article.splitlines())
            body = (
                f"<table width=100%><tr><td colspan=3><b>{self.name}</b> {crumbs}</td></tr>\n<tr>"
                f"<td valign=top>{menu}</td><td><font size=5>{title}</font><br>{date}<br>\n{lines}"
                f"</td>\n<td>{popular}{related}</td></tr><tr><td colspan=3><small>{self.footer}"
                f"</small><small>{self.notice}</small></td></tr></table>"
            )
        return f"{head}<body>\n{body}\n{script}\n</body></html>\n"

    def _teaser(self, number: int) -> str:
        link = f'<a href="/{number}">{html.escape(self.titles[number])}</a>'
        return f"<div class=teaser>{link}<p>{html.escape(self.teasers[number])}</p></div>\n"


def _links(names: Sequence[str]) -> str:
    return "<ul>" + "".join(f'<li><a href="/{name}">{name}</a></li>\n' for name in names) + "</ul>"


def wrapped(page: str, wrapper: str, id: str) -> str:
    """The page as tools store it: with something before it, or without its outer elements."""
    length = len(page.encode())
    before = {
        "bom": "\ufeff",
        "http": "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nServer: nginx\r\n"
        f"Content-Length: {length}\r\n\r\n",
        "xml": f'<?xml version="1.0"?>\n<document url="https://{id}">\n<content>\n',
        "crawler": f"URL: https://{id}\nFetched: 2024-05-31T12:00:00Z\nStatus: 200\n\n",
        "json": f'{{"url": "https://{id}", "status": 200, "length": {length}}}\n',
        "comment": f"<!-- saved from url=({length}) https://{id} -->\n",
    }
    if wrapper == "fragment":
        return page.split("<body>\n", 1)[1].rsplit("\n</body>", 1)[0]
    after = "\n</content>\n</document>\n" if wrapper == "xml" else ""
    return before.get(wrapper, "") + page + after
