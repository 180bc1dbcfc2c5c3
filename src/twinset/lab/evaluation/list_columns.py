"""Which columns of a table hold pairs, clusters or grades, by the names that people give them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

NOUNS = ("documents", "document", "docs", "doc", "ids", "id", "texts", "text", "files", "file",
         "pages", "page", "records", "record", "items", "item")  # fmt: skip
SIDES = (("left", "right"), ("a", "b"), ("1", "2"), ("0", "1"), ("x", "y"), ("i", "j"),
         ("first", "second"), ("source", "target"), ("query", "match"),
         ("removed", "kept"))  # fmt: skip
OTHER_SIDES = (("original", "copy"), ("original", "variant"), ("source", "id"), ("one", "other"))
CLUSTERS = ("cluster", "group", "class", "family", "component")
IDS = ("", "name", "key", "member", "path", "url")
GRADES = ("grade", "label", "relevance", "judgement", "judgment", "rating", "gold", "duplicate")
SCORES = ("score", "similarity", "sim", "jaccard", "cosine", "weight")


@dataclass(frozen=True)
class Columns:
    """Positions of the columns; ``clusters`` says that the second one names a cluster."""

    first: int
    second: int
    clusters: bool = False
    grade: int | None = None
    score: int | None = None


def recognise(names: Sequence[str], clusters: bool | None = None) -> Columns | None:
    """The columns that these names point out; None where they say nothing.

    ``clusters`` decides what is looked for, None looks for both.
    """
    plain = [re.sub("[^a-z0-9]", "", name.lower()) for name in names]
    bare = [_without_noun(name) for name in plain]
    if clusters is not True:
        for words, sides in ((bare, SIDES), (plain, OTHER_SIDES)):
            for left, right in sides:
                if left in words and right in words:
                    pair = words.index(left), words.index(right)
                    return Columns(*pair, False, _any(bare, GRADES, pair), _any(bare, SCORES, pair))
    if clusters is not False:
        cluster, member = _any(bare, CLUSTERS), _any(bare, IDS)
        if cluster is not None and member is not None:
            return Columns(member, cluster, True)
    return None


def _without_noun(name: str) -> str:
    """``doc1``, ``id_a``, ``left_id`` without the noun: 1, a, left; a noun alone gives nothing."""
    for noun in NOUNS:
        if name.startswith(noun):
            return _without_noun(name[len(noun) :])
        if name.endswith(noun):
            return _without_noun(name[: -len(noun)])
    return name


def _any(words: Sequence[str], wanted: Sequence[str], taken: Sequence[int] = ()) -> int | None:
    rows = (words.index(word) for word in wanted if word in words)
    return next((row for row in rows if row not in taken), None)
