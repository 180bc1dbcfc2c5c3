"""Signals of two documents of a run, and what they say in words, from the texts read again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from twinset.finding.signals import ListedScores, Profiles, WordSample
    from twinset.result.results import Results

MOST_BYTES, MOST_DOCUMENTS = 8 << 20, 5000
"""Sources up to which a run reads documents a second time for its page."""
MOST_CHARACTERS = 1_000_000
"""Of documents that a page compares: a longer one would keep the reader waiting."""


@dataclass(frozen=True)
class PairSignals:
    """Compares documents of a run or a report; what does not depend on the pair is read once."""

    results: Results

    @classmethod
    def of(cls, results: Results) -> PairSignals:
        """The one that these results have been asked by before, if they were."""
        known: PairSignals = vars(results).setdefault("_pair_signals", cls(results))
        return known

    def signals(self, left: str, right: str) -> dict[str, float]:
        """The signals that follow from two documents alone, by name."""
        from twinset.finding.signals import signals_of

        return signals_of(self._profiles(left, right), 0, 1)

    def in_words(self, left: str, right: str, language: str = "en") -> list[str]:
        """What is worth saying of two documents, the most telling first."""
        from twinset.finding.signals import facts_beside, said
        from twinset.pages.language import ensure_known

        profiles = self._profiles(left, right)
        facts = facts_beside(profiles, 0, 1, self._listed(left, right), self._sample)
        return said(facts, ensure_known(language))

    def quickly_in_words(
        self, ids: tuple[str, str], texts: tuple[str, str], language: str
    ) -> list[str]:
        """The same of texts that are at hand; the rest of the collection is read if it is small.

        Nothing where both texts together are very long.
        """
        from twinset.finding.signals import facts_beside, said

        if sum(map(len, texts)) > MOST_CHARACTERS:
            return []
        inputs = self.results.manifest.get("inputs", [])
        is_small = len(self.results.documents) <= MOST_DOCUMENTS and (
            sum(int(entry.get("bytes") or 0) for entry in inputs) <= MOST_BYTES
        )
        sample = self._sample if is_small else None
        return said(facts_beside(profiles_of(texts), 0, 1, self._listed(*ids), sample), language)

    def _profiles(self, left: str, right: str) -> Profiles:
        from twinset.result.texts import both_texts

        return profiles_of(both_texts(self.results, left, right))

    @cached_property
    def _sample(self) -> WordSample | None:
        from twinset.finding.signals import WordSample, sampled

        ids = self.results.documents["id"]
        chosen = ids.take(sampled(len(ids))).to_pylist()
        texts = self.results.texts(chosen)
        return WordSample.of([texts[id] for id in chosen if id in texts])

    def _listed(self, left: str, right: str) -> ListedScores | None:
        import pyarrow.compute as pc

        from twinset.finding.signals import ListedScores
        from twinset.model.columns import numbers

        if not has_similarities(self.results.manifest):
            return None
        pairs = self.results.pairs
        with_left, with_right = (
            pc.or_(pc.equal(pairs["left"], id), pc.equal(pairs["right"], id)).to_numpy()
            for id in (left, right)
        )
        return ListedScores.of(numbers(pairs["score"]), with_left, with_right)


def has_similarities(manifest: dict[str, Any]) -> bool:
    """Whether scores are similarities; those of the method ``asked`` are probabilities."""
    from twinset.plan.spec import name_in

    return name_in(manifest["plan"].get("method", "")) != "asked"


def profiles_of(texts: Sequence[str]) -> Profiles:
    """Some documents, to be compared with each other."""
    import pyarrow as pa

    from twinset.finding.signals import Profiles
    from twinset.model.columns import text

    return Profiles.of([text(list(texts)).cast(pa.large_string())])


def sentences_of(
    results: Results, pairs: Sequence[tuple[str, str]], language: str
) -> list[list[str]]:
    """For each pair what its texts alone say; nothing where reading them takes too long."""
    from twinset.result.texts import bytes_of, texts_of_sides

    ids = list(dict.fromkeys(id for pair in pairs for id in pair))
    if len(results.documents) > MOST_DOCUMENTS or bytes_of(results, ids) > MOST_BYTES:
        return [[] for _ in pairs]
    from twinset.finding.signals import facts_beside, said

    sides = texts_of_sides(results, [left for left, _ in pairs], [right for _, right in pairs])
    texts = {
        (side, id): text
        for side, read in enumerate(sides)
        for id, text in read.items()
        if len(text) <= MOST_CHARACTERS // 2
    }
    profiles = profiles_of(list(texts.values()))
    place = {key: number for number, key in enumerate(texts)}
    return [
        said(facts_beside(profiles, place[0, left], place[1, right]), language)
        if (0, left) in place and (1, right) in place
        else []
        for left, right in pairs
    ]
