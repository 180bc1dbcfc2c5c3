"""A small fixed collection: unrelated documents, exact copies of some, and texts that are hardly
any.

Words are made up (they must not be stop words of any language) and drawn from a seed; every
document has its own vocabulary beside a common one, sentences of varying length, and English stop
words.
"""

from __future__ import annotations

import random

STOP = ["the", "of", "and", "with", "from", "that", "this", "into"]
CONSONANTS, VOWELS = "bdfgklmnprstvz", "aeiou"


def word(rng: random.Random) -> str:
    syllables = rng.randint(2, 4)
    return "".join(rng.choice(CONSONANTS) + rng.choice(VOWELS) for _ in range(syllables))


def document(rng: random.Random, common: list[str]) -> str:
    own = [word(rng) for _ in range(60)]
    sentences = []
    for _ in range(rng.randint(8, 14)):
        words = []
        for _ in range(rng.randint(5, 15)):
            words.append(rng.choice(own if rng.random() < 0.8 else common))
            if rng.random() < 0.4:
                words.append(rng.choice(STOP))
        sentences.append(" ".join(words).capitalize() + ".")
    return " ".join(sentences)


def collection(documents: int = 24, seed: int = 7) -> dict[str, str]:
    """Ids to texts: ``a00`` and on, all unrelated."""
    rng = random.Random(seed)
    common = [word(rng) for _ in range(30)]
    return {f"a{i:02}": document(rng, common) for i in range(documents)}


COPIES = [("a00", "b00"), ("a05", "b05"), ("a05", "c05"), ("b05", "c05"), ("a17", "b17")]


def with_copies() -> dict[str, str]:
    """The unrelated documents and copies of three of them, one in another dress."""
    texts = collection()
    texts["b00"] = texts["a00"]
    texts["b05"] = texts["c05"] = texts["a05"]
    texts["b17"] = texts["a17"]
    return texts


HARDLY = {
    "nothing": "",
    "blank": " \n\n ",
    "dots": "... !!! ???",
    "word": "kalimera",
    "five": "kalimera dovaru pelino sagoti remuva",
    "no end": "kalimera dovaru pelino sagoti remuva tolisa bagune fenodi",
    "one sentence": "Kalimera dovaru pelino sagoti remuva tolisa bagune fenodi mirato.",
    "stop words": "The of and with. From that this into the of.",
    "digits": "1 2 3 4 5",
    "emoji": "🙂 🙂 🙂",
    "han": "你好世界。你好世界。",
}
