"""What two documents of a run say in words, from the texts read again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from twinset.finding.signals import Profiles
    from twinset.result.results import Results

MOST_BYTES, MOST_DOCUMENTS = 8 << 20, 5000
"""Sources up to which a run reads documents a second time for its page."""
MOST_CHARACTERS = 1_000_000
"""Of documents that a page compares: a longer one would keep the reader waiting."""


def quickly_in_words(texts: tuple[str, str], language: str) -> list[str]:
    """What is worth saying of two texts; nothing where both together are very long."""
    from twinset.finding.signals import in_words

    if sum(map(len, texts)) > MOST_CHARACTERS:
        return []
    return in_words(profiles_of(texts), 0, 1, language, alone=True)


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
    from twinset.finding.signals import in_words

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
        in_words(profiles, place[0, left], place[1, right], language, alone=True)
        if (0, left) in place and (1, right) in place
        else []
        for left, right in pairs
    ]
