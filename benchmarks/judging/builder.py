"""Puts a made collection together: documents in groups of copies, and what looks alike."""

from __future__ import annotations

import itertools
import random
from collections import defaultdict
from collections.abc import Hashable

import numpy as np

from judging.labelled import Collection, Pair, in_order

# Tf-idf cosine of two words from which two documents that are no copies look alike.
LOOKS_ALIKE = 0.25


class Builder:
    """Collects documents; those of one group are copies of one another.

    ``seed`` decides their order, so that copies do not follow their originals.
    """

    def __init__(self, name: str, kind: str, why: str, *, seed: int, html: bool = False) -> None:
        self.name, self.kind, self.why, self.html = name, kind, why, html
        self.rng = random.Random(f"{name} {seed}")
        self._ids: list[str] = []
        self._texts: list[str] = []
        self._groups: dict[Hashable, list[int]] = defaultdict(list)
        self._copies: set[Pair] = set()
        self._ignored: set[Pair] = set()
        self._hard: set[Pair] = set()

    def add(self, name: str, text: str, *groups: Hashable) -> int:
        """A document, a copy of the others of its groups; its number."""
        self._ids.append(name)
        self._texts.append(text)
        for group in groups:
            self._groups[group].append(len(self._ids) - 1)
        return len(self._ids) - 1

    def copies(self, one: int, other: int) -> None:
        """Two documents are copies, whatever else they are alike to."""
        self._copies.add(in_order(one, other))

    def ignore(self, one: int, other: int) -> None:
        """People could say either of the two documents."""
        self._ignored.add(in_order(one, other))

    def alike(self, one: int, other: int) -> None:
        """The two documents are made to look alike, and are no copies."""
        self._hard.add(in_order(one, other))

    def collection(self) -> Collection:
        """The documents in their final order, with every pair that looks alike found."""
        order = list(range(len(self._ids)))
        self.rng.shuffle(order)
        place = {old: new for new, old in enumerate(order)}
        texts = [self._texts[old] for old in order]
        ids = [self._ids[old] for old in order]
        if len(set(ids)) != len(ids):
            raise ValueError(f"{self.name}: two documents have one id")

        def placed(pairs: set[Pair]) -> set[Pair]:
            return {in_order(place[one], place[other]) for one, other in pairs}

        within = {
            pair
            for members in self._groups.values()
            for pair in itertools.combinations(sorted(members), 2)
        }
        ignored = placed(self._ignored)
        truth = placed(within | self._copies) - ignored
        hard = (placed(self._hard) | alike(texts, self.html)) - truth - ignored
        if len(hard) < len(truth):
            message = f"{self.name}: {len(hard)} pairs look alike, fewer than the true {len(truth)}"
            raise ValueError(message)
        return Collection(
            self.name,
            self.kind,
            False,
            ids,
            texts,
            truth,
            ignored,
            html=self.html,
            hard=hard,
            why=self.why,
        )


def alike(texts: list[str], html: bool) -> set[Pair]:
    """The pairs of documents that look alike, copies among them."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    words = TfidfVectorizer(
        ngram_range=(2, 2), sublinear_tf=True, token_pattern=r"\w+", min_df=2, dtype=np.float32
    )
    plain = [_without_tags(text) for text in texts] if html else texts
    vectors = words.fit_transform(plain)
    cosine = (vectors @ vectors.T).tocoo()
    kept = (cosine.data >= LOOKS_ALIKE) & (cosine.row < cosine.col)
    return set(zip(cosine.row[kept].tolist(), cosine.col[kept].tolist(), strict=True))


def _without_tags(text: str) -> str:
    from resiliparse.extract.html2text import extract_plain_text

    plain: str = extract_plain_text(text, main_content=False)
    return plain
