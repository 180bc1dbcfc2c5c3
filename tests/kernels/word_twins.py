"""Plain Python twins of the kernels over words, keys, chains, fingerprints and weighted vectors."""

from __future__ import annotations

import itertools
import math
import zlib
from collections import Counter
from fractions import Fraction

import numpy as np

from tests.kernels import text_twins
from tests.kernels.text_twins import GOLDEN, MASK, mix

WORD_B = 0xE7037ED1A0B428DB


def lists(rows, kind=np.uint64):
    offsets = np.cumsum([0, *map(len, rows)]).astype(np.int64)
    return np.array([x for row in rows for x in row], kind), offsets


def split(values, offsets) -> list[list]:
    return [part.tolist() for part in np.split(values, offsets[1:-1])]


def cleaned(words: list[str], letters: int, stop: set[str], keep: bool) -> list[str]:
    return [w for w in words if (keep and w in stop) or (w not in stop and len(w) >= letters)]


def cleaned_sentences(data: bytes, letters: int, stop: set[str]) -> list[list[str]]:
    rows = (cleaned(s, letters, stop, False) for s in text_twins.sentences(data))
    return [row for row in rows if row]


def heaviest(items: list[tuple[float, bytes]], most: int) -> list[bytes]:
    ranked = sorted({(-weight, item) for weight, item in items})
    return [item for _, item in ranked[:most]]


def joined_key(items: list[bytes], crc: bool) -> int:
    text = b" ".join(sorted(items))
    return zlib.crc32(text) if crc else text_twins.hash_word(text.decode())


def set_key(hashes: list[int], kind: int) -> int:
    total = sum(mix(h ^ WORD_B) for h in hashes) & MASK
    return mix(total ^ mix((len(hashes) * GOLDEN + kind) & MASK))


def lexicon_keys(hashes, inside, lexica, share, seed, least) -> list[int]:
    found = []
    for k in range(lexica + 1):
        chosen = [h for h, there in zip(hashes, inside, strict=True) if there]
        if k:
            salt = mix((seed * GOLDEN + k) & MASK)
            chosen = [h for h in chosen if (mix(h ^ salt) >> 11) * 2.0**-53 >= share]
        if len(chosen) >= max(least, 1):
            found.append(set_key(chosen, k))
    return found


def list_keys(hashes, count, seed, least) -> list[int]:
    dealt = [[h for h in hashes if mix(h ^ mix(seed)) % count == k] for k in range(count)]
    return [set_key(own, k) for k, own in enumerate(dealt) if len(own) >= max(least, 1)]


def logarithmic(values: list[int]) -> set[int]:
    sample = set()
    for power in range(65):
        divisible = [v for v in values if v % (1 << power) == 0]
        if divisible:
            sample.add(min(divisible))
    return sample


def logarithmic_key(values: list[int]) -> list[int]:
    sample = logarithmic(values)
    return [set_key(sorted(sample), 0)] if sample else []


def unit_shingles(units, length, wrap, unique) -> list[int]:
    if not units:
        return []
    if wrap and len(units) > length:
        units = units + units[: length - 1]
    length = min(length, len(units))
    made = [text_twins.shingle(units[i : i + length]) for i in range(len(units) - length + 1)]
    return sorted(set(made)) if unique else made


def spots(words, antecedent, stopped, chain, distance) -> list[int]:
    found = set()
    for i, is_one in enumerate(antecedent):
        rest = [w for w, s in zip(words[i + 1 :], stopped[i + 1 :], strict=True) if not s]
        taken = rest[distance - 1 :: distance][:chain]
        if is_one and len(taken) == chain:
            found.add(text_twins.shingle([words[i], *taken]))
    return sorted(found)


def simhash(features, weights) -> int:
    total = 0
    for bit in range(64):
        vote = sum(w if f >> bit & 1 else -w for f, w in zip(features, weights, strict=True))
        total |= (vote > 0) << bit
    return total


def hamming_pairs(prints, distance) -> list[tuple[int, int, int]]:
    pairs = itertools.combinations(enumerate(prints), 2)
    return [
        (i, j, (a ^ b).bit_count()) for (i, a), (j, b) in pairs if (a ^ b).bit_count() <= distance
    ]


def chains(groups, lengths, ratio) -> set[tuple[int, ...]]:
    cut = set()
    for group in groups:
        order = sorted(group, key=lambda d: (lengths[d], d))
        chain: list[int] = []
        for document in order:
            if chain and lengths[document] > ratio * lengths[chain[-1]]:
                cut.add(tuple(chain))
                chain = []
            chain.append(document)
        cut.add(tuple(chain))
    cut = {chain for chain in cut if len(chain) > 1}
    return {c for c in cut if not any(set(c) < set(other) for other in cut)}


def chain_pairs(found, lengths, ratio) -> list[tuple[int, int]]:
    near = {
        tuple(sorted((a, b)))
        for chain in found
        for a, b in itertools.combinations(chain, 2)
        if max(lengths[a], lengths[b]) <= ratio * min(lengths[a], lengths[b])
    }
    return sorted(near)


def cosine_pairs(vectors: list[dict[int, float]], threshold) -> dict[tuple[int, int], float]:
    found = {}
    for (i, a), (j, b) in itertools.combinations(enumerate(vectors), 2):
        score = math.fsum(a[f] * b[f] for f in a.keys() & b.keys())
        if score >= threshold:
            found[i, j] = score
    return found


def contained_pairs(
    sets: list[set[int]], weights: list[int], share: Fraction, least: int
) -> dict[tuple[int, int], Fraction]:
    """Of two sets the lighter one, of equal weights either, is held against the other."""
    found = {}
    for (i, a), (j, b) in itertools.combinations(enumerate(sets), 2):
        weight = [sum(weights[f] for f in one) for one in (a, b)]
        lighter = [one for one, own in zip((a, b), weight, strict=True) if own == min(weight)]
        if not min(weight) or all(len(one) < least for one in lighter):
            continue
        part = Fraction(sum(weights[f] for f in a & b), min(weight))
        if part >= share:
            found[i, j] = part
    return found


def counts(documents: list[list[str]]) -> dict[str, tuple[int, int]]:
    df, cf = Counter(), Counter()
    for words in documents:
        df.update(set(words))
        cf.update(words)
    return {word: (df[word], cf[word]) for word in cf}


def sharing(one: set[int], other: set[int], part: float) -> bool:
    """At least this part of the smaller set is in both; a glance at the least sixteenth first.

    The glance ends where the first of the two runs out of features below 2^60; of 16 or more that
    it sees, less than a quarter of the part in common decides.
    """
    low = [{x for x in features if x < 2**60} for features in (one, other)]
    if all(low):
        end = min(map(max, low))
        seen = [{x for x in features if x <= end} for features in low]
        fewest = min(map(len, seen))
        if fewest >= 16 and len(seen[0] & seen[1]) < part / 4 * fewest:
            return False
    return len(one & other) >= math.ceil(part * min(len(one), len(other)))
