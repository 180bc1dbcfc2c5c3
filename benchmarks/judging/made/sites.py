"""Pages of web sites, real and made ones: an article on several sites, many articles on one.

True: pages that carry the same article, whole, shortened or with its paragraphs joined, whatever
site is around it. Hard ones: other pages of the same site, whose menus, notices, teasers and
footers are longer than many an article. Sites have from a few pages to a hundred.
"""

from __future__ import annotations

import random

from judging.builder import Builder
from judging.labelled import Collection
from judging.material import files
from judging.prose import articles
from judging.websites import WRAPPERS, Site, wrapped

# Documentation sites and the element of their pages that holds the article.
REAL_SITES = {
    "apache2-doc": (r"/manual/.*\.html\.en$|/manual/en/.*\.html$", "#page-content"),
    "exim4-doc-html": (r"/ch[^/]*\.html$", "#content"),
    "git-doc": (r"git-doc/[^/]*\.html$", "#content"),
    "python3.11-doc": (r"/html/library/[^/]*\.html(\.gz)?$", "[role=main]"),
}
PAGES = 40  # of a real site
SMALLEST, LONGEST = 600, 60_000  # characters of an article
MADE_SITES, MADE_ARTICLES = 16, 220


def make() -> Collection:
    """Pages of four documentation sites and sixteen made ones, with reprints among them."""
    why = "Pages with one article in whatever surroundings; not two articles on one site."
    builder = Builder("websites", "web pages", why, seed=1, html=True)
    _add_real(builder)
    _add_made(builder)
    return builder.collection()


def _add_real(builder: Builder) -> None:
    from resiliparse.parse.html import HTMLTree

    rng, pages = builder.rng, []
    for site, (pattern, selector) in REAL_SITES.items():
        candidates = [(p, t) for p, t in files("bookworm", site, pattern) if len(t) <= 4 * LONGEST]
        rng.shuffle(candidates)
        chosen = 0
        for path, page in candidates:
            body = HTMLTree.parse(page).body
            element = body.query_selector(selector) if body is not None else None
            if element is None or not SMALLEST <= len(element.text) <= LONGEST:
                continue
            name = path.split(site, 1)[-1].strip("/")
            pages.append((site, f"{site}/{name}", page, element.html))
            chosen += 1
            if chosen == PAGES:
                break
    for site, name, page, article in pages:
        builder.add(name, page, name)
        if rng.random() < 0.5:
            other = rng.choice([other for other in pages if other[0] != site])
            tree = HTMLTree.parse(other[2])
            tree.body.query_selector(REAL_SITES[other[0]][1]).html = article
            builder.add(f"{other[0]}/reprints/{name}", tree.document.html, name)


def _add_made(builder: Builder) -> None:
    rng = builder.rng
    texts = ["\n".join(article) for article in articles(120, MADE_ARTICLES, rng, 0)]
    titles = [" ".join(text.split()[:6]).strip(".") for text in texts]
    sites = [Site(number, texts, titles, rng) for number in range(MADE_SITES)]
    weights = [1 / (number + 1) for number in range(MADE_SITES)]
    for number, text in enumerate(texts):
        chosen = dict.fromkeys(rng.choices(range(MADE_SITES), weights, k=rng.choice(COPIES)))
        for site in chosen:
            name = f"site{site:02}/{number:03}"
            printed = text if rng.random() < 0.4 else _edited(text, rng)
            wrapper = rng.choice(WRAPPERS) if rng.random() < 0.3 else "none"
            page = sites[site].page(titles[number], printed, rng)
            builder.add(name, wrapped(page, wrapper, name), f"made/{number}")


COPIES = (1, 1, 1, 2, 2, 3, 6)


def _edited(text: str, rng: random.Random) -> str:
    """The article as another site prints it: cut at the end, without sentences, in other blocks."""
    paragraphs = text.split("\n")
    if rng.random() < 0.4 and len(paragraphs) > 2:
        paragraphs = paragraphs[: rng.randint(len(paragraphs) // 2 + 1, len(paragraphs))]
    if rng.random() < 0.4:
        paragraphs = [
            part.split(". ", 1)[-1] if rng.random() < 0.2 else part for part in paragraphs
        ]
    if rng.random() < 0.3:
        paragraphs = [
            " ".join(paragraphs[place : place + 2]) for place in range(0, len(paragraphs), 2)
        ]
    return "\n".join(paragraphs)
