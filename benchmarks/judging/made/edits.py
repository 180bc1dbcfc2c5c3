"""Articles edited by the operations of `twinset lab generate`, beside articles that share passages.

True: an article and what a few operations made of it. Hard ones: two articles of the same page of
a manual that begin with the same introduction and end with the same notice, a third of their words.
"""

from __future__ import annotations

from judging.builder import Builder
from judging.labelled import Collection
from judging.prose import articles
from twinset.lab.generate import generate

ARTICLES = 320
OPERATIONS = (
    ["replace-words:5%"],
    ["replace-words:15%"],
    ["delete-paragraphs:30%"],
    ["reorder-paragraphs:40%", "replace-words:3%"],
    ["add-paragraphs:30%"],
    ["truncate:40%"],
    ["ocr-noise:2%", "replace-characters:1%"],
    ["boilerplate", "repeat-paragraphs:1"],
)


def make(seed: int = 1) -> Collection:
    """Articles, edited copies of half of them, and pairs with a frame in common."""
    why = "An article and its edited copy; not two articles with introduction and notice in common."
    builder = Builder("edits", "generated edits", why, seed=seed)
    rng = builder.rng
    bodies = articles(200, ARTICLES, rng, 1)
    frames = articles(90, ARTICLES // 4, rng, 3)
    originals = {}
    for number, body in enumerate(bodies):
        frame = frames[number // 4]
        paragraphs = [frame[0], *body, *frame[1:]]
        originals[str(number)] = "\n\n".join(paragraphs)
    numbers = {name: builder.add(name, text, name) for name, text in originals.items()}
    for number in range(ARTICLES):
        for other in range(number + 1, (number // 4 + 1) * 4):
            builder.alike(numbers[str(number)], numbers[str(other)])
    chosen = sorted(rng.sample(sorted(originals), ARTICLES // 2))
    for turn, operations in enumerate(OPERATIONS):
        part = {name: originals[name] for name in chosen[turn :: len(OPERATIONS)]}
        for document in generate(part, ops=operations, seed=turn + 1).documents:
            name = document.id.rsplit("~", 1)[0]
            if document.id != name:
                builder.add(document.id, document.text, name)
    return builder.collection()
