"""Word forms: what stands for a word and all its inflections.

Snowball stems [Porter 1980; snowballstem.org] cut endings off by rules: договора and договорами are
both договор. Lemmas come from dictionaries: went is go. The packages are optional and load at use.
Folded words have no accents, and one spelling of what is written in several ways: ﬁn and fin.

The language of a word is told by its script, and among Latin ones by small words. Cyrillic is taken
for Russian, Greek, Armenian and Arabic for themselves. What a word of Latin letters is, its
document says: the language of whose small words (the, der, les) it has most. Words of other scripts
have no language here.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.util import find_spec
from typing import TYPE_CHECKING, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from twinset import _kernels
from twinset.errors import MissingExtraError
from twinset.model import Ints, offsets_of
from twinset.plan.spec import option

if TYPE_CHECKING:
    from twinset.text.code import Code
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


Former = Callable[[str], str]

STEMMERS = {
    "ar": "arabic",
    "ca": "catalan",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "es": "spanish",
    "eu": "basque",
    "fi": "finnish",
    "fr": "french",
    "ga": "irish",
    "hi": "hindi",
    "hu": "hungarian",
    "hy": "armenian",
    "id": "indonesian",
    "it": "italian",
    "lt": "lithuanian",
    "nl": "dutch",
    "no": "norwegian",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sr": "serbian",
    "sv": "swedish",
    "tr": "turkish",
}
LEMMAS = (
    *("bg", "ca", "cs", "da", "de", "el", "en", "es", "et", "fi", "fr", "ga", "hu", "hy", "id"),
    *("it", "lt", "lv", "nb", "nl", "pl", "pt", "ro", "ru", "sk", "sl", "sq", "sv", "tr", "uk"),
)
LANGUAGE = "Language of the words, as ru; auto: by script and by the small words of a document."


@dataclass(frozen=True, slots=True)
class NoForms:
    """Words are compared as they are written."""

    def require(self) -> None:
        """Nothing is needed."""

    def versions(self) -> dict[str, str]:
        """No package decides."""
        return {}


@dataclass(frozen=True, slots=True)
class _Forms:
    """Words are compared by a form that stands for their inflections."""

    extra: ClassVar[str]
    known: ClassVar[tuple[str, ...]]
    language: str = option(AUTO, LANGUAGE)

    def faults(self) -> list[str]:
        """A language without forms."""
        if self.language in (AUTO, *self.known):
            return []
        return [
            f"there are no forms for the language '{self.language}'; write auto or one of "
            f"{', '.join(self.known)}"
        ]

    @property
    def guesses(self) -> bool:
        """Whether the language of Latin letters depends on the document."""
        return self.language == AUTO

    def form(self, word: str, latin: int) -> str:
        """The form of a word; ``latin`` is the number of its document's language in `LATIN`."""
        language: str | None = self.language
        if self.guesses:
            language = language_of(word, LATIN[latin])
        if language is None or language not in self.known:
            return word
        return self.former(language)(word)

    def former(self, language: str) -> Former:
        """What makes forms of a language."""
        raise NotImplementedError

    def packages(self) -> dict[str, str]:
        """The packages that decide on forms, with the modules that they bring."""
        raise NotImplementedError

    def require(self) -> None:
        """Raise where a package is missing, before anything is read."""
        for package, module in self.packages().items():
            if find_spec(module) is None:
                raise MissingExtraError(package, self.extra)

    def versions(self) -> dict[str, str]:
        """The packages that decide, for the manifest: another version may give other forms."""
        from importlib.metadata import version

        return {package: version(package) for package in self.packages()}


@dataclass(frozen=True, slots=True)
class Stem(_Forms):
    """Words are compared by their Snowball stems: endings are cut off by rules."""

    extra: ClassVar[str] = "stem"
    known: ClassVar[tuple[str, ...]] = tuple(STEMMERS)

    def former(self, language: str) -> Former:
        """The stemmer of a language."""
        return _stemmer(STEMMERS[language])

    def packages(self) -> dict[str, str]:
        """One for all languages."""
        return {"PyStemmer": "Stemmer"}


