"""Records of papers in two catalogues: short texts with authors, title, venue and some abstract.

True: one paper, its authors abbreviated or in another order, its venue spelt out or not, its
abstract cut short or missing. Hard ones: another paper of the same authors at the same venue, with
a title that continues the first ("Part II", "a reply to"), and papers with the same title.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

from judging.builder import Builder
from judging.labelled import Collection
from judging.made import facts
from judging.prose import articles, sentences

PAPERS = 300
VENUES = {
    "Proceedings of the International Conference on Data Engineering": "ICDE",
    "Journal of Applied Database Research": "J. Appl. Database Res.",
    "Transactions on Information Systems": "Trans. Inf. Syst.",
    "Proceedings of the Workshop on Query Processing": "WQP",
    "Software: Practice and Theory": "Softw. Pract. Theory",
}
SEQUELS = ("Part II", "a reply", "further results", "erratum", "a survey", "revisited")


@dataclass(frozen=True)
class Paper:
    """One paper as its authors would cite it."""

    title: str
    authors: tuple[str, ...]
    venue: str
    year: int
    abstract: str


def make(seed: int = 1) -> Collection:
    """Papers of two catalogues, with sequels by the same people."""
    why = "Records of one paper, however abbreviated; not its sequel, reply or namesake."
    builder = Builder("records", "records", why, seed=seed)
    rng = builder.rng
    texts = articles(120, PAPERS * 2, rng, 0)
    for number in range(PAPERS):
        paper = _paper(" ".join(texts[number]), rng)
        first = builder.add(f"{number}/a", _full(paper), number)
        numbers = [first]
        if rng.random() < 0.75:
            numbers.append(builder.add(f"{number}/b", _short(paper, rng), number))
        if rng.random() < 0.75:
            other = _sequel(paper, " ".join(texts[PAPERS + number]), rng)
            written = _full(other) if rng.random() < 0.5 else _short(other, rng)
            sequel = builder.add(f"{number}/sequel", written)
            for copy in numbers:
                builder.alike(copy, sequel)
    return builder.collection()


def _paper(text: str, rng: random.Random) -> Paper:
    parts = sentences(text)
    words = parts[0].rstrip(".").split()[: rng.randrange(6, 12)]
    return Paper(
        " ".join(words),
        tuple(facts.person(rng) for _ in range(rng.randrange(1, 5))),
        rng.choice(list(VENUES)),
        rng.randrange(1994, 2024),
        " ".join(parts[: rng.randrange(2, 6)]),
    )


def _sequel(paper: Paper, text: str, rng: random.Random) -> Paper:
    """Another paper that is easily taken for this one."""
    title = f"{paper.title}: {rng.choice(SEQUELS)}" if rng.random() < 0.7 else paper.title
    abstract = " ".join(sentences(text)[: rng.randrange(2, 5)])
    if rng.random() < 0.3:
        abstract = f"{sentences(paper.abstract)[0]} {abstract}"
    year = paper.year + rng.randrange(0, 3)
    authors = paper.authors if rng.random() < 0.7 else (facts.person(rng), *paper.authors[1:])
    return replace(paper, title=title, abstract=abstract, year=year, authors=authors)


def _full(paper: Paper) -> str:
    authors = " and ".join(paper.authors)
    return f"{paper.title}\n{authors}\n{paper.venue}, {paper.year}\n\n{paper.abstract}"


def _short(paper: Paper, rng: random.Random) -> str:
    """The record of the other catalogue: initials, the venue's short name, less of the abstract."""
    names = [name.split() for name in paper.authors]
    authors = "; ".join(f"{last}, {first[0]}." for first, last in names)
    if len(names) > 2 and rng.random() < 0.4:
        authors = f"{names[0][1]}, {names[0][0][0]}., et al."
    words = paper.title.split()
    if rng.random() < 0.4:
        place = rng.randrange(len(words))
        words[place] = words[place][:-1] if len(words[place]) > 4 else words[place].upper()
    abstract = "" if rng.random() < 0.4 else " ".join(sentences(paper.abstract)[:-1])
    venue = VENUES[paper.venue] if rng.random() < 0.7 else paper.venue
    return f"{authors} ({paper.year}). {' '.join(words)}. {venue}. {abstract}".strip()
