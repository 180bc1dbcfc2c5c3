"""Answers to questions, some of them written off: from word for word to told in other words.

True: an answer and the source it was made of, whether copied, lightly or heavily revised, and two
answers made of one source; and a text of which a long passage stands in another. Hard ones: other
sections on the same subject; and texts that quote one and the same sentence or two.
"""

from __future__ import annotations

import random
import re

from judging.builder import Builder
from judging.labelled import Collection
from judging.prose import articles, pages, sentences

TOPICS = 110
PAIRS = """
    use employ, used employed, using employing, uses employs, can may, could might, show
    display, shows displays, shown displayed, create make, creates makes, created made,
    creating making, change alter, changes alters, changed altered, delete remove, deleted
    removed, set put, get obtain, allow permit, allows permits, allowed permitted, need
    require, needs requires, needed required, if when, because since, also additionally, but
    however, only merely, very quite, many numerous, large big, small little, first initial,
    last final, several various, different distinct, same identical, usually normally, often
    frequently, always invariably, never at-no-time, provide offer, provides offers,
    provided offered, specify state, specified stated, specifies states, contain hold,
    contains holds, containing holding, return yield, returns yields, returned yielded,
    begin start, begins starts, end finish, ends finishes, example instance, value quantity,
    values quantities, name label, names labels, row record, rows records, option setting,
    options settings, function routine, functions routines, command instruction, commands
    instructions, default standard, error fault, errors faults, user person, users people,
    data information, result outcome, results outcomes, however nevertheless, therefore
    hence, possible feasible, necessary essential, important significant, following
    subsequent, single sole, whole entire, each every, any whichever, must has-to, should
    ought-to, will shall, new fresh, current present, system installation, file document,
    files documents, process task, processes tasks
"""
SYNONYMS = dict((*pair.split(),) for pair in PAIRS.split(","))


def make(seed: int = 1) -> Collection:
    """Sources and answers, on subjects that other sections treat too."""
    why = "An answer made of the source, at whatever pains; not one on its subject or quoting it."
    builder = Builder("plagiarism", "plagiarism", why, seed=seed)
    rng = builder.rng
    everything = [part for page in pages(0) for part in page]
    for number, article in enumerate(articles(220, TOPICS, rng, 0)):
        source = " ".join(article)
        numbers = [builder.add(f"{number}/source", source, number)]
        ways = rng.sample(("copied", "light", "heavy", "inside"), rng.choice((1, 1, 2)))
        for way in ways:
            text = _inside(source, rng) if way == "inside" else REVISIONS[way](source, rng)
            numbers.append(builder.add(f"{number}/{way}", text, number))
        own = _near(article, everything, rng)
        quoted = rng.sample(sentences(source), 1)[0]
        parts = sentences(own)
        parts.insert(rng.randrange(len(parts) + 1), f'"{quoted}"')
        quoting = builder.add(f"{number}/quoting", " ".join(parts))
        for other in numbers:
            builder.alike(quoting, other)
    return builder.collection()


def _near(article: list[str], everything: list[str], rng: random.Random) -> str:
    """What the manual says near the article, which is on its subject and no part of it."""
    place = everything.index(article[-1]) + 1
    own: list[str] = []
    for paragraph in everything[place : place + 6]:
        if paragraph not in article and sum(len(part.split()) for part in own) < 200:
            own.append(paragraph)
    return " ".join(own) or rng.choice(everything)


def copied(text: str, rng: random.Random) -> str:
    parts = sentences(text)
    return " ".join(part for part in parts if rng.random() > 0.2) or text


def light(text: str, rng: random.Random) -> str:
    return _reworded(copied(text, rng), 0.55, 0.03, rng)


def heavy(text: str, rng: random.Random) -> str:
    parts = [part for part in sentences(text) if rng.random() > 0.3] or sentences(text)
    turned = []
    for part in parts:
        clauses = re.split(r",\s+(?=\w)", part.rstrip("."))
        if len(clauses) == 2 and rng.random() < 0.7:
            part = f"{clauses[1][:1].upper()}{clauses[1][1:]}, {clauses[0]}."
        turned.append(part)
    for place in range(0, len(turned) - 1, 2):
        if rng.random() < 0.6:
            turned[place], turned[place + 1] = turned[place + 1], turned[place]
    return _reworded(" ".join(turned), 0.95, 0.1, rng)


REVISIONS = {"copied": copied, "light": light, "heavy": heavy}


def _inside(text: str, rng: random.Random) -> str:
    """A long passage of the source inside an answer of one's own."""
    parts = sentences(text)
    size = max(3, len(parts) * 2 // 3)
    start = rng.randrange(max(1, len(parts) - size))
    before, after = (" ".join(part) for part in articles(120, 2, rng, 3))
    return f"{before} {' '.join(parts[start : start + size])} {after}"


def _reworded(text: str, share: float, dropped: float, rng: random.Random) -> str:
    words = []
    for word in text.split():
        bare = word.strip(".,;:()").lower()
        if bare in SYNONYMS and rng.random() < share:
            word = word.lower().replace(bare, SYNONYMS[bare].replace("-", " "))
        if rng.random() >= dropped:
            words.append(word)
    return " ".join(words)
