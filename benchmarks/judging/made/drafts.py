"""Drafts of a standards body: revisions of one draft are copies, other drafts are not.

All have the body's statements, and the drafts of one working group the same terminology and
security sections. Hard ones: drafts of one group; and a draft that quotes a section of another.
"""

from __future__ import annotations

import random

from judging.builder import Builder
from judging.labelled import Collection
from judging.made import facts
from judging.prose import articles

DRAFTS = 180
GROUPS = 12
STATUS = (
    "This document is a working draft of the assembly and is valid for at most six months. It "
    "may be updated, replaced or withdrawn by other documents at any time. It is inappropriate "
    "to use a working draft as reference material or to cite it other than as work in progress. "
    "The list of current drafts is kept by the secretariat. Distribution of this memo is "
    "unlimited."
)
RIGHTS = (
    "The persons identified as the authors keep their rights. The assembly has a non-exclusive "
    "licence to publish this document and to make derived works of it within its process. Code "
    "that is taken from this document must carry the notice of its source. This document is "
    "provided as it is, without warranty of any kind, express or implied."
)
WORDS = (
    "The key words must, must not, required, shall, shall not, should, should not, recommended, "
    "may and optional in this document are to be interpreted as described in the assembly's "
    "guide when, and only when, they appear in all capitals, as shown here."
)


def make(seed: int = 1) -> Collection:
    """Drafts of twelve working groups, with up to three revisions each."""
    why = "Revisions of one draft; not drafts of one group, nor one that quotes another's section."
    builder = Builder("drafts", "drafts", why, seed=seed)
    rng = builder.rng
    shared = [articles(160, 2, rng, 1) for _ in range(GROUPS)]
    bodies = articles(180, DRAFTS * 4, rng, 0)
    previous: list[tuple[int, list[str]]] = []
    for number in range(DRAFTS):
        group = rng.randrange(GROUPS)
        sections = [
            " ".join(part) for part in bodies[number * 4 : number * 4 + rng.randrange(2, 5)]
        ]
        quoted = None
        if previous and rng.random() < 0.5:
            quoted, others = rng.choice(previous)
            sections.insert(rng.randrange(len(sections)), rng.choice(others))
        authors = [facts.person(rng) for _ in range(rng.randrange(1, 4))]
        name = f"draft-{authors[0].split()[1].lower()}-group{group}-{number}"
        common = [" ".join(part) for part in shared[group]]
        first = None
        for revision in range(rng.choice((1, 2, 2, 3))):
            text = _draft(f"{name}-{revision:02}", authors, common, sections, rng)
            document = builder.add(f"{name}-{revision:02}", text, number)
            if quoted is not None:
                builder.alike(quoted, document)
            if first is None:
                first = document
                previous.append((document, sections))
            sections = _revised(sections, rng)
    return builder.collection()


def _draft(
    name: str, authors: list[str], common: list[str], sections: list[str], rng: random.Random
) -> str:
    heads = ["Working Draft", name, ", ".join(authors), f"Expires {facts.day(rng, 2020, 2026)}"]
    parts = ["\n".join(heads), f"Status of This Memo\n\n{STATUS}", f"Rights\n\n{RIGHTS}"]
    parts.append(f"1. Conventions\n\n{WORDS}\n\n{common[0]}")
    for number, section in enumerate(sections, 2):
        parts.append(f"{number}. {' '.join(section.split()[:4]).strip('.,')}\n\n{section}")
    parts.append(f"{len(sections) + 2}. Security Considerations\n\n{common[1]}")
    address = "\n".join(f"{author}, {facts.address(rng)}" for author in authors)
    return "\n\n".join([*parts, f"Authors' Addresses\n\n{address}"])


def _revised(sections: list[str], rng: random.Random) -> list[str]:
    """The sections after a round of comments: words changed, one rewritten or added."""
    revised = []
    for section in sections:
        words = section.split()
        share = rng.choice((0.0, 0.02, 0.05, 0.12))
        for place in range(len(words)):
            if rng.random() < share:
                words[place] = rng.choice(words)
        revised.append(" ".join(words))
    if rng.random() < 0.5:
        revised.insert(rng.randrange(len(revised) + 1), " ".join(articles(150, 1, rng, 2)[0]))
    if len(revised) > 2 and rng.random() < 0.25:
        revised.pop(rng.randrange(len(revised)))
    return revised
