"""Similarities in plain Python, written from the definitions, and a small collection for them."""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import pyarrow as pa

from tests.contracts.collection import collection
from tests.contracts.models import edited
from twinset.text.stopwords import stop_words

Score = Callable[[str, str], float]


@dataclass(frozen=True)
class Truth:
    """The similarity of two documents by their ids.

    ``whole`` says that the run itself knows it for all pairs inside a cluster.
    """

    score: Score
    whole: bool = True

    def __call__(self, one: str, other: str) -> float:
        return self.score(one, other)


@cache
def texts() -> dict[str, str]:
    """Two documents with copies, chains of edited copies, and an unrelated one."""
    rng = random.Random(5)
    found: dict[str, str] = {}
    for family, text in enumerate(list(collection(3).values())):
        text = " ".join(text.split(" ")[:70])
        found[f"a{family}"] = text
        if family == 2:
            break
        found[f"b{family}"] = text
        for name in "cde"[: 3 - family]:
            text = edited(text, 0.06, rng)
            found[f"{name}{family}"] = text
    return found


def words(id: str) -> list[str]:
    return re.findall(r"\w+", texts()[id].lower())


def canonical(id: str) -> str:
    return " ".join(words(id))


def shingles(id: str, length: int, unit: str = "word") -> set[Any]:
    units: Any = canonical(id) if unit == "char" else words(id)
    if unit == "sentence":
        units = [part for part in re.split(r"[.!?]\W*", texts()[id].lower()) if part]
    return {tuple(units[i : i + length]) for i in range(len(units) - length + 1)}


MEASURES: dict[str, Callable[[int, int, int], float]] = {
    "jaccard": lambda shared, a, b: shared / (a + b - shared),
    "containment": lambda shared, a, b: shared / min(a, b),
    "dice": lambda shared, a, b: 2 * shared / (a + b),
    "overlap": lambda shared, a, b: float(shared),
}


def of_sets(sets: Callable[[str], set[Any]], measure: str = "jaccard") -> Score:
    known = {id: sets(id) for id in texts()}
    return lambda one, other: MEASURES[measure](
        len(known[one] & known[other]), len(known[one]), len(known[other])
    )


@cache
def edit(one: str, other: str) -> float:
    """2·LCS/(|a|+|b|) of the canonical texts."""
    a, b = canonical(one), canonical(other)
    row = [0] * (len(b) + 1)
    for x in a:
        before = 0
        for j, y in enumerate(b):
            before, row[j + 1] = row[j + 1], before + 1 if x == y else max(row[j], row[j + 1])
    return 2 * row[-1] / (len(a) + len(b))


def lexical(id: str) -> set[str]:
    """Words but stop words, not above half the count of the most frequent one."""
    stop = set(stop_words("en+ru"))
    counts = Counter(word for id in texts() for word in words(id) if word not in stop)
    most = max(counts.values())
    return {w for w in words(id) if 0.00001 * most <= counts.get(w, 0) <= 0.5 * most}


def grams(id: str) -> set[tuple[str, ...]]:
    """Three words of a sentence, or all that it has."""
    parts = (re.findall(r"\w+", part.lower()) for part in re.split(r"[.!?]\W*", texts()[id]))
    return {
        tuple(part[at : at + 3]) for part in parts for at in range(max(len(part) - 2, 1)) if part
    }


def spots(id: str) -> set[tuple[str, ...]]:
    """Each stop word with the next two words that are none."""
    stop, every = set(stop_words("en+ru")), words(id)
    found = set()
    for place, word in enumerate(every):
        after = [other for other in every[place + 1 :] if other not in stop][:2]
        if word in stop and len(after) == 2:
            found.add((word, *after))
    return found


def cosine(one: str, other: str) -> float:
    """Of vectors tf·(log((1+N)/(1+df))+1)."""
    df = Counter(word for id in texts() for word in set(words(id)))
    rarity = {word: math.log((1 + len(texts())) / (1 + df[word])) + 1 for word in df}
    a, b = ({w: n * rarity[w] for w, n in Counter(words(id)).items()} for id in (one, other))
    lengths = (math.sqrt(sum(x * x for x in v.values())) for v in (a, b))
    return sum(a[w] * b[w] for w in a.keys() & b.keys()) / math.prod(lengths)


def of_groups(groups: pa.Table) -> Score:
    """How many keys two documents share, from the groups of those that share one."""
    rows = [(row["keys"], set(row["ids"])) for row in groups.to_pylist()]
    return lambda one, other: float(sum(n for n, ids in rows if {one, other} <= ids))


def plain(search: dict[str, Any], groups: pa.Table | None) -> Truth | None:
    """The truth of a search; None where the score has no definition of a few lines."""
    name, _, rest = search["method"].partition(":")
    options = dict(part.split("=") for part in rest.split(",") if part)
    judge = search.get("verify", "none")
    if judge.startswith("edit"):
        return Truth(edit, whole=False)
    if judge != "none":
        return Truth(of_sets(lambda id: shingles(id, 2)), whole=False)
    if groups is not None:
        return Truth(of_groups(groups))
    if name in ("minhash", "exact", "bottom"):
        length, unit = int(options.get("shingle", 5)), options.get("unit", "word")
        measure = search.get("measure", "jaccard")
        return Truth(of_sets(lambda id: shingles(id, length, unit), measure))
    apart = {"decomposition": edit, "tfidfcosine": cosine}
    if name in apart:
        return Truth(apart[name], whole=False)
    sets = {"lexical": lexical, "spotsigs": spots, "given": lambda id: set(words(id))}
    sets["grams"] = grams
    return Truth(of_sets(sets[name])) if name in sets else None