@dataclass(frozen=True, slots=True)
class Lemma(_Forms):
    """Words are compared by their dictionary forms; slower than stems, and exact for Russian."""

    extra: ClassVar[str] = "lemma"
    known: ClassVar[tuple[str, ...]] = LEMMAS

    def former(self, language: str) -> Former:
        """The lemmatiser of a language."""
        return _russian() if language == "ru" else _lemmatiser(language)

    def packages(self) -> dict[str, str]:
        """One for Russian, one for all others."""
        russian = {"pymorphy3": "pymorphy3", "pymorphy3-dicts-ru": "pymorphy3_dicts_ru"}
        others = {"simplemma": "simplemma"}
        if self.guesses:
            return russian | others
        return russian if self.language == "ru" else others


# Letters that no decomposition takes apart.
LETTERS = {"ı": "i", "ł": "l", "đ": "d", "ø": "o", "ß": "ss", "æ": "ae", "œ": "oe"}
FINAL = str.maketrans("ςךםןףץ", "σכמנפצ")
POINTS = {*range(10, 37), *range(202, 241)}
"""Combining classes of points and accents; vowels and marks of Indic and Thai words are others."""
SURROGATES = range(0xD800, 0xE000)
ALPHABETS = ((0x80, 0x3100), (0xA640, 0xAC00), (0xFB00, 0x10000), (0x1D400, 0x1D800))


@dataclass(frozen=True, slots=True)
class Folded:
    """Words are compared without accents, and in one width, letter form and script of digits."""

    guesses: ClassVar[bool] = False

    def require(self) -> None:
        """Nothing is needed."""

    def versions(self) -> dict[str, str]:
        """The version of Unicode decides which letters have accents."""
        return {"Unicode": unicodedata.unidata_version}

    def form(self, word: str, latin: int) -> str:
        """The word folded, in whatever language."""
        return "".join(map(_folded, unicodedata.normalize("NFC", word)))


def _folded(character: str) -> str:
    """What a letter, digit or mark is written as; all else stays as it is."""
    letter = character.lower()
    if letter in LETTERS:
        return LETTERS[letter]
    parts = unicodedata.normalize("NFKD", letter)
    kept = "".join(part for part in parts if unicodedata.combining(part) not in POINTS)
    digits = "".join(str(unicodedata.decimal(part, part)) for part in kept.translate(FINAL))
    written = unicodedata.normalize("NFC", digits)
    # A sign such as ™ must not become a word, and no accent may stay alone.
    is_mark = unicodedata.combining(character) in POINTS
    return written if is_mark or (letter.isalnum() and written.isalnum()) else character


@cache
def folded_characters() -> tuple[NDArray[np.uint32], NDArray[np.uint8], Ints]:
    """The characters that are written otherwise, and what is written for each."""
    codes = [
        code for begin, end in ALPHABETS for code in range(begin, end) if code not in SURROGATES
    ]
    pairs = ((code, _folded(chr(code))) for code in codes)
    changed = [(code, written.encode()) for code, written in pairs if written != chr(code).lower()]
    numbers = np.array([code for code, _ in changed], np.uint32)
    text = np.frombuffer(b"".join(written for _, written in changed), np.uint8)
    return numbers, text, offsets_of([len(written) for _, written in changed])


Forms: TypeAlias = "NoForms | Folded | Stem | Lemma | Code"


@cache
def _stemmer(algorithm: str) -> Former:
    from Stemmer import Stemmer

    # The words of a vocabulary come once each: a cache inside would only cost.
    stem: Former = Stemmer(algorithm, 0).stemWord
    return stem


@cache
def _russian() -> Former:
    from pymorphy3 import MorphAnalyzer

    analyser = MorphAnalyzer(lang="ru")
    return lambda word: str(analyser.parse(word)[0].normal_form)


@cache
def _lemmatiser(language: str) -> Former:
    from simplemma import lemmatize

    def german(word: str) -> str:
        lemma, noun = str(lemmatize(word, lang="de")), word.capitalize()
        # Without its capital a noun may be the imperative of a verb: vertrag, of vertragen.
        if len(lemma) > len(word) and lemmatize(noun, lang="de") == noun:
            return word
        return lemma

    return german if language == "de" else lambda word: str(lemmatize(word, lang=language))
