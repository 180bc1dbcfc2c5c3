"""Excerpts: a few sentences taken out of a long document, and nothing else.

True: an excerpt and the document that it stands in, word for word or with its line breaks and
quotation marks changed. Hard ones: what the manual says just before or after the document, on the
same subject and in the same words; texts of their own that quote a sentence of it; two excerpts of
one document that do not overlap.
"""

from __future__ import annotations

import textwrap

from judging.builder import Builder
from judging.labelled import Collection
from judging.prose import articles, pages, sentences

DOCUMENTS = 90
WORDS = 1200  # of a document, at least
EXCERPT = (50, 160)  # words
TWICE = 0.6  # the share of documents with two excerpts


def make() -> Collection:
    """Long documents, excerpts of theirs, and what looks like excerpts."""
    why = "An excerpt and the document it is from; not a text that quotes it, nor a near section."
    builder = Builder("excerpts", "excerpts", why, seed=1)
    rng = builder.rng
    everything = [part for page in pages(0) for part in page]
    for number, article in enumerate(articles(WORDS, DOCUMENTS, rng, 0)):
        document = builder.add(f"{number}/document", "\n\n".join(article))
        parts = sentences(" ".join(article))
        middle = len(parts) // 2
        halves = [parts[:middle], parts[middle:]] if rng.random() < TWICE else [parts]
        excerpts = []
        for half, within in enumerate(halves):
            start = rng.randrange(max(1, len(within) - 8))
            size, excerpt = rng.randint(*EXCERPT), []
            for sentence in within[start:]:
                excerpt.append(sentence)
                if sum(len(part.split()) for part in excerpt) >= size:
                    break
            text = " ".join(excerpt).replace('"', "'")
            excerpts.append(builder.add(f"{number}/excerpt{half}", textwrap.fill(text, 66)))
            builder.copies(document, excerpts[-1])
        place = everything.index(article[-1]) + 1
        near = [part for part in everything[place : place + 3] if part not in article]
        before = max(0, everything.index(article[0]) - 2)
        looks = [" ".join(near), " ".join(everything[before : before + 2])]
        quoted = f'{" ".join(everything[place + 3 : place + 5])} "{rng.choice(parts)}"'
        for name, text in zip(("after", "before", "quoting"), [*looks, quoted], strict=True):
            if len(text.split()) >= EXCERPT[0] // 2 and not set(sentences(text)) <= set(parts):
                builder.alike(document, builder.add(f"{number}/{name}", text))
        if len(excerpts) == 2:
            builder.alike(*excerpts)
    return builder.collection()
