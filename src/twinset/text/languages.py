"""Which language the words of a document are in: by script, and among Latin ones by small words.

Cyrillic is taken for Russian, Greek, Armenian and Arabic for themselves. What a word of Latin
letters is, its document says: the language of whose small words (the, der, les) it has most. Words
of other scripts have no language here.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from twinset import _kernels
from twinset.model import Ints

if TYPE_CHECKING:
    from twinset.text.tokens import Tokens

AUTO = "auto"
# The most frequent small words, those that several of these languages have among them.
SMALL = {
    "en": "the of and to in is that for it with as be on are this by from or not have was at which "
    "an you",
    "de": "der die das und ist in den von zu mit des dem nicht ein eine für auf im sich als auch "
    "werden wird oder",
    "fr": "le la les un une des du de et est en que qui dans pour pas sur au aux ce cette ces il "
    "elle nous vous ils avec sont par ou mais plus",
    "es": "el la los las un una de del y en que es por con para no se su sus lo como más pero al "
    "este esta son o",
    "it": "il lo la gli le un una di del della dei delle e è in che per con non si da dal nel "
    "nella sono come più ma questo questa",
    "pt": "o a os as um uma de do da dos das e em no na que é por com para não se seu sua mais "
    "como ao à pelo pela são",
    "nl": "de het een van en in is dat die op te zijn met voor niet aan er om ook als bij door "
    "naar wordt worden deze dit uit",
    "sv": "och att det som en ett är på för av med inte den till har om de kan från eller när du "
    "detta vid",
}
LATIN = tuple(SMALL)
_SCRIPTS = (  # from one character to before another
    (0x41, 0x250, "latin"),
    (0x370, 0x400, "el"),
    (0x400, 0x530, "ru"),
    (0x530, 0x590, "hy"),
    (0x600, 0x700, "ar"),
    (0x1E00, 0x1F00, "latin"),
    (0x1F00, 0x2000, "el"),
)


def language_of(word: str, latin: str) -> str | None:
    """The language of a word by its first character; ``latin`` is that of Latin letters."""
    first = ord(word[0])
    for begin, end, language in _SCRIPTS:
        if begin <= first < end:
            return latin if language == "latin" else language
    return None


class LatinGuess:
    """Says for each document which of `LATIN` its words of Latin letters are taken for."""

    @cached_property
    def _small(self) -> tuple[_kernels.HashPlaces, Ints]:
        """All small words, and for each the languages that have it."""
        listed = sorted({word for text in SMALL.values() for word in text.split()})
        sets = [set(text.split()) for text in SMALL.values()]
        having = np.array([[word in own for own in sets] for word in listed], np.int64)
        from twinset.text.stopwords import hashes_of

        return _kernels.HashPlaces(hashes_of(listed)), having

    def of(self, tokens: Tokens) -> Ints:
        """The number of the language in `LATIN`; English where there is no small word."""
        places, having = self._small
        rows = places.find(tokens.hashes, tokens.threads)
        hits = np.flatnonzero(rows >= 0)
        owners = np.searchsorted(tokens.offsets, hits, side="right") - 1
        counts = np.zeros((len(tokens), len(LATIN)), np.int64)
        for number in range(len(LATIN)):
            own = having[rows[hits], number]
            counts[:, number] = np.bincount(owners, weights=own, minlength=len(tokens))
        most: Ints = counts.argmax(axis=1)
        return most
